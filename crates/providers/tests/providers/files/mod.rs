//! A directory as a Worldspace.

mod finding;
mod hostile;
mod listing;
mod publishing;
mod racing;
mod reading;
mod state;
mod world;
