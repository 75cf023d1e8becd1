//! Where the paths of the services are: for callers that ask the wrong service, or misspell a path.
use std::sync::{Arc, LazyLock};

use serde_json::Value;

/// Most letters by which a path may differ from the one that was meant.
const MOST_LETTERS: usize = 2;

/// The OpenAPI document of a service at an address.
type Document = fn(&str) -> Value;
type Places = LazyLock<Vec<Place>, Box<dyn FnOnce() -> Vec<Place> + Send>>;

/// The paths of every service, with its name and its public address; read from the documents at the first path that no service has.
#[derive(Clone, Debug)]
pub(crate) struct Elsewhere(Arc<Places>);

#[derive(Debug)]
struct Place {
    service: &'static str,
    url: String,
    path: String,
}

impl Elsewhere {
    /// The paths that the documents of these services describe.
    pub(crate) fn of(services: Vec<(&'static str, String, Document)>) -> Self {
        let read = move || {
            let mut places = Vec::new();
            for (service, url, document) in services {
                let document = document("/");
                let paths = document["paths"].as_object().into_iter().flatten();
                places.extend(paths.map(|(path, _)| Place { service, url: url.clone(), path: path.clone() }));
            }
            places
        };
        Self(Arc::new(LazyLock::new(Box::new(read))))
    }

    /// What a service says to a path that it does not have.
    pub(crate) fn told(&self, service: &str, path: &str) -> String {
        const ABSENT: &str = "no such path";
        if let Some(place) = self.0.iter().find(|place| place.service != service && has(&place.path, path)) {
            return format!("{ABSENT}; it is at {}", place.url);
        }
        let distance = |place: &&Place| strsim::damerau_levenshtein(&place.path, path);
        let own = self.0.iter().filter(|place| place.service == service && !place.path.contains('{'));
        match own.min_by_key(distance).filter(|place| distance(place) <= MOST_LETTERS) {
            Some(place) => format!("{ABSENT}; did you mean {}?", place.path),
            None => ABSENT.to_owned(),
        }
    }
}

/// No services.
impl Default for Elsewhere {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

/// Whether a path is of this form, where a part in braces stands for any.
fn has(form: &str, path: &str) -> bool {
    let (mut form, mut path) = (form.split('/'), path.split('/'));
    loop {
        match (form.next(), path.next()) {
            (None, None) => return true,
            (Some(part), Some(given)) if part == given || (part.starts_with('{') && !given.is_empty()) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Elsewhere;

    #[test]
    fn a_path_of_another_service_is_told_and_so_is_the_nearest() {
        let places = Elsewhere::of(vec![
            (
                "rest",
                "http://a:1".to_owned(),
                |_| json!({ "paths": { "/api/tokens": {}, "/cdn/{name}": {} } }),
            ),
            (
                "control",
                "http://a:3".to_owned(),
                |_| json!({ "paths": { "/_sim/clock": {}, "/_sim/faults/{name}": {} } }),
            ),
        ]);
        for (service, path, told) in [
            ("rest", "/_sim/clock", "no such path; it is at http://a:3"),
            ("rest", "/_sim/faults/x", "no such path; it is at http://a:3"),
            ("control", "/api/tokens", "no such path; it is at http://a:1"),
            ("rest", "/api/tokns", "no such path; did you mean /api/tokens?"),
            ("rest", "/_sim/faults/", "no such path"),
            ("rest", "/api/nothing", "no such path"),
        ] {
            assert_eq!(places.told(service, path), told, "{service} {path}");
        }
    }
}
