//! Typed clients in the languages of those who write programs.
//!
//! A descriptor is the only description of an interface. A [`Plan`] makes of several of them one list of types, each
//! with a name, which every language then renders in its own way.

#[allow(dead_code, reason = "the languages that use all of them follow")]
mod names;
mod plan;

pub use plan::{
    Definition, Plan, PlannedCase, PlannedField, PlannedInterface, PlannedOperation, PlannedType, Source,
    TypeUse,
};
