//! `[platform]` of `slipway.toml`: every option of `up`, as the command line defines it. The command line and environment variables
//! override the file.
use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use serde_json::{Map, Value, json};
use slipway_sim::MarketPlan;

use crate::arguments::Arguments;
use crate::files::located;
use crate::files::target_file::{self, PlatformTable, TargetFileError};

/// The command whose options the table holds, and those that read it.
const UP: &str = "up";
const COMMANDS: [&str; 3] = [UP, "exec", "env"];

/// An invalid setting: its key, and the reason.
type Wrong = (String, String);

/// The command line of this process, completed from the platform table of this folder's file.
pub(crate) fn arguments() -> Result<Arguments, clap::Error> {
    completed(&std::env::args_os().collect::<Vec<_>>(), target_file::platform)
}

fn completed(
    words: &[OsString],
    found: impl FnOnce() -> Result<Option<PlatformTable>, TargetFileError>,
) -> Result<Arguments, clap::Error> {
    let alone = || Arguments::read_from(words);
    // The file may supply what another option requires.
    let mut definition = Arguments::definition().ignore_errors(true);
    let matches = definition.try_get_matches_from_mut(words).ok();
    let Some((name, given)) = matches.as_ref().and_then(ArgMatches::subcommand) else { return alone() };
    let place = words.iter().skip(1).position(|word| word == name);
    let Some(place) = place.filter(|_| COMMANDS.contains(&name)).map(|place| place + 2) else {
        return alone();
    };
    let refused = |reason: String| Arguments::definition().error(ErrorKind::InvalidValue, reason);
    let Some(file) = found().map_err(|error| refused(error.to_string()))? else { return alone() };
    let of_file = |(key, reason): Wrong| {
        let line = located::line_of(&file.text, ["platform".to_owned(), key].into_iter());
        refused(target_file::FORM.wrong(&file.path, (line, reason)).to_string())
    };
    let folder = file.path.parent().unwrap_or(Path::new(""));
    let added = options(&file.table, &definition, name, given, folder).map_err(of_file)?;
    let whole = words[..place].iter().chain(&added).chain(&words[place..]);
    Arguments::read_from(whole).map_err(|error| match alone() {
        Err(alone) if alone.kind() != ErrorKind::MissingRequiredArgument => alone,
        _ => of_file(wrong(&error)),
    })
}

/// The setting that an error of the command line is about.
fn wrong(error: &clap::Error) -> Wrong {
    let option = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) => option.as_str(),
        Some(ContextValue::Strings(options)) => options.first().map_or("", String::as_str),
        _ => "",
    };
    let key = option.trim_start_matches('-').split([' ', '=']).next().unwrap_or_default();
    let reason = error.to_string();
    let mut lines = reason.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    // The values of an option that takes only some are in the second line.
    let values = lines.next().filter(|line| line.starts_with('[')).map(|line| format!(" {line}"));
    let first = first.strip_prefix("error: ").unwrap_or(first);
    (key.to_owned(), format!("platform: {first}{}", values.unwrap_or_default()))
}

/// The arguments for options that the command line leaves open.
fn options(
    table: &toml::Table,
    definition: &Command,
    name: &str,
    given: &ArgMatches,
    folder: &Path,
) -> Result<Vec<OsString>, Wrong> {
    let command = definition.find_subcommand(name).unwrap_or(definition);
    let given: Vec<&Arg> = command
        .get_arguments()
        .filter(|option| {
            let source = given.value_source(option.get_id().as_str());
            source.is_some_and(|source| source != ValueSource::DefaultValue)
        })
        .collect();
    let excludes = |one: &Arg, other: &Arg| command.get_arg_conflicts_with(one).contains(&other);
    let known: Vec<&str> = up(definition).filter_map(Arg::get_long).collect();
    let mut words = Vec::new();
    for (key, value) in table {
        let wrong = |reason| (key.clone(), reason);
        if !known.contains(&key.as_str()) {
            return Err(wrong(located::no_field("platform", key, known.iter().copied())));
        }
        // Other commands have only some of these options.
        let Some(option) = command.get_arguments().find(|option| option.get_long() == Some(key)) else {
            continue;
        };
        let is_decided =
            |given: &&Arg| *given == option || excludes(option, given) || excludes(given, option);
        if !given.iter().any(is_decided) {
            words.extend(set(key, option, value, folder).map_err(wrong)?);
        }
    }
    Ok(words)
}

