//! From the name of a host to addresses that may be connected to.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::{self, Place};

/// Finds the addresses of hosts: the system's resolver, or a host's own.
#[async_trait]
pub trait HostLookup: fmt::Debug + Send + Sync {
    /// The addresses of a host.
    ///
    /// # Errors
    /// When it has none, or nobody could be asked.
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the system.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SystemLookup;

#[async_trait]
impl HostLookup for SystemLookup {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((host, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Why no connection was even tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LookupRefused {
    #[error(
        "`{host}` is at the private address {address}; `allow_private: true` in the tool's config opens it"
    )]
    Private { host: String, address: IpAddr },
    #[error("`{host}` is at {address}, an address that is never called")]
    Never { host: String, address: IpAddr },
    #[error("the host `{host}` has no address: {why}")]
    Unknown { host: String, why: String },
}

/// Whether an address may be connected to.
///
/// # Errors
/// Why not.
pub(super) fn permit(
    host: &str,
    address: IpAddr,
    allow_private: bool,
) -> Result<(), LookupRefused> {
    match address::place(address) {
        Place::Public => Ok(()),
        Place::Private if allow_private => Ok(()),
        Place::Private => Err(LookupRefused::Private {
            host: host.to_owned(),
            address,
        }),
        Place::Never => Err(LookupRefused::Never {
            host: host.to_owned(),
            address,
        }),
    }
}

/// What the client connects by: it is given addresses that were looked at, and no others.
///
/// One address of a host that may not be called refuses the host: a name that is here and there at once means no good.
#[derive(Debug, Clone)]
pub(super) struct Checked {
    pub(super) lookup: Arc<dyn HostLookup>,
    pub(super) allow_private: bool,
}

impl Checked {
    async fn addresses(self, host: String) -> Result<Vec<IpAddr>, LookupRefused> {
        let unknown = |why: String| LookupRefused::Unknown {
            host: host.clone(),
            why,
        };
        let found = self.lookup.addresses(&host).await;
        let found = found.map_err(|error| unknown(error.to_string()))?;
        if found.is_empty() {
            return Err(unknown("nothing was found".to_owned()));
        }
        for address in &found {
            permit(&host, *address, self.allow_private)?;
        }
        Ok(found)
    }
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let (checked, host) = (self.clone(), name.as_str().to_owned());
        Box::pin(async move {
            let found = checked.addresses(host).await?;
            let found = found.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(found) as Addrs)
        })
    }
}

fn _is_object_safe(_: &dyn HostLookup) {}
