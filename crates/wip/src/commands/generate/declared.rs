//! The interfaces of an IDL file.

use worldspace_idl::{DeclaredInterface, DeclaredName};

use crate::commands::idl::diagnostics::{Wrong, checked};
use crate::commands::idl::files::Files;
use crate::failure::Failure;
use crate::screen::Screen;

use super::Interface;

/// The interfaces that a sound file declares, in its order; none where it is not sound, which has been told then.
pub(in crate::commands) fn of_file(screen: &Screen, file: &str) -> Result<Option<Vec<Interface>>, Failure> {
    let mut wrong = Wrong::default();
    let checked = checked(&mut Files::default(), &mut wrong, file);
    match checked {
        Some(checked) if wrong.is_empty() => {
            Ok(Some(checked.interfaces.into_iter().map(interface).collect()))
        }
        _ => wrong.tell(screen).map(|()| None),
    }
}

fn interface(DeclaredInterface { name, descriptor, effects, .. }: DeclaredInterface) -> Interface {
    let (scope, name) = match name {
        DeclaredName::Full(reference) => (Some(reference.scope().clone()), reference.name().clone()),
        DeclaredName::Bare(name) => (None, name),
    };
    Interface { scope, name, descriptor, effects }
}
