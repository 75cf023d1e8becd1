//! Describes inputs and answers of the control plane's calls, for its OpenAPI document.
use serde_json::{Map, Value, json};

use super::{BODY_LIMIT, actions, faults, records, switches, time as timing};
use crate::address;
use crate::services::input::Declared;
use crate::services::openapi::{Operation, Schemas};

fn whole() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn hexadecimal() -> Value {
    json!({ "type": "string", "pattern": "^0x[0-9a-f]*$" })
}

fn address_text() -> Value {
    json!({ "type": "string", "pattern": address::PATTERN })
}

/// The schema of an object with these members, all required.
fn object(members: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let members: Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": members, "required": names })
}

fn ordered<T: Declared>(operation: Operation) -> Operation {
    operation.orders::<T>(BODY_LIMIT)
}

/// The schema of a contract's error in a revert.
pub(super) fn contract_error() -> Value {
    let argument = object(&[("name", text()), ("value", text())]);
    let mut error = object(&[("name", text()), ("arguments", json!({ "type": "array", "items": argument }))]);
    error["description"] =
        "The error of the contract that reverted, with its arguments in order; absent where it is not known."
            .into();
    error
}

fn time() -> Value {
    object(&[("now", whole())])
}

pub(super) fn ready(_: &mut Schemas) -> Operation {
    let chains = json!({ "type": "array", "items": whole() });
    Operation::get("getReady", "Whether both nodes and the store answer")
        .serves("they do", object(&[("ready", json!({ "const": true })), ("chains", chains)]))
        .refuses(503, "a part does not answer")
}

pub(super) fn platform(_: &mut Schemas) -> Operation {
    let account = object(&[("address", address_text()), ("privateKey", hexadecimal())]);
    let contracts = json!({ "type": "object", "additionalProperties": address_text() });
    let chain = object(&[
        ("chainId", whole()),
        ("rpcUrl", text()),
        ("hook", address_text()),
        ("contracts", contracts),
    ]);
    let indexed = ["launches", "blocks", "events", "milliseconds", "eventsPerSecond"];
    let line = object(&[
        ("protocol", whole()),
        ("pid", whole()),
        ("seed", whole()),
        ("clock", text()),
        ("baseUrl", text()),
        ("swapBaseUrl", text()),
        ("controlUrl", text()),
        ("operatorKey", text()),
        ("chains", json!({ "type": "array", "items": chain })),
        ("accounts", json!({ "type": "array", "items": account })),
        ("indexed", object(&indexed.map(|name| (name, whole())))),
    ]);
    Operation::get("getPlatform", "The ready line: addresses, accounts with their keys, credentials")
        .serves("what `slipway up --json` printed", line)
}

pub(super) fn conventions(_: &mut Schemas) -> Operation {
    let members = ["chatMessage", "operatorHeader", "walletMessage", "walletAuthorization"];
    Operation::get("getConventions", "How the platform does what the interface leaves open")
        .serves("texts to sign, with placeholders in braces", object(&members.map(|name| (name, text()))))
}

pub(super) fn clock(_: &mut Schemas) -> Operation {
    Operation::get("getClock", "The time, Unix seconds").serves("the time", time())
}

pub(super) fn advance(_: &mut Schemas) -> Operation {
    let operation = Operation::post("advanceClock", "Moves the clock forward by some seconds");
    ordered::<timing::AdvanceOrder>(operation).serves("the time afterwards", time())
}

pub(super) fn set_clock(_: &mut Schemas) -> Operation {
    let operation = Operation::post("setClock", "Moves the clock forward to a time");
    ordered::<timing::TimeOrder>(operation).serves("the time afterwards", time())
}

pub(super) fn checkpoint(_: &mut Schemas) -> Operation {
    let operation = Operation::post("createCheckpoint", "Remembers everything as it is now");
    ordered::<timing::CheckpointOrder>(operation)
        .serves("its id, never given again", object(&[("id", whole())]))
}

pub(super) fn checkpoints(_: &mut Schemas) -> Operation {
    let name = json!({ "type": ["string", "null"] });
    let row = object(&[("id", whole()), ("name", name), ("at", whole())]);
    let rows = json!({ "type": "array", "items": row });
    Operation::get("listCheckpoints", "The checkpoints to which a revert can return").serves(
        "the checkpoints, and those of an imported platform",
        object(&[("checkpoints", rows.clone()), ("imported", rows)]),
    )
}

pub(super) fn accounts(_: &mut Schemas) -> Operation {
    let balances =
        json!({ "type": "object", "additionalProperties": { "type": "string", "pattern": "^[0-9]+$" } });
    let row = object(&[("address", address_text()), ("balances", balances)]);
    let rows = json!({ "type": "array", "items": row });
    Operation::get("listAccounts", "The funded accounts with what they have, in wei by chain id")
        .serves("the accounts", object(&[("accounts", rows)]))
        .refuses(503, "a chain is out of reach")
}

