//! What can be formatted means the same afterwards, and is formatted then.
#![no_main]

use libfuzzer_sys::fuzz_target;
use worldspace_idl::{NoFiles, check, format};

fuzz_target!(|text: &str| {
    let Ok(once) = format("a.wip", text) else { return };
    assert_eq!(format("a.wip", &once).ok().as_deref(), Some(&*once), "{once}");
    let (before, after) = (check("a.wip", text, &mut NoFiles), check("a.wip", &once, &mut NoFiles));
    assert_eq!(before.diagnostics.len(), after.diagnostics.len(), "{once}");
    assert_eq!(before.interfaces.len(), after.interfaces.len(), "{once}");
    for (before, after) in before.interfaces.iter().zip(&after.interfaces) {
        assert_eq!(before.name, after.name, "{once}");
        assert_eq!(before.descriptor, after.descriptor, "{once}");
        assert_eq!(before.effects, after.effects, "{once}");
    }
});
