//! What answers of limited endpoints report, and the kind of their windows.
use crate::prelude::*;
use crate::sections::{chat, referral};

clause! {
    SVC_LIMITS = "SVC-LIMITS" (choice S313, S316, S317, S318, S319):
        "Answers of a limited endpoint have X-RateLimit headers, a refusal reports when to retry, and windows slide.";
    check!("service-limits-of-chat" [Exclusive; Rest, Control] chat::rate:
        "posts up to the limit of an address and looks at headers, Retry-After and the end of the window");
    check!("service-limits-of-referrals" [Exclusive; Rest, Control] referral::of_reads:
        "reads stats and leaderboard up to their limits and looks at headers, Retry-After and the end of the window");
}
