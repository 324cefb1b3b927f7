//! A database as a Worldspace.

mod alike;
mod asking;
mod choosing;
mod comparing;
mod contending;
mod databases;
mod filtering;
mod frequent;
mod guarding;
mod injection;
mod paging;
mod ruling;
mod suite;
mod vast;
mod whole;
mod world;
mod writing;
