//! Placeholder.

use worldspace_host::Interface;
use worldspace_model::Fault;

use crate::sql::shape::Shape;

pub(in crate::sql) fn table(_shape: &Shape) -> Result<Interface, Fault> {
    Interface::builder().build()
}

pub(in crate::sql) fn row(_shape: &Shape) -> Result<Interface, Fault> {
    Interface::builder().build()
}
