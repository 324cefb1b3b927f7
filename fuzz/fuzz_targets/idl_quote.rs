//! Any reference reads back as it is written, and what is read as one writes to what is read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use worldspace_idl::reference;
use worldspace_model::InterfaceReference;

fuzz_target!(|text: &str| {
    if let Ok(read) = reference::parse(text) {
        assert_eq!(reference::parse(&reference::write(&read)).ok(), Some(read));
    }
    let (scope, name) = text.split_once('\n').unwrap_or(("/", text));
    if let Ok(made) = InterfaceReference::parse(scope, name) {
        assert_eq!(reference::parse(&reference::write(&made)).ok(), Some(made));
    }
});