/// The options of the table.
fn up(definition: &Command) -> impl Iterator<Item = &Arg> {
    let shown = definition.find_subcommand(UP).into_iter().flat_map(Command::get_arguments);
    shown.filter(|option| {
        !matches!(
            option.get_action(),
            ArgAction::Count | ArgAction::Help | ArgAction::HelpLong | ArgAction::HelpShort
        )
    })
}

/// The arguments for one option.
fn set(key: &str, option: &Arg, value: &toml::Value, folder: &Path) -> Result<Vec<OsString>, String> {
    let values = match (option.get_action(), value) {
        (ArgAction::SetTrue, toml::Value::Boolean(set)) => {
            return Ok(set.then(|| format!("--{key}").into()).into_iter().collect());
        }
        (ArgAction::SetTrue, _) => return Err(format!("platform.{key} takes true or false")),
        (ArgAction::Append, toml::Value::Array(values)) => values.as_slice(),
        (ArgAction::Append, _) => return Err(format!("platform.{key} takes a list")),
        (_, value) => std::slice::from_ref(value),
    };
    let is_path = option.get_value_hint() == ValueHint::AnyPath;
    let word = |value: &toml::Value| {
        let text = match value {
            toml::Value::String(text) if is_path && text.parse::<MarketPlan>().is_err() => {
                folder.join(text).into_os_string()
            }
            toml::Value::String(text) => text.into(),
            toml::Value::Integer(number) => number.to_string().into(),
            _ => return Err(format!("platform.{key} takes text or an integer")),
        };
        Ok([OsString::from(format!("--{key}=")), text].join(OsStr::new("")))
    };
    values.iter().map(word).collect()
}

/// JSON Schema of `slipway.toml` with the options of the table.
pub(crate) fn schema() -> Value {
    let mut schema = target_file::schema();
    let definition = Arguments::definition();
    let members = up(&definition).filter_map(|option| Some((option.get_long()?.to_owned(), member(option))));
    let members: Map<String, Value> = members.collect();
    let table = &mut schema["properties"]["platform"];
    table["properties"] = members.into();
    table["additionalProperties"] = false.into();
    schema
}

