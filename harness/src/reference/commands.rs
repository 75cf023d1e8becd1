//! `docs/reference/commands.md`: every command with its options, from the definition of the command line.
use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::{Arg, Command};
use serde_json::json;
use slipway_test_support::is_current;

use super::{cell, page, read};
use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::target::variables::environment;

const PAGE: &str = "commands.md";

#[test]
fn page_describes_every_command() {
    let mut program = Arguments::definition();
    program.build();
    let mut made = String::from("\n| command | what it does |\n|---|---|\n");
    let commands = || program.get_subcommands().filter(|command| !command.is_hide_set());
    for command in commands() {
        let name = command.get_name();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(made, "| [`{name}`](#slipway-{name}) | {} |", cell(&about));
    }
    made.push('\n');
    let shared = Shared::of(&program);
    for command in commands() {
        describe(command, 2, &shared, &mut made);
    }
    shared.describe(&mut made);
    is_current(&page(PAGE), "commands", &made);
    let own = [
        Exit::Conformant,
        Exit::Failure,
        Exit::Usage,
        Exit::Inconclusive,
        Exit::StaleBaseline,
        Exit::SelfCheck,
        Exit::Interrupted,
    ];
    let codes = own.map(Exit::described).map(|(code, meaning)| format!("| {code} | {meaning} |\n")).concat();
    is_current(&page(PAGE), "exit codes", &format!("\n| exit code | meaning |\n|---|---|\n{codes}\n"));
}

/// The options with the same meaning in several commands: each is described once, after the commands.
struct Shared(Vec<(String, String)>);

impl Shared {
    fn of(program: &Command) -> Self {
        fn collect(command: &Command, all: &mut Vec<(String, String)>) {
            let options =
                command.get_arguments().filter(|argument| is_shown(argument) && !argument.is_positional());
            all.extend(options.map(|option| (heading(option).to_owned(), row(option))));
            for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
                collect(command, all);
            }
        }
        let mut all = Vec::new();
        collect(program, &mut all);
        let mut shared = Vec::<(String, String)>::new();
        for (heading, row) in &all {
            let times = all.iter().filter(|(_, other)| other == row).count();
            if times > 1 && !shared.iter().any(|(_, known)| known == row) {
                shared.push((heading.clone(), row.clone()));
            }
        }
        Self(shared)
    }

    fn holds(&self, argument: &Arg) -> bool {
        !argument.is_positional() && self.0.iter().any(|(_, known)| *known == row(argument))
    }

    fn describe(&self, made: &mut String) {
        made.push_str("## Shared options\n\nThese mean the same in each command that takes them.\n\n");
        let mut headings: Vec<&str> = Vec::new();
        for (heading, _) in &self.0 {
            if !headings.contains(&heading.as_str()) {
                headings.push(heading);
            }
        }
        for named in headings {
            let _ = writeln!(made, "| {named} | default | meaning |\n|---|---|---|");
            for (_, row) in self.0.iter().filter(|(heading, _)| heading == named) {
                made.push_str(row);
            }
            made.push('\n');
        }
    }
}

fn describe(command: &Command, level: usize, shared: &Shared, made: &mut String) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let _ = writeln!(
        made,
        "{} `{name}`\n\n{}.\n\n```text\n{usage}\n```\n",
        "#".repeat(level),
        about.trim_end_matches('.')
    );
    let arguments: Vec<&Arg> = command.get_arguments().filter(|argument| is_shown(argument)).collect();
    let mut headings: Vec<&str> = Vec::new();
    for argument in &arguments {
        if !headings.contains(&heading(argument)) {
            headings.push(heading(argument));
        }
    }
    let mut taken = Vec::new();
    for named in headings {
        let of_heading = arguments.iter().copied().filter(|argument| heading(argument) == named);
        let (common, own): (Vec<&Arg>, Vec<&Arg>) = of_heading.partition(|argument| shared.holds(argument));
        taken.extend(common.into_iter().filter_map(Arg::get_long).map(|name| format!("`--{name}`")));
        if !own.is_empty() {
            let rows: String = own.into_iter().map(row).collect();
            let _ = writeln!(made, "| {named} | default | meaning |\n|---|---|---|\n{rows}");
        }
    }
    if !taken.is_empty() {
        let _ = writeln!(made, "Also [shared options](#shared-options): {}.\n", taken.join(", "));
    }
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some(examples) = examples.strip_prefix("Examples:\n") {
        made.push_str("```console\n");
        for example in examples.lines() {
            let example = example.trim();
            // A remark in the help follows at least three spaces.
            let line = match example.rfind("   ") {
                Some(gap) => format!("{} # {}", &example[..=gap + 1], example[gap..].trim()),
                None => example.to_owned(),
            };
            let _ = writeln!(made, "$ {line}");
        }
        made.push_str("```\n\n");
    }
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        describe(command, level + 1, shared, made);
    }
}

/// Whether an option is listed with its command; those of every command are listed once.
fn is_shown(argument: &Arg) -> bool {
    !argument.is_hide_set() && !["help", "version", "verbose"].contains(&argument.get_id().as_str())
}

fn heading(argument: &Arg) -> &str {
    let own = if argument.is_positional() { "argument" } else { "option" };
    argument.get_help_heading().unwrap_or(own)
}

fn row(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut meaning = format!("{}.", help.trim_end_matches('.'));
    let values = argument.get_possible_values();
    let values = values.iter().filter(|value| !value.is_hide_set());
    let values: Vec<String> = values
        .map(|value| {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            let help = help.trim_end_matches('.');
            if help.is_empty() {
                format!("`{}`", value.get_name())
            } else {
                format!("`{}` ({help})", value.get_name())
            }
        })
        .collect();
    if argument.get_action().takes_values() && !values.is_empty() {
        let _ = write!(meaning, " One of {}.", values.join(", "));
    }
    if let Some(variable) = argument.get_env() {
        let _ = write!(meaning, " Variable `{}`.", variable.display());
    }
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .filter(|_| argument.get_action().takes_values())
        .map(|value| format!("`{}`", value.display()))
        .collect();
    let short = argument.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let default = if defaults.is_empty() { "–".to_owned() } else { defaults.join(", ") };
    format!("| {short}`{}` | {default} | {} |\n", cell(&argument.to_string()), cell(&meaning))
}

/// The page lists the variables that `exec` sets for its command, and no others there.
#[test]
fn page_lists_every_variable_of_exec() {
    let chain = |id: u64| json!({ "chainId": id, "rpcUrl": "a", "hook": "b" });
    let given = environment(&json!({
        "baseUrl": "a", "swapBaseUrl": "b", "operatorKey": "c", "controlUrl": "d", "controlToken": "e",
        "chains": [chain(57073), chain(4663)], "accounts": [{ "address": "f", "privateKey": "g" }],
    }));
    let given: BTreeSet<String> = given.into_iter().map(|(name, _)| name).collect();
    let text = read(PAGE);
    let (_, section) = text.split_once("## Variables that `exec` gives\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let first = rows.filter_map(|row| row.split(" | ").next());
    let named: BTreeSet<String> =
        first.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect();
    assert_eq!(named, given);
}
