//! A directory as a Worldspace.

#[cfg(target_os = "linux")]
mod contending;
mod finding;
#[cfg(target_os = "linux")]
mod hostile;
mod leaving;
mod listing;
mod publishing;
#[cfg(target_os = "linux")]
mod racing;
mod reading;
mod root;
mod state;
mod world;
mod writing;
