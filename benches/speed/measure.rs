//! Medians of repeated runs, and the table they end in.

use std::time::{Duration, Instant};

/// Runs per figure; the median is what counts.
const RUNS: usize = 9;
/// Runs per figure of what takes long by itself.
const FEW_RUNS: usize = 3;

/// How often something is run for its figure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effort {
    Usual,
    Long,
}

/// The median time of some runs, after one that is not counted.
pub(crate) fn median(mut work: impl FnMut()) -> Duration {
    beside(Effort::Usual, &mut work, &mut || {}).0
}

/// The median time of few runs of what takes long by itself.
pub(crate) fn median_of_few(mut work: impl FnMut()) -> Duration {
    beside(Effort::Long, &mut work, &mut || {}).0
}

/// The median times of some work and of its peer, run in turns so that both meet the same weather.
pub(crate) fn beside(
    effort: Effort,
    work: &mut dyn FnMut(),
    peer: &mut dyn FnMut(),
) -> (Duration, Duration) {
    let runs = match effort {
        Effort::Usual => RUNS,
        Effort::Long => FEW_RUNS,
    };
    let (mut ours, mut theirs) = (Vec::with_capacity(runs), Vec::with_capacity(runs));
    // the first of each warms up
    for _ in 0..=runs {
        ours.push(timed(work));
        theirs.push(timed(peer));
    }
    (middle(ours), middle(theirs))
}

fn timed(work: &mut dyn FnMut()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.remove(0);
    times.sort_unstable();
    times[times.len() / 2]
}

/// The median of rates.
pub(crate) fn middle_rate(mut rates: Vec<f64>) -> f64 {
    rates.sort_unstable_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// One figure beside what it is measured against.
struct Row {
    name: String,
    figure: String,
    peer: String,
    ratio: String,
    bound: &'static str,
}

/// All figures of one run.
pub(crate) struct Table {
    wanted: Vec<String>,
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn new(wanted: Vec<String>) -> Self {
        Self {
            wanted,
            rows: Vec::new(),
        }
    }

    /// Whether anybody asked for this row.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.wanted.is_empty()
            || self
                .wanted
                .iter()
                .any(|wanted| name.starts_with(wanted.as_str()))
    }

    /// A time that should be small beside a peer's.
    pub(crate) fn time(
        &mut self,
        name: &str,
        ours: Duration,
        peer: (&str, Duration),
        bound: &'static str,
    ) {
        let ratio = ours.as_secs_f64() / peer.1.as_secs_f64();
        self.push(
            name,
            format!("{ours:.2?}"),
            format!("{} {:.2?}", peer.0, peer.1),
            format!("{ratio:.2}x"),
            bound,
        );
    }

    /// A rate that should be large beside a peer's.
    pub(crate) fn rate(&mut self, name: &str, ours: f64, peer: (&str, f64), bound: &'static str) {
        let ratio = ours / peer.1;
        self.push(
            name,
            format!("{ours:.0}/s"),
            format!("{} {:.0}/s", peer.0, peer.1),
            format!("{ratio:.2}x"),
            bound,
        );
    }

    /// An amount of memory that should be small beside a peer's.
    pub(crate) fn kib(&mut self, name: &str, ours: u64, peer: (&str, u64), bound: &'static str) {
        let ratio = ours as f64 / peer.1 as f64;
        self.push(
            name,
            format!("{ours} KiB"),
            format!("{} {} KiB", peer.0, peer.1),
            format!("{ratio:.2}x"),
            bound,
        );
    }

    /// Bytes that should be as many as a peer's, or below a bound.
    pub(crate) fn bytes(&mut self, name: &str, ours: u64, peer: (&str, u64), bound: &'static str) {
        let ratio = ours as f64 / peer.1 as f64;
        self.push(
            name,
            format!("{ours} B"),
            format!("{} {} B", peer.0, peer.1),
            format!("{ratio:.2}x"),
            bound,
        );
    }

    /// A figure with a bound of its own.
    pub(crate) fn figure(&mut self, name: &str, ours: String, bound: &'static str) {
        self.push(name, ours, String::new(), String::new(), bound);
    }

    fn push(
        &mut self,
        name: &str,
        figure: String,
        peer: String,
        ratio: String,
        bound: &'static str,
    ) {
        println!("{name}: {figure} {peer} {ratio}");
        self.rows.push(Row {
            name: name.to_owned(),
            figure,
            peer,
            ratio,
            bound,
        });
    }

    pub(crate) fn print(&self) {
        println!("\n| what | figure | beside | ratio | bound |\n|---|--:|--:|--:|--:|");
        for Row {
            name,
            figure,
            peer,
            ratio,
            bound,
        } in &self.rows
        {
            println!("| {name} | {figure} | {peer} | {ratio} | {bound} |");
        }
    }
}
