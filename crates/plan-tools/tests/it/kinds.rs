//! Kinds of a host.
