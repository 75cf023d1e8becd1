//! What holds for every endpoint: bodies, refusals, methods, credentials, amounts, times, addresses, other origins.
mod endpoints;
mod http_semantics;
mod refusals;
mod values;

use crate::check::{Check, Lane, Need};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "service-json",
        clauses: &["SVC-JSON"],
        summary: "looks at the content type and body of answers and refusals of every endpoint",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(http_semantics::json(world)),
    },
    Check {
        id: "service-refusals",
        clauses: &["SVC-ERR"],
        summary: "has every endpoint refuse and looks at the error bodies and at what they give away",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(refusals::bodies(world)),
    },
    Check {
        id: "service-methods",
        clauses: &["SVC-METHOD"],
        summary: "sends wrong methods to every path and asks for paths that are none",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(refusals::methods(world)),
    },
    Check {
        id: "service-no-credential",
        clauses: &["SVC-NOAUTH"],
        summary: "repeats every read with meaningless Authorization headers and compares",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(http_semantics::no_credential(world)),
    },
    Check {
        id: "service-extra",
        clauses: &["SVC-EXTRA"],
        summary: "repeats every read with parameters and fields that nobody knows and compares",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(http_semantics::extra(world)),
    },
    Check {
        id: "service-amounts",
        clauses: &["SVC-AMOUNT"],
        summary: "looks at the raise of tokens and the amounts of generated quotes",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(values::amounts(world)),
    },
    Check {
        id: "service-times",
        clauses: &["SVC-TIME"],
        summary: "looks at every time in every answer",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(values::times(world)),
    },
    Check {
        id: "service-addresses",
        clauses: &["SVC-ADDR"],
        summary: "repeats every read that takes an address in lower, upper and mixed case and compares",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(values::addresses(world)),
    },
    Check {
        id: "service-other-origins",
        clauses: &["SVC-CORS"],
        summary: "sends preflights and reads as a page of another origin would",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(http_semantics::other_origins(world)),
    },
];
