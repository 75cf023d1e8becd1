//! The client of the control plane, whose calls are in `control.rs`.
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A call of the control plane failed.
#[derive(Debug)]
pub enum ControlError {
    /// It could not be made.
    Transport(minreq::Error),
    /// It was refused.
    Refused {
        /// Status of the answer.
        status: u16,
        /// Its body.
        body: String,
    },
}

impl std::fmt::Display for ControlError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Transport(error) => write!(formatter, "the control plane cannot be reached: {error}"),
            Self::Refused { status, body } => {
                write!(formatter, "the control plane refused ({status}): {body}")
            }
        }
    }
}

impl std::error::Error for ControlError {}

/// Declares the answers of the calls; members are named as in the document.
macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident { $($member:ident: $kind:ty),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(pub $member: $kind),*
        }
    )*};
}
pub(crate) use answers;

/// Declares the calls: name, members, answer, method, path, and which members its query and its body have.
macro_rules! calls {
    ($(
        $(#[$meta:meta])* $name:ident($($member:ident: $kind:ty),*) -> $answer:ident
        = $method:ident $path:literal, query($($query:ident),*) $(, body($($body:ident),*))?;
    )*) => {
        impl Control {$(
            $(#[$meta])*
            pub fn $name(&self, $($member: $kind),*) -> Result<$answer, ControlError> {
                let query = vec![$((stringify!($query), serde_json::json!($query))),*];
                let body: Option<Vec<(&str, Value)>> = None;
                $(let body = body.or(Some(vec![$((stringify!($body), serde_json::json!($body))),*]));)?
                self.call(minreq::Method::$method, &format!($path), query, body)
            }
        )*}
    };
}
pub(crate) use calls;

/// The control plane of a platform.
#[derive(Clone, Debug)]
pub struct Control {
    url: String,
    token: Option<String>,
}

impl Control {
    /// The control plane at an address, and the token that it requires.
    #[must_use]
    pub fn new(url: &str, token: Option<&str>) -> Self {
        Self { url: url.to_owned(), token: token.map(str::to_owned) }
    }

    /// Makes a call, with the members of its query and its body; those without a value are left out.
    pub(crate) fn call<T: DeserializeOwned>(
        &self,
        method: minreq::Method,
        path: &str,
        query: Vec<(&str, Value)>,
        body: Option<Vec<(&str, Value)>>,
    ) -> Result<T, ControlError> {
        let mut request = minreq::Request::new(method, format!("{}{path}", self.url));
        for (name, value) in given(query) {
            request =
                request.with_param(name, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        if let Some(token) = &self.token {
            request = request.with_header("authorization", format!("Bearer {token}"));
        }
        if let Some(body) = body {
            request = request.with_body(Value::from(given(body).collect::<Map<_, _>>()).to_string());
        }
        let answer = request.send().map_err(ControlError::Transport)?;
        let status = answer.status_code;
        let refused = || ControlError::Refused {
            status,
            body: String::from_utf8_lossy(answer.as_bytes()).into_owned(),
        };
        if status != 200 {
            return Err(refused());
        }
        serde_json::from_slice(answer.as_bytes()).map_err(|_| refused())
    }
}

/// The members that have a value, named as in the document.
fn given(members: Vec<(&str, Value)>) -> impl Iterator<Item = (String, Value)> {
    let camel = |name: &str| {
        let mut words = name.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
    };
    members.into_iter().filter(|(_, value)| !value.is_null()).map(move |(name, value)| (camel(name), value))
}
