//! Limits of one element against finite differences.
