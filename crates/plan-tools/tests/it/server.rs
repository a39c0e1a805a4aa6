//! A server on loopback that answers as a test says, and keeps what it was asked.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use plan_tools::HostLookup;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// A request, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Received {
    /// Method and target.
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// What comes back.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes, and then nothing more on an open connection.
    AndHang(Vec<u8>),
    /// These bytes, and then this piece for ever.
    AndRepeat(Vec<u8>, Vec<u8>),
}

impl Reply {
    /// An answer with a status line such as `200 OK`, headers, and a body of a stated length.
    pub(crate) fn new(status: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut head = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n",
            body.len()
        );
        let lines = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"));
        head.extend(lines);
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        Self::Bytes(bytes)
    }

    pub(crate) fn json(body: &str) -> Self {
        Self::new("200 OK", &[("content-type", "application/json")], body)
    }

    pub(crate) fn redirect(status: &str, to: &str) -> Self {
        Self::new(status, &[("location", to)], "")
    }
}

/// The server; it ends with the runtime of its test.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    pub(crate) connections: Arc<AtomicUsize>,
    /// One word for each connection that the other side closed.
    pub(crate) closed: mpsc::UnboundedReceiver<()>,
}

impl Server {
    pub(crate) async fn start(answer: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (received, connections) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
        let (closing, closed) = mpsc::unbounded_channel();
        let (kept, counted, answer) = (
            Arc::clone(&received),
            Arc::clone(&connections),
            Arc::new(answer),
        );
        tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    return;
                };
                counted.fetch_add(1, Ordering::SeqCst);
                let (kept, answer, closing) =
                    (Arc::clone(&kept), Arc::clone(&answer), closing.clone());
                tokio::spawn(async move {
                    let _ = serve(stream, &kept, &*answer).await;
                    let _ = closing.send(());
                });
            }
        });
        Self {
            address,
            received,
            connections,
            closed,
        }
    }

    /// The server at a path, by its address.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The server at a path, by a name.
    pub(crate) fn named(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.address.port())
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(
    mut stream: TcpStream,
    kept: &Mutex<Vec<Received>>,
    answer: &(dyn Fn(&Received) -> Reply + Send + Sync),
) -> io::Result<()> {
    let received = request(&mut stream).await?;
    let reply = answer(&received);
    kept.lock().unwrap().push(received);
    match reply {
        Reply::Bytes(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await
        }
        Reply::AndHang(bytes) => {
            stream.write_all(&bytes).await?;
            // ends when the other side does
            let mut rest = [0; 64];
            while stream.read(&mut rest).await? > 0 {}
            Ok(())
        }
        Reply::AndRepeat(bytes, piece) => {
            stream.write_all(&bytes).await?;
            loop {
                stream.write_all(&piece).await?;
            }
        }
    }
}

async fn request(stream: &mut TcpStream) -> io::Result<Received> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.split("\r\n");
    let line = lines
        .next()
        .unwrap()
        .trim_end_matches(" HTTP/1.1")
        .to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers
        .get("content-length")
        .map_or(0, |length| length.parse().unwrap());
    while bytes.len() < head + 4 + length {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(Received {
        line,
        headers,
        body: String::from_utf8_lossy(&bytes[head + 4..]).into_owned(),
    })
}

/// Finds what a test says, and counts how often it was asked.
#[derive(Debug, Default)]
pub(crate) struct Found {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Found {
    /// Each lookup finds the next of these; after the last one, that again.
    pub(crate) fn each(answers: &[&[&str]]) -> Arc<Self> {
        let read = |addresses: &&[&str]| addresses.iter().map(|one| one.parse().unwrap()).collect();
        Arc::new(Self {
            answers: Mutex::new(answers.iter().map(read).collect()),
            asked: AtomicUsize::new(0),
        })
    }

    /// Every host is this machine.
    pub(crate) fn here() -> Arc<Self> {
        Self::each(&[&["127.0.0.1"]])
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Never finds anything, and never says so.
#[derive(Debug)]
pub(crate) struct Lost;

#[async_trait]
impl HostLookup for Lost {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        std::future::pending().await
    }
}

#[async_trait]
impl HostLookup for Found {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let at = self.asked.fetch_add(1, Ordering::SeqCst);
        let answers = self.answers.lock().unwrap();
        let found = answers.get(at).or(answers.last());
        found.cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
