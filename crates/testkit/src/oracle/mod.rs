//! A provider that logs every effect durably, and fails, hangs, panics or answers nonsense where it is told to.
