//! The client of a tool: no redirects of its own, no proxy, no cookies, connections to checked addresses alone.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::Client;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::lookup::Checked;

/// The most time until a connection stands, its host looked up and its handshake made.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an idle connection is kept.
const IDLE: Duration = Duration::from_secs(30);

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoClient {
    #[error("no secure connections can be made: {0}")]
    Tls(#[from] rustls::Error),
    #[error("the client cannot be made: {0}")]
    Client(#[from] reqwest::Error),
}

/// Makes a client for calls of at most `limit`. Reads the certificates of the system the first time.
///
/// A connection has a part of that: a call that was never sent says so, as long as it has time to.
///
/// # Errors
/// When the parts of the client do not fit each other.
pub(super) fn client(checked: Checked, limit: Duration) -> Result<Client, NoClient> {
    static TLS: OnceLock<Result<ClientConfig, rustls::Error>> = OnceLock::new();
    let tls = TLS.get_or_init(tls).clone()?;
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(Arc::new(checked))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT.min(limit / 4 * 3))
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(4)
        .user_agent(concat!("planwright/", env!("CARGO_PKG_VERSION")))
        .build()?;
    Ok(client)
}

/// TLS 1.2 and 1.3 by ring, under the roots that the system trusts.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = || {
        ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
    };
    match versions()?.with_platform_verifier() {
        Ok(builder) => Ok(builder.with_no_client_auth()),
        Err(error) => {
            // plain HTTP goes on, and every handshake fails
            tracing::warn!(%error, "the system has no certificates to trust");
            let nobody = RootCertStore::empty();
            Ok(versions()?
                .with_root_certificates(nobody)
                .with_no_client_auth())
        }
    }
}
