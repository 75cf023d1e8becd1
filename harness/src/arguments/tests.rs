//! The examples in the help are valid.
use clap::{CommandFactory as _, Parser as _};

use super::Arguments;

/// Every command has examples, and each is a command line that it accepts.
#[test]
fn examples_are_taken() {
    for command in Arguments::command().get_subcommands().filter(|command| !command.is_hide_set()) {
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let mut count = 0;
        for line in examples.lines().skip(1) {
            for part in line.split(';') {
                let part = part.trim().trim_start_matches("eval \"$(").trim_end_matches(")\"");
                let Some(start) = part.find("slipway ") else { continue };
                // Strips what the shell interprets, and the remark.
                let ends = [" > ", " | ", "   "].into_iter().filter_map(|end| part.find(end));
                let words = shlex::split(&part[start..ends.min().unwrap_or(part.len())]).unwrap();
                Arguments::try_parse_from(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
                count += 1;
            }
        }
        assert!(count > 0, "{} has no example", command.get_name());
    }
}