/// Adds the answer of a funded account's transaction.
fn acted(operation: Operation) -> Operation {
    let members = [("token", address_text()), ("transactionHash", hexadecimal()), ("block", whole())];
    operation
        .serves("what was done", object(&members))
        .refuses(409, "the contract refuses it")
        .refuses(503, "a chain is out of reach")
}

pub(super) fn launch(_: &mut Schemas) -> Operation {
    let operation = Operation::post("launchToken", "Has a funded account launch a token");
    acted(ordered::<actions::LaunchOrder>(operation))
}

pub(super) fn trade(_: &mut Schemas) -> Operation {
    let operation = Operation::post("tradeToken", "Has a funded account trade a token");
    acted(ordered::<actions::TokenOrder>(operation)).refuses(404, "no token has this address")
}

pub(super) fn graduate(_: &mut Schemas) -> Operation {
    let operation = Operation::post("graduateToken", "Has a funded account buy what is left on a curve");
    acted(ordered::<actions::GraduationOrder>(operation).in_path("address", "the token", &address_text()))
        .refuses(404, "no token has this address")
}

pub(super) fn faucet(_: &mut Schemas) -> Operation {
    let operation = Operation::post("sendCoins", "Has a funded account send native coins");
    let members = [("transactionHash", hexadecimal()), ("block", whole())];
    ordered::<actions::CoinsOrder>(operation)
        .serves("what was done", object(&members))
        .refuses(409, "the node refuses it")
        .refuses(503, "a chain is out of reach")
}

pub(super) fn revert(_: &mut Schemas) -> Operation {
    Operation::post("revertToCheckpoint", "Goes back to a checkpoint, as often as wanted; later ones end")
        .in_path("id", "the checkpoint", &whole())
        .serves("its id", object(&[("id", whole())]))
        .refuses(404, "no checkpoint has this id")
}

pub(super) fn discard(_: &mut Schemas) -> Operation {
    Operation::delete("discardCheckpoint", "Discards a checkpoint")
        .in_path("id", "the checkpoint", &whole())
        .serves("its id", object(&[("id", whole())]))
        .refuses(404, "no checkpoint has this id")
        .refuses(410, "the checkpoint is of the platform that was imported")
}

pub(super) fn export(_: &mut Schemas) -> Operation {
    let operation = Operation::post(
        "exportState",
        "Writes everything into a file that `slipway up --import` begins with",
    );
    ordered::<timing::ExportOrder>(operation)
        .serves("the file and its length in bytes", object(&[("file", text()), ("bytes", whole())]))
        .refuses(409, "the file cannot be written, or only the latest blocks are kept")
}

pub(super) fn indexed(_: &mut Schemas) -> Operation {
    Operation::get("waitUntilIndexed", "Answers once a block is indexed")
        .asks::<timing::IndexedParameters>()
        .serves("it is", object(&[("chainId", whole()), ("block", whole())]))
        .refuses(503, "it is not, after ten seconds")
}

pub(super) fn bearer(_: &mut Schemas) -> Operation {
    let operation = Operation::post("issueBearer", "A bearer token that speaks for a wallet");
    ordered::<switches::BearerOrder>(operation).serves("the token", object(&[("token", text())])).stored()
}

pub(super) fn captcha(_: &mut Schemas) -> Operation {
    let operation = Operation::post("mintCaptcha", "A captcha token, valid once");
    ordered::<switches::CaptchaOrder>(operation)
        .serves("the token and its end, Unix seconds", object(&[("token", text()), ("expiresAt", whole())]))
        .stored()
}

pub(super) fn captcha_auth(_: &mut Schemas) -> Operation {
    let operation =
        Operation::post("signCaptchaAuth", "The contracts' CaptchaAuth for one trader and one launch");
    let signed = object(&[("deadline", whole()), ("nonce", hexadecimal()), ("signature", hexadecimal())]);
    ordered::<switches::CaptchaAuthOrder>(operation).serves("the authorisation", signed)
}

fn switched(operation: Operation) -> Operation {
    operation
        .in_path("address", "the token", &address_text())
        .serves(
            "what holds now",
            object(&[("token", address_text()), ("disabled", json!({ "type": "boolean" }))]),
        )
        .refuses(404, "no token has this address")
}

pub(super) fn disable(_: &mut Schemas) -> Operation {
    switched(Operation::put("disableToken", "Hides a token from the usual lists"))
}

pub(super) fn enable(_: &mut Schemas) -> Operation {
    switched(Operation::delete("enableToken", "Shows a token in the usual lists again"))
}

