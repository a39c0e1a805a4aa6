//! Every bound of the library, each with its reason.

/// Bounds that keep any input from costing more than its worth.
///
/// The host raises or lowers them; a plan never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a document: 16 MiB. A plan that a model wrote is far smaller.
    pub document_bytes: usize,
    /// Nesting of every JSON value that enters: 64. Keeps recursion over values safe.
    pub depth: usize,
    /// Nodes of a document: 4 million. Bounds the tree before it is built.
    pub document_nodes: usize,
    /// Steps of a plan: 10,000.
    pub steps: usize,
    /// Attempts of one step: 64.
    pub attempts: u64,
    /// Items of one fan-out: 10,000.
    pub fan_out_items: u64,
    /// Items of all fan-outs of a run together, those of nested ones counted each time: 100,000. The record of each
    /// is kept as long as the run is.
    pub run_items: u64,
    /// Findings of one check: 100; the rest is counted.
    pub findings: usize,
    /// Bytes of an expression: 1,024.
    pub expression_bytes: usize,
    /// Nesting of an expression: 16.
    pub expression_depth: usize,
    /// Operators of an expression: 64.
    pub expression_operators: usize,
    /// Bytes of one value that a step returns: 1 MiB.
    pub value_bytes: usize,
    /// Bytes of everything that the attempts of a run deliver: 1 GiB. It stays in memory as long as the run is driven.
    pub run_output_bytes: u64,
    /// Bytes kept of standard output and standard error: 256 KiB each.
    pub tail_bytes: usize,
    /// Bytes of a derived list (fan-out results, fan-in): 64 MiB.
    pub derived_bytes: usize,
    /// Nodes of a JSON Schema unfolded through `$ref` and applicators: 10,000.
    pub schema_nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: 16 << 20,
            depth: 64,
            document_nodes: 4_000_000,
            steps: 10_000,
            attempts: 64,
            fan_out_items: 10_000,
            run_items: 100_000,
            findings: 100,
            expression_bytes: 1_024,
            expression_depth: 16,
            expression_operators: 64,
            value_bytes: 1 << 20,
            run_output_bytes: 1 << 30,
            tail_bytes: 256 << 10,
            derived_bytes: 64 << 20,
            schema_nodes: 10_000,
        }
    }
}
