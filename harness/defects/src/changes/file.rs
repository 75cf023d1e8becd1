//! A file of changes: its rows as written, and the errors in them.
use std::collections::BTreeSet;

use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use toml::Spanned;

use super::change::{Change, Step, StepError};
use super::edit::{Edit, Scope};
use super::on::{On, OneOrMany};
use super::place::{Place, PlaceError};
use crate::http::acts;
use crate::tool::acts as tool_acts;
use crate::variants::{Ground, Variant};
use crate::{Defect, Layer};

/// Defects and legal variants of a platform: each row changes the platform's answers.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Changes")]
pub(super) struct File {
    /// Changes that break clauses: a check of each must fail.
    #[serde(default)]
    defect: Vec<WrittenDefect>,
    /// Changes that a platform may have: every check must pass.
    #[serde(default)]
    variant: Vec<WrittenVariant>,
}

/// A deliberate fault.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenDefect {
    /// Its name, unique among all changes.
    #[schemars(with = "String")]
    id: Spanned<String>,
    /// Where it is applied.
    layer: Layer,
    /// Clauses whose checks must fail.
    clauses: Vec<String>,
    /// The fault, in one sentence.
    summary: String,
    /// The exchanges that it applies to.
    #[serde(default)]
    on: On,
    /// The place that is changed.
    at: Option<String>,
    /// The change.
    r#do: Edit,
    /// Further changes in the same exchanges.
    #[serde(default)]
    also: Vec<WrittenStep>,
}

/// A legal difference.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenVariant {
    /// Its name, unique among all changes.
    #[schemars(with = "String")]
    id: Spanned<String>,
    /// Where it is applied, one layer or several.
    layer: OneOrMany<Layer>,
    /// The ground that permits it.
    permits: Permits,
    /// The difference, in one sentence.
    summary: String,
    /// Whether it contradicts another variant, so that it is not combined with the others.
    #[serde(default)]
    alone: bool,
    /// The exchanges that it applies to.
    #[serde(default)]
    on: On,
    /// The place that is changed.
    at: Option<String>,
    /// The change.
    r#do: Edit,
    /// Further changes in the same exchanges.
    #[serde(default)]
    also: Vec<WrittenStep>,
}

/// The ground that permits a variant.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Permits {
    /// A clause that is a choice of this project.
    Choice(String),
    /// A public standard, by name and section.
    Standard(String),
    /// A statement of the interface that leaves it open.
    Interface(String),
}

/// A further change.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    /// The place that is changed.
    at: Option<String>,
    /// The change.
    r#do: Edit,
}

/// A file of changes cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: {reason}")]
pub struct FileError {
    /// The file.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The reason.
    pub reason: String,
}

/// Why a row cannot be used.
#[derive(Debug, thiserror::Error)]
enum RowError {
    #[error("`clauses` must name at least one clause, and `summary` must say what is different")]
    Untold,
    #[error("another change has this id")]
    Again,
    #[error("mutated contracts are in contracts/defects.json")]
    Contracts,
    #[error("on.{0} is of another layer")]
    OtherLayer(&'static str),
    #[error("{0:?} is no JSON pointer")]
    Pointer(String),
    #[error("on.{0} is a condition of the answer, and the request is changed before there is one")]
    TooEarly(&'static str),
    #[error("at: {0}")]
    Place(#[from] PlaceError),
    #[error("this change needs a place: at")]
    NoPlace,
    #[error("this change takes no place: at belongs to changes of one value")]
    NeedlessPlace,
    #[error("{0:?} does not end in the name of a member, so nothing can be added there")]
    NoMember(String),
    #[error(transparent)]
    Step(#[from] StepError),
    #[error("do.code is for slipway's own files")]
    Code,
    #[error("no act has the name {0:?}")]
    UnknownAct(String),
}

/// Who wrote a file; only ours may name acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Ours,
    User,
}

/// Defects and variants; they live as long as the program.
#[derive(Debug, Default)]
pub struct Changes {
    /// The changes that break clauses.
    pub defects: Vec<Defect>,
    /// The changes that a platform may have.
    pub variants: Vec<Variant>,
}

impl Changes {
    pub(super) fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.defects.iter().map(|defect| defect.id).chain(self.variants.iter().map(|variant| variant.id))
    }

    /// Appends the changes of another file.
    pub(super) fn extend(&mut self, other: Self) {
        self.defects.extend(other.defects);
        self.variants.extend(other.variants);
    }
}

/// JSON Schema of a file.
pub(super) fn schema() -> serde_json::Value {
    schema_for!(File).to_value()
}

/// Reads a file. Its ids must be unique and must not be among those already taken.
pub(super) fn read(
    name: &'static str,
    text: &str,
    origin: Origin,
    taken: impl Iterator<Item = &'static str>,
) -> Result<Changes, FileError> {
    let line = |offset: usize| 1 + text[..offset].matches('\n').count();
    let failed = |line, reason: String| FileError { file: name.to_owned(), line, reason };
    let file: File = toml::from_str(text).map_err(|error| {
        let line = line(error.span().map_or(0, |span| span.start));
        failed(line, error.message().trim().replace('\n', ", "))
    })?;
    let mut ids: BTreeSet<String> = taken.map(str::to_owned).collect();
    let mut rows = Changes::default();
    for row in file.defect {
        let (id, line) = (row.id.get_ref().clone(), line(row.id.span().start));
        let row = Reader { origin, file: name, line }.defect(row, &mut ids);
        let row = row.map_err(|error| failed(line, format!("{id}: {error}")))?;
        rows.defects.push(row);
    }
    for row in file.variant {
        let (id, line) = (row.id.get_ref().clone(), line(row.id.span().start));
        let row = Reader { origin, file: name, line }.variant(row, &mut ids);
        let row = row.map_err(|error| failed(line, format!("{id}: {error}")))?;
        rows.variants.push(row);
    }
    Ok(rows)
}

/// Leaks a text, so that it lives as long as the rows.
fn kept(text: String) -> &'static str {
    text.leak()
}

fn new_id(id: Spanned<String>, ids: &mut BTreeSet<String>) -> Result<&'static str, RowError> {
    let id = id.into_inner();
    if ids.insert(id.clone()) { Ok(kept(id)) } else { Err(RowError::Again) }
}

