//! A database as a Worldspace.
