//! A connection to the service behind the proxy: requests and responses pass unchanged, down to the case of header names.
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls_platform_verifier::ConfigVerifierExt as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;
use url::Url;

use super::body::ProxyBody;

/// Connection timeout.
const CONNECT: Duration = Duration::from_secs(10);
/// How long to wait for a used connection to be ready for the next request.
const REUSE: Duration = Duration::from_millis(100);

/// Which `Host` header a service receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostHeader {
    /// The client's: the service knows the proxy's address as its own.
    Client,
    /// The service's: it runs elsewhere and does not know of the proxy.
    Service,
}

/// The address of a service, and how to connect to it.
#[derive(Clone)]
pub struct Upstream {
    url: Url,
    host: Option<HeaderValue>,
    tls: Option<Arc<ClientConfig>>,
}

/// Why the service could not be reached.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UpstreamError(String);

/// Why an exchange has no response; the client's connection is closed, or it gets a 502.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The service gave no response.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    /// A body broke off.
    #[error(transparent)]
    Body(#[from] hyper::Error),
    /// A body exceeds the size limit.
    #[error("the response is larger than {} MiB", crate::LARGEST_RESPONSE >> 20)]
    TooLarge,
    /// A body that must be JSON is not.
    #[error("the response is not JSON")]
    NotJson,
}

/// One connection, opened on first use and again after the service has closed it.
#[derive(Default)]
pub(in crate::http) struct Connection(Option<SendRequest<ProxyBody>>);

impl Upstream {
    /// The service at this address.
    ///
    /// # Errors
    /// If the address has no host, or the certificates of this machine cannot be read.
    pub fn new(url: Url, host: HostHeader) -> Result<Self, UpstreamError> {
        if !url.has_host() {
            return Err(UpstreamError(format!("{url} names no host")));
        }
        let tls = match url.scheme() {
            "https" => {
                slipway_contracts::prepare_http();
                let mut config = ClientConfig::with_platform_verifier()
                    .map_err(|error| UpstreamError(format!("certificates cannot be checked: {error}")))?;
                config.alpn_protocols = vec![b"http/1.1".to_vec()];
                Some(Arc::new(config))
            }
            _ => None,
        };
        let named = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let host = match host {
            HostHeader::Client => None,
            HostHeader::Service => HeaderValue::try_from(named).ok(),
        };
        Ok(Self { url, host, tls })
    }

    async fn connect(&self) -> Result<SendRequest<ProxyBody>, UpstreamError> {
        let failed = |error| UpstreamError(format!("{} cannot be reached: {error}", self.url));
        let stream = timeout(CONNECT, self.stream()).await;
        let stream = stream.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(failed)?;
        let handshake = Builder::new()
            .preserve_header_case(true)
            .max_headers(super::HEADERS)
            .max_buf_size(super::HEAD_LIMIT)
            .handshake(TokioIo::new(stream));
        let (sender, connection) = handshake.await.map_err(|error| self.no_response(&error))?;
        // It ends when its sender is dropped and the last response is read.
        tokio::spawn(async move {
            if let Err(error) = connection.with_upgrades().await {
                tracing::debug!(%error, "a connection to a service broke off");
            }
        });
        Ok(sender)
    }

    fn no_response(&self, error: &hyper::Error) -> UpstreamError {
        UpstreamError(format!("{} gave no response: {error}", self.url))
    }

    async fn stream(&self) -> io::Result<Box<dyn Stream>> {
        // An IPv6 host is in brackets in a URL.
        let host = self.url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let port = self.url.port_or_known_default().unwrap_or(80);
        let stream = TcpStream::connect((host, port)).await?;
        stream.set_nodelay(true)?;
        let Some(config) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        Ok(Box::new(TlsConnector::from(Arc::clone(config)).connect(name, stream).await?))
    }

    /// Sends a request over a new connection.
    ///
    /// # Errors
    /// If the service cannot be reached or gives no response.
    pub async fn send(&self, request: Request<ProxyBody>) -> Result<Response<Incoming>, UpstreamError> {
        self.send_on(&mut Connection::default(), request).await
    }

    /// Sends a request over the connection; if the service had closed it before the request was written, sends it over a new one.
    pub(in crate::http) async fn send_on(
        &self,
        connection: &mut Connection,
        mut request: Request<ProxyBody>,
    ) -> Result<Response<Incoming>, UpstreamError> {
        if let Some(host) = self.host.clone().filter(|_| request.headers().contains_key(HOST)) {
            request.headers_mut().insert(HOST, host);
        }
        let mut used = connection.0.take();
        if let Some(sender) = &mut used
            && !matches!(timeout(REUSE, sender.ready()).await, Ok(Ok(())))
        {
            used = None;
        }
        let mut again = used.is_some();
        let mut sender = match used {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        loop {
            match sender.try_send_request(request).await {
                Ok(response) => {
                    connection.0 = Some(sender);
                    return Ok(response);
                }
                Err(mut error) => match error.take_message() {
                    Some(unsent) if again => {
                        again = false;
                        request = unsent;
                        sender = self.connect().await?;
                    }
                    _ => return Err(self.no_response(&error.into_error())),
                },
            }
        }
    }
}

/// A plain or an encrypted connection.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}
