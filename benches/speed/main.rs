//! How fast Planwright is, as ratios to a limit or a peer measured in the same run.
//!
//! `cargo bench` prints one table; `cargo bench -- check` only the rows whose
//! name begins so.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a bench prints, and stops at the first surprise"
)]

mod check;
mod growth;
mod measure;
mod memory;
mod peak;
mod plans;
mod reopen;
mod simulated;
mod sqlite;
mod walker;

use measure::Table;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if let [first, rest @ ..] = arguments.as_slice()
        && first == peak::ASKED
    {
        peak::answer(rest);
        return;
    }
    let mut table = Table::new(arguments);
    check::rows(&mut table);
    peak::rows(&mut table);
    memory::rows(&mut table);
    growth::rows(&mut table);
    sqlite::rows(&mut table);
    reopen::rows(&mut table);
    simulated::rows(&mut table);
    table.print();
}
