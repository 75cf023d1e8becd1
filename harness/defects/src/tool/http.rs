//! A proxy of the wrapper on this machine, in front of an address that the server is given.
use std::sync::Arc;

use bytes::Bytes;
use hyper::Response;
use tokio::net::TcpListener;
use url::Url;

use super::WrapperError;
use crate::http::body::{ProxyBody, broken_off};
use crate::http::{ExchangeError, HostHeader, Rule, Servers, Upstream};

fn failed(error: impl ToString) -> WrapperError {
    WrapperError::Proxy { reason: error.to_string() }
}

pub(super) fn upstream(url: &Url) -> Result<Upstream, WrapperError> {
    Upstream::new(url.clone(), HostHeader::Service).map_err(failed)
}

/// Listens on a free port in front of an address; returns the address of the proxy.
pub(super) async fn listen<R: Rule>(
    servers: &mut Servers,
    url: &Url,
    rule: &Arc<R>,
) -> Result<Url, WrapperError> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
    let proxy = listener.local_addr().map_err(failed)?;
    servers.add(listener, upstream(url)?, Arc::clone(rule));
    let mut local = url.clone();
    // An http address with a host can change both.
    let _ = local
        .set_scheme("http")
        .and_then(|()| local.set_ip_host(proxy.ip()))
        .and_then(|()| local.set_port(Some(proxy.port())));
    Ok(local)
}

/// The response, or one that breaks off before its first byte if there is none.
pub(super) fn promised(
    response: Result<Response<ProxyBody>, ExchangeError>,
) -> Result<Response<ProxyBody>, ExchangeError> {
    response.or_else(|_| Ok(Response::new(broken_off(Bytes::new()))))
}
