//! Arguments of the commands that look something up: `explain`, `show`, `doctor`, and those for packagers.
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{OfflineArgument, PortArgument, PrintArguments};

/// The kind of list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// The checks, each with the defect that kills it.
    Checks,
    /// The clauses, each with its checks.
    Clauses,
    /// The seeded defects, each with the clauses that it breaks.
    Defects,
    /// The legal variants, each with what permits it.
    Variants,
    /// The rules of rehearsals, each with the clause that binds platforms to the same.
    Rules,
    /// The faults that rehearsals inject.
    Faults,
    /// The statements of the interface as a page of Markdown: each with its checks and what it leaves open.
    Statements,
}

impl Listed {
    /// The word for one of the list.
    pub(crate) fn one(self) -> &'static str {
        match self {
            Self::Checks => "check",
            Self::Clauses => "clause",
            Self::Defects => "defect",
            Self::Variants => "variant",
            Self::Rules => "rule",
            Self::Faults => "fault",
            Self::Statements => "statement",
        }
    }
}

#[derive(Args, Debug)]
#[command(override_usage = "slipway explain [OPTIONS] <ID>\n       slipway explain [OPTIONS] --list <KIND>")]
pub(crate) struct ExplainArguments {
    /// Id of a check, a clause, a defect, a variant, a statement, or a rule or fault of rehearsals; the name of a contract's error, or the
    /// data of a revert; a word of the glossary; or the hash of a transaction of the running platform (that of `--port`, else of SLIPWAY_READY, which `exec` sets,
    /// else the one on the usual ports).
    #[arg(required_unless_present = "list")]
    pub(crate) id: Option<String>,
    /// List all of a kind.
    #[arg(long, value_enum, value_name = "KIND", conflicts_with = "id")]
    pub(crate) list: Option<Listed>,
    #[command(flatten)]
    pub(crate) ports: PortArgument,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArguments {
    #[command(subcommand)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Shown {
    /// Print the ABIs of the contracts with their addresses.
    #[command(after_help = "Examples:
  slipway show abi --format typescript > abi.ts
  slipway show abi LaunchHook --format human")]
    Abi(AbiArguments),
    /// Print the OpenAPI document of one of our services.
    #[command(after_help = "Examples:
  slipway show openapi > rest.json
  slipway show openapi swap > swap.json")]
    Openapi(OpenapiArguments),
    /// Print the JSON Schema of the events, of the JSON report, of `slipway.toml` or of another file that a command takes.
    #[command(after_help = "Examples:
  slipway show schema target > slipway.schema.json")]
    Schema(SchemaArguments),
}

/// How an ABI is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AbiFormat {
    /// Objects with name, addresses and ABI.
    Json,
    /// Constants of TypeScript, `as const`.
    Typescript,
    /// Interfaces of Solidity, with libraries of addresses.
    Solidity,
    /// Human-readable signatures, one per line.
    Human,
}

#[derive(Args, Debug)]
pub(crate) struct AbiArguments {
    /// The contract (default: all of them).
    pub(crate) name: Option<String>,
    /// Its format.
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: AbiFormat,
    #[command(flatten)]
    pub(crate) tools: OfflineArgument,
}

/// One of the HTTP services.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServiceArgument {
    /// The REST service.
    Rest,
    /// The swap service.
    Swap,
    /// The control plane.
    Control,
}

#[derive(Args, Debug)]
pub(crate) struct OpenapiArguments {
    /// The service.
    #[arg(value_enum, default_value = "rest")]
    pub(crate) service: ServiceArgument,
}

/// A form with a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaArgument {
    /// A line of `--events`.
    Events,
    /// The object that `--json` prints.
    Report,
    /// The file `slipway.toml`, for editors.
    Target,
    /// The file of `slipway drill --changes`, for editors.
    Changes,
    /// The file of `slipway up --market`, for editors.
    Market,
    /// The file of `slipway play`, for editors.
    Play,
}

#[derive(Args, Debug)]
pub(crate) struct SchemaArguments {
    /// The form.
    #[arg(value_enum)]
    pub(crate) form: SchemaArgument,
}

#[derive(Args, Debug)]
#[command(mut_arg("offline", |offline| offline.requires("install")))]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) ports: PortArgument,
    /// Only wait up to this many seconds until the platform on these ports answers; exit code 3 when it does not.
    #[arg(long, value_name = "SECONDS", conflicts_with = "json")]
    pub(crate) wait: Option<u64>,
    /// Copy anvil and the published contracts into this folder for SLIPWAY_TOOLCHAIN, for machines without npm or network; created if
    /// missing.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "wait", "json"])]
    pub(crate) install: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tools: OfflineArgument,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// Write a page for every command into this folder, instead of printing the first one.
    #[arg(value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}
