//! An interface that has none yet.

#[interface(name = "marker")]
trait Marker {}
