//! A database as a Worldspace.

mod databases;
