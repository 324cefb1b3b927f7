//! The space against a naive model, and what an observation costs.
