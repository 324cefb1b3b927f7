//! Bad input, live: everything that the vectors reject, and worse, at a server that must answer it rightly, tell nobody
//! what is not theirs, and go on. What they accept goes through the same server and comes back canonical.

mod descriptors;
mod metadata;
mod names;
mod raw;
mod requests;
mod secrets;
mod values;
mod vector;
mod verdict;
