//! What an error of the arguments says beyond clap: the current name of a former one, the commands that have an option, the numbers it takes.
use std::error::Error as _;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A former command, and its replacement.
const COMMANDS: [(&str, &str); 15] = [
    ("abi", "it is `slipway show abi`"),
    ("baseline", "`baseline update` is `slipway report baseline`"),
    ("bench", "`bench quotes --kind KIND --command COMMAND` is `slipway quotes bench KIND -- COMMAND`"),
    ("diff", "it is `slipway report diff A B`"),
    ("docs", "each release has the documents as a book, and a checkout has them in docs/"),
    ("fuzz", "Schemathesis generates requests from any OpenAPI document, see docs/how-to/checking.md"),
    ("interface", "it is `slipway explain --list statements`, and `slipway explain S118` for one statement"),
    ("list", "it is `slipway explain --list checks`, and `clauses`, `defects` or `variants` in their place"),
    ("matrix", "it is `slipway drill --all`"),
    ("openapi", "it is `slipway show openapi`"),
    ("ready", "it is `slipway doctor --wait SECONDS`"),
    ("schema", "it is `slipway show schema`"),
    ("toolchain", "it is `slipway doctor --install DIR`"),
    ("vectors", "it is `slipway quotes cases`"),
    ("verify", "it is `slipway drill --verify`, which reads snapshots/proof.json"),
];

/// A former option, and its replacement.
const OPTIONS: [(&str, &str); 20] = [
    ("--command", "the words of the command follow `--`: `slipway quotes bench KIND -- COMMAND`"),
    ("--export-dir", "`--export` takes a folder too, one that exists or a path that ends with /"),
    ("--kind", "the kind is an argument: `slipway quotes bench KIND`"),
    ("--max-wait", "a request waits at most two minutes for the limits of a target"),
    ("--mcp-variable", "the table `[mcp-variables]` of `slipway.toml` holds the names"),
    ("--mcp-variables-file", "the table `[mcp-variables]` of `slipway.toml` holds the names"),
    (
        "--no-cache",
        "what is in the cache of deployed states is made again where it does not load; XDG_CACHE_HOME moves it",
    ),
    ("--no-target-file", "it is `--target-file none`"),
    ("--proof", "`slipway drill --write` writes the proof of the checks, one file"),
    ("--public-url", "it is an option of `slipway up`; a tool server reads SLIPWAY_PUBLIC_URL"),
    ("--ready-file", "it is an option of `slipway up`; `slipway env` takes the file as its argument"),
    ("--report", "it is `slipway quotes bench --write DIR`"),
    ("--rounds", "there are always eleven; `--count` makes them longer"),
    ("--sample", "`slipway drill --only ID --write` makes rows of the proof again"),
    ("--server", "the document names the address of a plain `slipway up`"),
    ("--shard", "no run is split; `--section`, `--only` and `--skip` choose a part"),
    (
        "--show-keys",
        "`slipway up` prints the keys unless other machines reach it; `--json` and the control plane always have them",
    ),
    ("--tests", "docs/tests.md lists the programs, and a run of the tests says which are missing"),
    ("--timeout", "it is `--wait SECONDS`"),
    ("--wire", "blind mutants are gone; `slipway drill` switches on the seeded defects"),
];

/// The error, or one that gives the replacement of a former name, the commands that have the option, or the numbers that it takes.
pub(super) fn explained(
    error: clap::Error,
    definition: &mut clap::Command,
    words: &[OsString],
) -> clap::Error {
    let Some(text) = better(&error, definition) else { return error };
    let mut explained = called(definition, words).error(error.kind(), text);
    for (kind, value) in error.context() {
        explained.insert(kind, value.clone());
    }
    explained
}

