//! Through the executor.
