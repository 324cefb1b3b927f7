//! A database as a Worldspace.

mod contending;
mod databases;
mod suite;
mod paging;
mod world;