fn better(error: &clap::Error, definition: &clap::Command) -> Option<String> {
    let said = |context| match error.get(context) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    };
    let (kind, given, known) = match error.kind() {
        ErrorKind::InvalidSubcommand => ("command", said(ContextKind::InvalidSubcommand)?, &COMMANDS[..]),
        ErrorKind::UnknownArgument => ("option", said(ContextKind::InvalidArg)?, &OPTIONS[..]),
        ErrorKind::ValueValidation => {
            let (value, option) = (said(ContextKind::InvalidValue)?, said(ContextKind::InvalidArg)?);
            let reason = number(&error.source()?.to_string())?;
            return Some(format!("invalid value '{value}' for '{option}': {reason}"));
        }
        _ => return None,
    };
    if let Some((name, now)) = known.iter().find(|(name, _)| name == given) {
        return Some(format!("{kind} `{name}` was removed: {now}"));
    }
    let owners = owners(definition, given);
    (!owners.is_empty()).then(|| {
        format!("{kind} `{given}` is one of `slipway {}`, not of this command", owners.join("`, `slipway "))
    })
}

/// The reason why a number is refused, without the words and the notation of Rust.
fn number(reason: &str) -> Option<String> {
    if let Some((_, range)) = reason.split_once(" is not in ") {
        let (least, most) = range.split_once("..=")?;
        return Some(format!("it takes a number from {least} to {most}"));
    }
    let words = match reason {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "it takes a whole number"
        }
        "number too large to fit in target type" => "the number is too large",
        _ => return None,
    };
    Some(words.to_owned())
}

/// The command that these words call, whose usage an error shows.
fn called(definition: &mut clap::Command, words: &[OsString]) -> clap::Command {
    definition.build();
    let words = words.iter().skip(1).take_while(|word| *word != "--");
    words.fold(&*definition, |command, word| command.find_subcommand(word).unwrap_or(command)).clone()
}

/// The commands that have an option, given as `--name`.
fn owners(definition: &clap::Command, option: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Some(long) = option.strip_prefix("--") else { return found };
    for command in definition.get_subcommands().filter(|command| !command.is_hide_set()) {
        if command.get_arguments().any(|argument| argument.get_long() == Some(long)) {
            found.push(command.get_name().to_owned());
        }
        found.extend(
            owners(command, option).into_iter().map(|inner| format!("{} {inner}", command.get_name())),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::Arguments;
    use super::{COMMANDS, OPTIONS};

    #[test]
    fn an_option_of_other_commands_is_refused_with_their_names() {
        let said = refused(&["slipway", "up", "--only", "list-totals"]);
        assert!(
            said.contains(
                "`--only` is one of `slipway check`, `slipway drill`, `slipway rehearse`, not of this command"
            ),
            "{said}"
        );
        let said = refused(&["slipway", "check", "--count", "7"]);
        assert!(said.contains("`slipway quotes cases`, `slipway quotes bench`"), "{said}");
        let said = refused(&["slipway", "quotes", "bench", "curve", "--only", "x"]);
        assert!(
            said.contains("Usage: slipway quotes bench"),
            "the usage of the command that was called: {said}"
        );
        assert!(refused(&["slipway", "check", "--bogus"]).contains("unexpected argument '--bogus'"));
    }

    fn refused(words: &[&str]) -> String {
        let error = Arguments::read_from(words).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        error.to_string()
    }

    #[test]
    fn former_names_are_refused_with_the_new_ones() {
        for (name, now) in COMMANDS {
            let said = refused(&["slipway", name, "some", "--words"]);
            assert!(said.contains(now), "{said}");
        }
        for (name, now) in OPTIONS {
            for command in
                [&["check"][..], &["drill"], &["quotes", "bench", "curve"], &["show", "openapi"], &["doctor"]]
            {
                let said = refused(&[&["slipway"], command, &[name]].concat());
                assert!(said.contains(now), "{said}");
            }
        }
    }

    /// Every command line in these texts is valid.
    #[test]
    fn the_new_names_exist() {
        let definition = Arguments::definition();
        for (_, now) in COMMANDS.iter().chain(&OPTIONS) {
            for line in now.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("slipway ")) {
                let mut words = line.split(' ').take_while(|word| *word != "--");
                let mut command = definition.find_subcommand(words.next().unwrap()).unwrap();
                for word in words {
                    if let Some(long) = word.strip_prefix("--") {
                        let known = command.get_arguments().any(|argument| argument.get_long() == Some(long));
                        assert!(known, "{now}");
                    } else if let Some(inner) = command.find_subcommand(word) {
                        command = inner;
                    }
                }
            }
        }
    }
}