fn member(option: &Arg) -> Value {
    let integers = [TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<u64>()];
    let values = option.get_possible_values();
    let one = if integers.iter().any(|integer| option.get_value_parser().type_id() == *integer) {
        json!({ "type": "integer" })
    } else if values.is_empty() {
        json!({ "type": ["string", "integer"] })
    } else {
        json!({ "type": "string", "enum": values.iter().map(clap::builder::PossibleValue::get_name).collect::<Vec<_>>() })
    };
    let mut member = match option.get_action() {
        ArgAction::SetTrue => json!({ "type": "boolean" }),
        ArgAction::Append => json!({ "type": "array", "items": one }),
        _ => one,
    };
    let help = option.get_help().map(ToString::to_string);
    member["description"] = help.unwrap_or_default().into();
    member
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;
    use crate::arguments::Command as Chosen;

    fn read(line: &str, text: &str) -> Result<Arguments, String> {
        let table = toml::from_str(text).unwrap();
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let file = PlatformTable {
            path: "/project/slipway.toml".into(),
            text: format!("[platform]\n{text}"),
            table,
        };
        completed(&words, || Ok(Some(file))).map_err(|error| error.to_string())
    }

    /// Every option of `up` can be set in the table, and is parsed as on the command line.
    #[test]
    fn every_option_of_up_can_be_set() {
        let settings = [
            ("seed", "7", "--seed 7"),
            ("defect", "['list-page-zero']", "--defect list-page-zero"),
            ("offline", "true", "--offline"),
            ("clock", "'fixed'", "--clock fixed"),
            ("no-trailing-blocks", "true", "--no-trailing-blocks"),
            ("market", "'market.toml'", "--market /project/market.toml"),
            ("market", "'empty'", "--market empty"),
            ("market", "50", "--market 50"),
            ("live", "30", "--live 30"),
            ("import", "'a.export'", "--import /project/a.export"),
            ("host", "'0.0.0.0'", "--host 0.0.0.0"),
            (
                "allow-origin",
                "['https://a.example', 'https://b.example']",
                "--allow-origin https://a.example --allow-origin https://b.example",
            ),
            ("public-url", "['https://a.example']", "--public-url https://a.example"),
            ("port", "5000", "--port 5000"),
            ("state", "'state'", "--state /project/state"),
            ("export", "'out/'", "--export /project/out/"),
            ("database-url", "'postgres://a'", "--database-url postgres://a"),
            (
                "attach",
                "'/tmp/ready'\ndatabase-url = 'postgres://a'",
                "--attach /tmp/ready --database-url postgres://a",
            ),
            ("trust-forwarded", "true", "--trust-forwarded"),
            ("standard-limit", "9", "--standard-limit 9"),
            ("no-control", "true", "--no-control"),
            ("control-token", "'t'", "--control-token t"),
            ("operator-key", "'k'", "--operator-key k"),
            ("json", "true", "--json"),
            ("log", "'json'", "--log json"),
            ("quiet", "true", "--quiet"),
            ("ready-file", "'ready'", "--ready-file /project/ready"),
            ("until-eof", "true", "--until-eof"),
        ];
        for (key, value, words) in settings {
            let of_table = read("slipway up", &format!("{key} = {value}"))
                .unwrap_or_else(|error| panic!("{key}: {error}"));
            let of_line = read(&format!("slipway up {words}"), "").unwrap();
            assert_eq!(format!("{of_table:?}"), format!("{of_line:?}"), "{key}");
            assert_ne!(format!("{of_table:?}"), format!("{:?}", read("slipway up", "").unwrap()), "{key}");
        }
        let definition = Arguments::command();
        let known: BTreeSet<&str> = up(&definition).filter_map(Arg::get_long).collect();
        assert_eq!(settings.iter().map(|(key, ..)| *key).collect::<BTreeSet<_>>(), known);
        let schema = schema();
        let described: BTreeSet<&str> = schema["properties"]["platform"]["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(described, known);
    }

    #[test]
    fn the_command_line_overrides_the_table() {
        for (line, table, same) in [
            ("slipway up --port 1", "port = 2\nseed = 3", "slipway up --port 1 --seed 3"),
            ("slipway up --import f", "market = 'empty'", "slipway up --import f"),
            ("slipway -v up --json", "quiet = true\njson = false", "slipway -v up --json --quiet"),
            ("slipway exec -- up --port 9", "port = 2\nseed = 3", "slipway exec --seed 3 -- up --port 9"),
            ("slipway doctor", "port = 2", "slipway doctor"),
        ] {
            assert_eq!(
                format!("{:?}", read(line, table).unwrap()),
                format!("{:?}", read(same, "").unwrap()),
                "{line}"
            );
        }
        // An error on the command line is reported as one of the command line.
        let error = read("slipway up --port x", "seed = 3").unwrap_err();
        assert!(!error.contains("slipway.toml"), "{error}");
        let table = "database-url = 'postgres://a'";
        let attached = read("slipway up --attach f", table).unwrap();
        assert!(
            matches!(attached.command, Chosen::Up(up) if up.database_url.as_deref() == Some("postgres://a"))
        );
        assert!(
            matches!(read("slipway up", "seed = 3").unwrap().command, Chosen::Up(up) if up.serve.platform.seed == 3)
        );
    }

    #[test]
    fn wrong_settings_are_named_with_their_file() {
        for (table, reason) in [
            ("prot = 1", "slipway.toml:2: platform has no field `prot`; did you mean `port`?"),
            ("seed = 1\nport = true", "slipway.toml:3: platform.port takes text or an integer"),
            ("offline = 'yes'", "slipway.toml:2: platform.offline takes true or false"),
            ("defect = 'a'", "slipway.toml:2: platform.defect takes a list"),
            ("clock = \"fixd\"", "for '--clock <CLOCK>' [possible values: "),
            ("seed = 1\nport = 99999", "slipway.toml:3: platform: invalid value '99999' for '--port <PORT>'"),
            (
                "market = 'empty'\nimport = 'a'",
                "slipway.toml:3: platform: the argument '--import <FILE>' cannot be used with",
            ),
        ] {
            let error = read("slipway up", table).unwrap_err();
            assert!(error.contains("/project/slipway.toml:"), "{error}");
            assert!(error.contains(reason), "{reason} is not in {error}");
        }
    }
}
