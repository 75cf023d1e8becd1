//! The secrets of addresses: passwords, values of queries, and the keys in the paths of RPC URLs.

/// Path segments of RPC URLs that are not API keys, in lower case.
const PATH_WORDS: [&str; 15] = [
    "api", "archive", "chain", "eth", "ethereum", "evm", "http", "ink", "jsonrpc", "json-rpc", "mainnet",
    "node", "public", "rpc", "testnet",
];

/// Secrets in the path of an RPC URL: every segment except the few words and version numbers of public paths. Of a parameter, only the
/// value is secret.
pub fn path_secrets(path: &str) -> impl Iterator<Item = &str> {
    let pieces = path.split(['/', ';', ',', '&']);
    let values = pieces.map(|piece| piece.split_once(['=', ':']).map_or(piece, |(_, value)| value));
    values.filter(|value| !value.is_empty() && !is_path_word(value))
}

/// Secrets of a query: the value of every parameter.
fn query_secrets(query: &str) -> impl Iterator<Item = &str> {
    let values = query.split(['&', ';']).map(|piece| piece.split_once('=').map_or(piece, |(_, value)| value));
    values.filter(|value| !value.is_empty() && !is_path_word(value))
}

/// Whether a segment is a common word, a version such as `v3`, or a chain id.
fn is_path_word(segment: &str) -> bool {
    let segment = segment.to_ascii_lowercase();
    let is_number =
        |text: &str| (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    PATH_WORDS.contains(&segment.as_str()) || is_number(segment.strip_prefix('v').unwrap_or(&segment))
}

/// The secrets of an address, which may be malformed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets<'text> {
    /// Whether it names a user.
    pub has_user: bool,
    /// Its password (or its user, if there is no password), the values of its query and, of an RPC URL, the keys in its path.
    pub parts: Vec<&'text str>,
}

/// Finds the secrets of an address.
#[must_use]
pub fn secrets(address: &str, is_rpc: bool) -> Secrets<'_> {
    let rest = address.split_once(':').map_or("", |(_, rest)| rest).trim_start_matches(['/', '\\']);
    let mut end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let port = rest[..end].rsplit_once(':').map_or("", |(_, port)| port);
    if !rest[..end].contains('@') && port.parse::<u16>().is_err() && !port.is_empty() {
        // An unescaped slash in a password ends the host too early.
        let whole = rest.rfind('@').unwrap_or(end).max(end);
        end = rest[whole..].find(['/', '\\', '?', '#']).map_or(rest.len(), |length| whole + length);
    }
    let (authority, rest) = rest.split_at(end);
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    let password = user.and_then(|user| user.split_once(':')).map(|(_, password)| password);
    let password = password.filter(|password| !password.is_empty());
    let password = password.or_else(|| user.map(|user| user.trim_end_matches(':')));
    let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let of_path = path_secrets(path).filter(|_| is_rpc);
    let parts = password.into_iter().filter(|password| !password.is_empty());
    Secrets { has_user: user.is_some(), parts: parts.chain(of_path).chain(query_secrets(query)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_secrets_are_all_segments_but_common_words() {
        for (path, secrets) in [
            ("/v3/abcdef0123456789", vec!["abcdef0123456789"]),
            ("/v2/1234567890123456/eth", vec!["1234567890123456"]),
            ("/hunter/rpc/RPC/", vec!["hunter"]),
            ("/rpc;apiKey=short1/eth", vec!["short1"]),
            ("/rpc/access_token:hunter/", vec!["hunter"]),
            ("/rpc/chain=57073", vec![]),
            ("/ethereum/mainnet/v1/57073/json-rpc", vec![]),
            ("/", vec![]),
        ] {
            assert_eq!(path_secrets(path).collect::<Vec<_>>(), secrets, "{path}");
        }
    }

    #[test]
    fn passwords_queries_and_paths_of_nodes_are_secret() {
        for (address, is_rpc, has_user, parts) in [
            ("http://u:S3cretPw@host:80/api/tokens", false, true, vec!["S3cretPw"]),
            ("http://u:S3cretPw@host/key/S3cretKey1", true, true, vec!["S3cretPw", "key", "S3cretKey1"]),
            ("https://only-a-key@host", false, true, vec!["only-a-key"]),
            ("https://only-a-key:@host", false, true, vec!["only-a-key"]),
            ("https://host/?apikey=abcdef&chain=57073#top", false, false, vec!["abcdef"]),
            ("https://host?abcdef", false, false, vec!["abcdef"]),
            ("http:/u:S3cretPw@host", false, true, vec!["S3cretPw"]),
            ("http://u:S3cret/Pw@host/x", false, true, vec!["S3cret/Pw"]),
            ("http://host:80/@x", false, false, vec![]),
            ("http://127.0.0.1:4703/", true, false, vec![]),
            ("no address", true, false, vec![]),
        ] {
            assert_eq!(secrets(address, is_rpc), Secrets { has_user, parts }, "{address}");
        }
    }
}