/// Reads one row.
#[derive(Clone, Copy)]
struct Reader {
    origin: Origin,
    file: &'static str,
    line: usize,
}

impl Reader {
    fn line(self) -> u32 {
        u32::try_from(self.line).unwrap_or(u32::MAX)
    }

    fn defect(self, row: WrittenDefect, ids: &mut BTreeSet<String>) -> Result<Defect, RowError> {
        let id = new_id(row.id, ids)?;
        if row.clauses.is_empty() || row.summary.is_empty() {
            return Err(RowError::Untold);
        }
        let steps = [WrittenStep { at: row.at, r#do: row.r#do }].into_iter().chain(row.also);
        let change = self.change(&[row.layer], row.on, steps)?;
        Ok(Defect {
            id,
            layer: row.layer,
            summary: kept(row.summary),
            clauses: row.clauses.into_iter().map(kept).collect::<Vec<_>>().leak(),
            file: self.file,
            line: self.line(),
            change: Some(change),
        })
    }

    fn variant(self, row: WrittenVariant, ids: &mut BTreeSet<String>) -> Result<Variant, RowError> {
        let id = new_id(row.id, ids)?;
        let layers: &'static [Layer] = row.layer.as_slice().to_vec().leak();
        if layers.is_empty() || row.summary.is_empty() {
            return Err(RowError::Untold);
        }
        let steps = [WrittenStep { at: row.at, r#do: row.r#do }].into_iter().chain(row.also);
        let change = self.change(layers, row.on, steps)?;
        let rests_on = match row.permits {
            Permits::Choice(clause) => Ground::Choice(kept(clause)),
            Permits::Standard(standard) => Ground::Standard(kept(standard)),
            Permits::Interface(statement) => Ground::Interface(kept(statement)),
        };
        Ok(Variant {
            id,
            layers,
            rests_on,
            summary: kept(row.summary),
            together: !row.alone,
            file: self.file,
            line: self.line(),
            change: Some(change),
        })
    }

    fn change(
        self,
        layers: &[Layer],
        on: On,
        steps: impl Iterator<Item = WrittenStep>,
    ) -> Result<&'static Change, RowError> {
        if layers.contains(&Layer::Chain) {
            return Err(RowError::Contracts);
        }
        judge_conditions(layers, &on)?;
        let steps = steps.map(|step| self.step(layers, &on, step)).collect::<Result<Vec<_>, _>>()?;
        let early = steps.iter().any(Step::is_of_request);
        match on.condition_of_answer().filter(|_| early) {
            Some(condition) => Err(RowError::TooEarly(condition)),
            None => Ok(Box::leak(Box::new(Change { on, steps, has_changed: false.into() }))),
        }
    }

    fn step(self, layers: &[Layer], on: &On, step: WrittenStep) -> Result<Step, RowError> {
        let edit = step.r#do;
        match (edit.scope(), step.at) {
            (Scope::Value, None) => Err(RowError::NoPlace),
            (Scope::Value, Some(at)) => {
                let place: Place = at.parse()?;
                if edit.can_add() && !place.can_be_added_to() {
                    Err(RowError::NoMember(at))
                } else {
                    Ok(Step::Value(place, edit))
                }
            }
            (_, Some(_)) => Err(RowError::NeedlessPlace),
            (_, None) => match edit {
                Edit::Code(_) if self.origin == Origin::User => Err(RowError::Code),
                Edit::Code(name) => named(layers, &name).ok_or(RowError::UnknownAct(name)),
                edit => Ok(Step::of_whole(edit, on)?),
            },
        }
    }
}

/// The step that runs the code of this name.
fn named(layers: &[Layer], name: &str) -> Option<Step> {
    let of_tool_server = (layers == [Layer::ToolServer]).then(|| tool_acts::named(name)).flatten();
    of_tool_server.map(Step::Tool).or_else(|| acts::named(name).map(Step::Act))
}

/// Checks that the layer knows each condition and that each pointer is valid.
fn judge_conditions(layers: &[Layer], on: &On) -> Result<(), RowError> {
    let is_tool_server = layers == [Layer::ToolServer];
    let of_others = [
        ("rpc", on.rpc.is_some() && !is_tool_server && layers != [Layer::Node]),
        ("tool", on.tool.is_some() && !is_tool_server),
        ("message", on.message.is_some() && !is_tool_server),
    ];
    if let Some((condition, _)) = of_others.into_iter().find(|(_, is_other)| *is_other) {
        return Err(RowError::OtherLayer(condition));
    }
    let pointers = on.request.keys().chain(on.answer.keys());
    match pointers.into_iter().find(|pointer| !pointer.is_empty() && !pointer.starts_with('/')) {
        Some(pointer) => Err(RowError::Pointer(pointer.clone())),
        None => Ok(()),
    }
}
