//! A database as a Worldspace.

mod contending;
mod databases;
mod paging;
mod suite;
mod whole;
mod world;
