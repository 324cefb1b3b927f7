//! Any text can be checked: every mistake stands at a place that can be shown, and what is sound reads back as it is printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use worldspace_idl::{Loader, check, diagnostic, source_view};

/// The input is split into files at NULs; the first uses the others as `1.wip`, `2.wip` and so on.
struct Files<'a>(Vec<&'a str>);

impl Loader for Files<'_> {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        let number = path.strip_suffix(".wip").and_then(|number| number.parse::<usize>().ok());
        let text = number.and_then(|number| self.0.get(number)).ok_or("there is no such file")?;
        Ok((path.to_owned(), (*text).to_owned()))
    }
}

fuzz_target!(|text: &str| {
    let mut files = Files(text.split('\0').collect());
    let first = files.0.first().copied().unwrap_or_default();
    let checked = check("0.wip", first, &mut files);
    for told in &checked.diagnostics {
        for span in told.also.iter().map(|(span, _)| *span).chain([told.span]) {
            let all = checked.sources.text(span.file);
            assert!(all.get(span.start as usize..span.end as usize).is_some(), "{told:?}");
        }
        let shown = diagnostic::render(&checked.sources, told);
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    }
    for declared in &checked.interfaces {
        let printed = source_view::interface(&declared.name, &declared.descriptor, &declared.effects);
        let again = check("printed.wip", &printed, &mut Files(Vec::new()));
        assert!(again.diagnostics.is_empty(), "{printed}\n{:?}", again.diagnostics);
        let [read] = &again.interfaces[..] else { panic!("{printed}") };
        assert_eq!(read.name, declared.name, "{printed}");
        assert_eq!(read.descriptor, declared.descriptor, "{printed}");
        assert_eq!(read.effects, declared.effects, "{printed}");
    }
});