fn paused(operation: Operation) -> Operation {
    let members = [
        ("chainId", whole()),
        ("hook", address_text()),
        ("paused", json!({ "type": "boolean" })),
        ("block", whole()),
    ];
    operation
        .asks::<switches::PauseParameters>()
        .serves("what holds from that block on", object(&members))
        .refuses(409, "the contract refuses it")
}

pub(super) fn pause(_: &mut Schemas) -> Operation {
    paused(Operation::put("pauseCreation", "Pauses the creation of launches by a hook"))
}

pub(super) fn resume(_: &mut Schemas) -> Operation {
    paused(Operation::delete("resumeCreation", "Resumes the creation of launches by a hook"))
}

pub(super) fn journal(_: &mut Schemas) -> Operation {
    let nullable = json!({ "type": ["string", "null"] });
    let entry = object(&[
        ("number", whole()),
        ("at", whole()),
        ("service", text()),
        ("method", text()),
        ("target", text()),
        ("status", whole()),
        ("cause", nullable),
        ("requestId", text()),
        ("microseconds", whole()),
    ]);
    let entries = json!({ "type": "array", "items": entry });
    let journal =
        object(&[("entries", entries), ("last", whole()), ("dropped", json!({ "type": "boolean" }))]);
    Operation::get("getJournal", "The answered requests, with the rule that refused each refused one")
        .asks::<records::JournalParameters>()
        .serves("the entries", journal)
}

fn fault() -> Value {
    let nullable = |known: Value| json!({ "type": ["string", "null"], "enum": known });
    object(&[
        ("service", nullable(json!(["rest", "swap", null]))),
        ("method", json!({ "type": ["string", "null"] })),
        ("path", text()),
        ("nth", whole()),
        ("times", whole()),
        ("effect", json!({ "type": "object" })),
        ("matched", whole()),
        ("hits", whole()),
    ])
}

fn named(operation: Operation) -> Operation {
    operation.in_path("name", "name of the fault", &json!({ "type": "string", "minLength": 1 }))
}

pub(super) fn all_faults(_: &mut Schemas) -> Operation {
    let faults = json!({ "type": "object", "additionalProperties": fault() });
    let unused = json!({ "type": "array", "items": text() });
    Operation::get("listFaults", "The faults by name, and those that have hit nothing yet")
        .serves("the faults", object(&[("faults", faults), ("unused", unused)]))
}

pub(super) fn one_fault(_: &mut Schemas) -> Operation {
    named(Operation::get("getFault", "A fault with what came of it"))
        .serves("the fault", fault())
        .refuses(404, "no fault has this name")
}

pub(super) fn set_fault(_: &mut Schemas) -> Operation {
    let operation = named(Operation::put("setFault", "Orders a fault, in place of one of the same name"));
    ordered::<faults::FaultOrder>(operation).serves("the fault", fault())
}

pub(super) fn remove_fault(_: &mut Schemas) -> Operation {
    named(Operation::delete("removeFault", "Takes a fault back"))
        .serves("what came of it", fault())
        .refuses(404, "no fault has this name")
}

pub(super) fn transaction(_: &mut Schemas) -> Operation {
    let flag = || json!({ "type": "boolean" });
    let optional = |mut schema: Value, members: &[(&str, Value)]| {
        for (name, member) in members {
            schema["properties"][name] = member.clone();
        }
        schema
    };
    let party = optional(object(&[("address", address_text())]), &[("name", text())]);
    let argument = optional(object(&[("name", text()), ("value", text())]), &[("amount", text())]);
    let arguments = json!({ "type": "array", "items": argument });
    let call = optional(
        object(&[
            ("depth", whole()),
            ("kind", text()),
            ("contract", party.clone()),
            ("arguments", arguments.clone()),
            ("gasUsed", whole()),
        ]),
        &[("function", text()), ("selector", hexadecimal()), ("value", text()), ("error", text())],
    );
    let event = optional(object(&[("contract", party), ("arguments", arguments)]), &[("name", text())]);
    let members = [
        ("hash", hexadecimal()),
        ("chainId", whole()),
        ("block", whole()),
        ("succeeded", flag()),
        ("from", address_text()),
        ("value", text()),
        ("gasUsed", whole()),
        ("fee", text()),
        ("calls", json!({ "type": "array", "items": call })),
        ("truncated", flag()),
        ("events", json!({ "type": "array", "items": event })),
        ("eventCount", whole()),
    ];
    Operation::get(
        "getTransaction",
        "A mined transaction in words: its calls, its events, and why it reverted",
    )
    .in_path("hash", "the transaction", &hexadecimal())
    .serves(
        "the transaction",
        optional(object(&members), &[("error", object(&[("text", text())])), ("revert", contract_error())]),
    )
    .refuses(404, "no chain has a mined transaction of this hash")
    .refuses(503, "a chain is out of reach")
}
