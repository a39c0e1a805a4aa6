//! Holding calls back.

use std::sync::Arc;

use tokio::sync::watch;

/// Holds back whoever waits at it until a test opens it. Clones are one gate.
///
/// A test that has seen `n` arrivals knows that `n` calls are under way at once.
#[derive(Debug, Clone)]
pub struct Gate(Arc<Posts>);

#[derive(Debug)]
struct Posts {
    open: watch::Sender<bool>,
    arrived: watch::Sender<usize>,
}

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Posts {
            open: watch::Sender::new(false),
            arrived: watch::Sender::new(0),
        }))
    }
}

impl Gate {
    /// A gate that is shut.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets everybody through, from now on.
    pub fn open(&self) {
        self.0.open.send_replace(true);
    }

    /// Waits until so many have come to the gate, over all time.
    pub async fn arrived(&self, count: usize) {
        let mut arrived = self.0.arrived.subscribe();
        // the sender lives as long as this gate
        let _ = arrived.wait_for(|arrived| *arrived >= count).await;
    }

    /// Comes to the gate, and waits until it is open.
    pub async fn pass(&self) {
        self.0.arrived.send_modify(|arrived| *arrived += 1);
        let mut open = self.0.open.subscribe();
        // the sender lives as long as this gate
        let _ = open.wait_for(|open| *open).await;
    }
}
