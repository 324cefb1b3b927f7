//! What every provider must hold, as checks that are driven by what a provider declares of itself.
