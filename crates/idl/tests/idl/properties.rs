//! Whatever the text, it is read to its end: no panic, places inside the text, and nothing sound in what is cut.

use proptest::prelude::*;
use worldspace_idl::{Checked, NoFiles, check, diagnostic};

const SOUND: &str = r#"/// An issue's life.
///
/// Details, and "quotes".
interface issue.lifecycle {
  type Result = union {
    closed,
    /// Others come first.
    blocked({ dependencies: [entry], `two words`?: { a: [Reason] } }),
  };
  /// Closes it. // no comment
  @destructive @guarded
  operation close(reason: Reason, note?: string)
    /// "What came of it." 
    -> Result; // a comment

  @read
  operation read() -> { body: string, type: enum { a, `b c` }, };
}
type Reason = enum { done, `\ud83d\udcbb`, wont_fix };
interface "/scope::name" { operation none() -> unit; }
"#;

/// Everything that can be asked about what was found, which must not fail.
fn sane(text: &str) -> Checked {
    let checked = check("a.wip", text, &mut NoFiles);
    for each in &checked.diagnostics {
        for span in each.also.iter().map(|(span, _)| *span).chain([each.span]) {
            assert!(span.start <= span.end && span.end as usize <= text.len(), "{each:?}");
            assert!(
                text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize),
                "{each:?}"
            );
        }
        let shown = diagnostic::render(&checked.sources, each);
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
        assert!(!each.message.is_empty());
    }
    let places = checked.diagnostics.windows(2).all(|pair| pair[0].span.start <= pair[1].span.start);
    assert!(places, "not in order");
    checked
}

/// Pieces that mean something to the parser.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "interface ",
        "type ",
        "operation ",
        "use ",
        "a",
        "B",
        "string",
        "enum ",
        "union ",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        ":",
        "?",
        "=",
        "->",
        "=>",
        "@read ",
        "@",
        ".",
        "|",
        "<",
        ">",
        "\n",
        "/// doc\n",
        "// c\n",
        "\"s\"",
        "\"",
        "`n`",
        "`",
        "\\",
        "/*",
        "*/",
        "1",
        "-",
        "日",
        "\u{feff}",
        "\r\n",
        "\0",
        "#",
        "'",
        "“",
        "；",
        "map",
        "list<",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        sane(&text);
    }

    #[test]
    fn any_row_of_pieces_is_read(text in pieces()) {
        sane(&text);
    }

    #[test]
    fn a_sound_file_with_pieces_put_in_or_taken_out_is_read(
        at in any::<prop::sample::Index>(), length in 0usize..20, piece in pieces()
    ) {
        let places: Vec<usize> = SOUND.char_indices().map(|(at, _)| at).collect();
        let from = at.index(places.len());
        let to = places.get(from + length).copied().unwrap_or(SOUND.len());
        sane(&[&SOUND[..places[from]], &piece, &SOUND[to..]].concat());
    }
}

#[test]
fn what_is_cut_is_faulty_or_sound_as_far_as_it_goes() {
    let whole = sane(SOUND);
    assert!(whole.diagnostics.is_empty(), "{:?}", whole.diagnostics);
    assert_eq!(whole.interfaces.len(), 2);
    for end in (0..SOUND.len()).filter(|end| SOUND.is_char_boundary(*end)) {
        let cut = sane(&SOUND[..end]);
        let kept = cut.interfaces.iter().all(|found| {
            whole
                .interfaces
                .iter()
                .any(|known| known.name == found.name && known.descriptor == found.descriptor)
        });
        assert!(kept, "what was declared changed at {end}: {:?}", &SOUND[..end]);
        if cut.diagnostics.is_empty() {
            let complete = SOUND[..end].matches("interface").count();
            assert_eq!(cut.interfaces.len(), complete, "something was left out without a word at {end}");
        }
    }
}

#[test]
fn one_token_too_few_or_too_many_is_told_in_few_words() {
    // What follows from a mistake is not told as well: mostly one error, and never a row of them.
    let tokens = tokens(SOUND);
    let mut counts = Vec::new();
    for (start, end) in &tokens {
        let without = [&SOUND[..*start], &SOUND[*end..]].concat();
        let twice = [&SOUND[..*end], " ", &SOUND[*start..]].concat();
        for text in [without, twice] {
            let found = sane(&text).diagnostics.len();
            counts.push(found);
            assert!(found <= 5, "{found} errors of one mistake:\n{text}");
        }
    }
    let many = counts.iter().filter(|count| **count > 2).count();
    assert!(
        many * 10 <= counts.len(),
        "{many} of {} mistakes are told in more than two errors",
        counts.len()
    );
}

/// Words and signs, roughly.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut tokens: Vec<(usize, usize)> = Vec::new();
    let mut word = false;
    for (at, c) in text.char_indices() {
        let inside = c.is_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some((_, end)) if inside && word => *end = at + c.len_utf8(),
            _ if !c.is_whitespace() => tokens.push((at, at + c.len_utf8())),
            _ => {}
        }
        word = inside;
    }
    tokens
}

#[test]
fn line_ends_and_a_mark_of_byte_order_change_nothing() {
    let other = format!("\u{feff}{}", SOUND.replace('\n', "\r\n"));
    let (plain, other) = (sane(SOUND), sane(&other));
    assert!(other.diagnostics.is_empty());
    let declared = |checked: &Checked| -> Vec<_> {
        checked
            .interfaces
            .iter()
            .map(|each| (each.name.clone(), each.descriptor.clone(), each.effects.clone()))
            .collect()
    };
    assert_eq!(declared(&plain), declared(&other));
}
