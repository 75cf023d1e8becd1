//! Request bodies: limited in size and time, decoded by their media type.
use std::error::Error;
use std::fmt;
use std::iter::successors;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use futures::StreamExt;
use futures::stream::{self, Fuse};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};

use crate::api::refusal::{Reason, Refusal};

/// Reads a JSON object of at most `limit` bytes from a body whose content type is JSON.
pub(crate) async fn json_object(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<Map<String, Value>, Refusal> {
    if !says_json(headers) {
        return Err(Refusal::unsupported_media("body-content-type", "Content-Type must be application/json"));
    }
    refuse_compressed(headers)?;
    let announced =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    object(&read_bounded(body, limit).await?)
}

/// Parses bytes as a JSON object without duplicate names.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, Refusal> {
    let read: Result<Object, _> = serde_json::from_slice(bytes);
    match read {
        Ok(Object(object)) => Ok(object),
        Err(error) if error.is_data() => {
            Err(Refusal::bad_input("body-json", "the body must be a JSON object without a repeated name")
                .with_details(error.to_string()))
        }
        Err(error) => {
            Err(Refusal::bad_input("body-json", "the body is not JSON").with_details(error.to_string()))
        }
    }
}

/// A JSON object without duplicate names.
struct Object(Map<String, Value>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Object, A::Error> {
                let mut object = Map::new();
                while let Some((name, value)) = members.next_entry::<String, Value>()? {
                    if object.contains_key(&name) {
                        return Err(A::Error::custom(format_args!("{name:?} is sent more than once")));
                    }
                    object.insert(name, value);
                }
                Ok(Object(object))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

fn says_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.map(|value| value.split(';').next().unwrap_or_default().trim());
    essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
}

pub(crate) fn refuse_compressed(headers: &HeaderMap) -> Result<(), Refusal> {
    let packed = headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"));
    if packed {
        return Err(Refusal::unsupported_media(
            "body-encoding",
            "Content-Encoding must be absent or identity",
        ));
    }
    Ok(())
}

/// The bytes of a body, at most `limit`.
pub(crate) async fn read_bounded(body: Body, limit: usize) -> Result<Vec<u8>, Refusal> {
    let mut body = Reading::new(body, limit);
    while body.read().await?.is_some() {}
    Ok(body.bytes)
}

/// A body that is read piece by piece, up to a limit.
pub(crate) struct Reading {
    chunks: Fuse<BodyDataStream>,
    limit: usize,
    pub(crate) bytes: Vec<u8>,
}

impl Reading {
    pub(crate) fn new(body: Body, limit: usize) -> Self {
        Self { chunks: body.into_data_stream().fuse(), limit, bytes: Vec::new() }
    }

    /// Reads the next piece; returns its length, `None` at the end.
    pub(crate) async fn read(&mut self) -> Result<Option<usize>, Refusal> {
        let Some(chunk) = self.chunks.next().await else { return Ok(None) };
        let chunk = chunk.map_err(broken)?;
        if self.bytes.len() + chunk.len() > self.limit {
            return Err(too_large(self.limit));
        }
        self.bytes.extend_from_slice(&chunk);
        Ok(Some(chunk.len()))
    }
}

/// The refusal of a body that arrives too slowly.
pub(crate) fn too_slow() -> Refusal {
    Refusal::new(Reason::TooSlow, "body-slow", "the body took too long to arrive")
}

fn broken(error: axum::Error) -> Refusal {
    let mut causes = successors(Some(&error as &(dyn Error + 'static)), |error| Error::source(*error));
    if causes.any(<dyn Error>::is::<BodyTimeout>) {
        return too_slow();
    }
    Refusal::bad_input("body-broken", "the body ended before it was complete")
}

fn too_large(limit: usize) -> Refusal {
    Refusal::too_large("body-size", format!("the body is larger than {limit} bytes"))
}

/// A body that fails unless it is complete within `limit` of the first read.
pub(crate) fn with_timeout<B>(body: B, limit: Duration) -> Body
where
    B: HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
{
    if body.is_end_stream() {
        return Body::empty();
    }
    let chunks = Body::new(body).into_data_stream();
    Body::from_stream(stream::unfold((chunks, None), move |(mut chunks, end)| async move {
        let end = end.unwrap_or_else(|| Instant::now() + limit);
        let chunk = match timeout_at(end, chunks.next()).await {
            // The limit also applies to a body that trickles in.
            Ok(_) if Instant::now() > end => Err(BodyTimeout.into()),
            Ok(chunk) => chunk?.map_err(axum::BoxError::from),
            Err(_) => Err(BodyTimeout.into()),
        };
        Some((chunk, (chunks, Some(end))))
    }))
}

/// The body was not complete in time.
#[derive(Debug, thiserror::Error)]
#[error("the body took too long to arrive")]
struct BodyTimeout;

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use axum::body::Body;
    use bytes::Bytes;
    use futures::{StreamExt, stream};
    use tokio::time::{Instant, sleep};

    use super::{read_bounded, with_timeout};
    use crate::api::refusal::Reason;

    const LIMIT: Duration = Duration::from_secs(9);

    /// Two bytes a second, this many times, and then silence.
    fn drops(count: usize) -> Body {
        let drops = stream::iter(0..count).then(async |_| {
            sleep(Duration::from_secs(1)).await;
            Ok::<_, Infallible>(Bytes::from_static(b"ab"))
        });
        Body::from_stream(drops)
    }

    #[tokio::test(start_paused = true)]
    async fn trickling_body_times_out() {
        let whole = read_bounded(with_timeout(drops(8), LIMIT), 100).await.unwrap();
        assert_eq!(whole.len(), 16);
        let begun = Instant::now();
        let refusal = read_bounded(with_timeout(drops(usize::MAX), LIMIT), usize::MAX).await.unwrap_err();
        assert_eq!((refusal.reason, refusal.cause), (Reason::TooSlow, "body-slow"));
        assert!(begun.elapsed() <= LIMIT + Duration::from_secs(1));
        let endless = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
        let refusal = read_bounded(with_timeout(endless, LIMIT), 100).await.unwrap_err();
        assert_eq!((refusal.reason, refusal.cause), (Reason::TooSlow, "body-slow"));
    }

    #[tokio::test]
    async fn endless_body_is_refused_at_the_size_limit() {
        let endless =
            Body::from_stream(stream::repeat_with(|| Ok::<_, Infallible>(Bytes::from_static(&[0; 64]))));
        let refusal = read_bounded(endless, 1000).await.unwrap_err();
        assert_eq!((refusal.reason, refusal.cause), (Reason::TooLarge, "body-size"));
    }
}
