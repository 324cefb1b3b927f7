//! A database as a Worldspace.

mod asking;
mod choosing;
mod contending;
mod databases;
mod guarding;
mod injection;
mod paging;
mod suite;
mod whole;
mod world;
mod writing;
