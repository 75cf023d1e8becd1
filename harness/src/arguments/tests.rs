//! The help is complete and its examples are valid.
use std::collections::BTreeSet;

use clap::Command;

use super::{Arguments, Command as Called, GROUPS};
use crate::reference::golden::golden_folder;

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set())
}

/// Every command has examples, and accepts each of them.
#[test]
fn examples_are_taken() {
    fn tried(command: &Command) {
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let mut count = 0;
        for line in examples.lines().skip(1) {
            for part in line.split(';') {
                let part = part.trim().trim_start_matches("eval \"$(").trim_end_matches(")\"");
                let Some(start) = part.find("slipway ") else { continue };
                // Strips shell redirections and the remark.
                let ends = [" > ", " | ", "   "].into_iter().filter_map(|end| part.find(end));
                let words = shlex::split(&part[start..ends.min().unwrap_or(part.len())]).unwrap();
                Arguments::read_from(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
                count += 1;
            }
        }
        assert!(count > 0, "{} has no example", command.get_name());
        visible(command).for_each(tried);
    }
    visible(&Arguments::definition()).for_each(tried);
}

#[test]
fn every_command_is_in_one_group_of_the_help() {
    let mut definition = Arguments::definition();
    let help = definition.render_help().to_string();
    let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let known: BTreeSet<&str> = visible(&definition).map(Command::get_name).collect();
    assert_eq!(grouped.len(), known.len());
    assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), known);
    for (title, names) in GROUPS {
        assert!(help.contains(&format!("{title}:\n  {}", names[0])), "{help}");
    }
    assert!(help.contains("Examples:") && help.contains("--verbose"), "{help}");
}

/// Each option takes room in the help; a new one must replace another. `--live` replaced none: it makes a market trade by itself, and no
/// other option controls what happens after the start.
#[test]
fn there_are_at_most_thirteen_commands_and_sixty_six_options() {
    fn collect(command: &Command, options: &mut BTreeSet<String>) {
        let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
        options.extend(shown.filter_map(|argument| argument.get_long().map(str::to_owned)));
        visible(command).for_each(|command| collect(command, options));
    }
    let definition = Arguments::definition();
    let mut options = BTreeSet::new();
    collect(&definition, &mut options);
    assert!(visible(&definition).count() <= 13);
    assert!(options.len() <= 66, "{}: {options:?}", options.len());
}

/// The number of actions is limited to what a platform can keep up with; a platform that shares another's chains performs none.
#[test]
fn live_actions_have_bounds_and_one_platform() {
    let read = |line: &str| Arguments::read_from(line.split(' '));
    for line in ["up --live 1", "up --live 600 --state here --no-control", "exec --live 10 -- true"] {
        assert!(read(&format!("slipway {line}")).is_ok(), "{line}");
    }
    let attached = "up --live 5 --database-url postgres://host/base --attach ready.json";
    for (line, said) in [
        ("up --live 0", "'--live <N>': it takes a number from 1 to 600"),
        ("up --port 65532", "it takes a number from 0 to 65531"),
        ("exec --live 601 -- true", "it takes a number from 1 to 600"),
        ("up --live many", "it takes a whole number"),
        ("up --live 1.5", "it takes a whole number"),
        ("up --live=", "it takes a whole number"),
        ("up --seed -1", "unexpected argument '-1'"),
        ("up --seed 18446744073709551616", "'--seed <SEED>': the number is too large"),
        ("exec --seed many -- true", "Usage: slipway exec"),
        (attached, "cannot be used with"),
        ("check --live 5", "is one of `slipway up`, `slipway exec`, not of this command"),
        ("mcp --embedded --live 5", "is one of `slipway up`"),
    ] {
        let error = read(&format!("slipway {line}")).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(said)), "{line}: {error:?}");
    }
}

#[test]
fn help_is_a_word_too() {
    for (line, said) in [("slipway help", "Run a platform:"), ("slipway help check", "--base-url")] {
        let error = Arguments::read_from(line.split(' ')).unwrap_err();
        assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{line}");
        assert!(error.to_string().contains(said), "{line}");
    }
}

/// The help of the program and of each command, as `--help` prints it.
#[test]
fn helps_are_the_committed_ones() {
    fn collect(command: &mut Command, texts: &mut Vec<String>) {
        texts.push(command.render_long_help().to_string());
        for command in command.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
            collect(command, texts);
        }
    }
    let mut definition = Arguments::definition();
    definition.build();
    let mut texts = Vec::new();
    collect(&mut definition, &mut texts);
    let _golden = golden_folder();
    insta::assert_snapshot!("help", texts.join("\n----\n\n"));
}

/// Programs of tests take lists in one option; so does `--require`.
#[test]
fn ids_may_be_given_with_commas() {
    for line in ["check --only list-totals,LIST-PAGE", "drill --only list-page-zero,list-count-*"] {
        let arguments = Arguments::read_from(format!("slipway {line}").split(' ')).unwrap();
        let only = match arguments.command {
            Called::Check(check) => check.only,
            Called::Drill(drill) => drill.only,
            _ => unreachable!(),
        };
        assert_eq!(only.len(), 2, "{line}: {only:?}");
    }
}
