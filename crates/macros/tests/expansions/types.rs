//! Every form of a type.

/// Why an issue was closed.
#[derive(WipType)]
enum Reason {
    Done,
    /// It was told before.
    Duplicate,
    #[wip(name = "never")]
    WontFix,
}

#[derive(WipType)]
enum Nothing {}

#[derive(WipType)]
#[wip(union)]
enum Bare {
    One,
}

#[derive(WipType)]
#[wip(name = "Close result")]
enum CloseResult {
    Closed,
    /// Other issues must be closed first.
    Blocked {
        /// Which.
        dependencies: Vec<EntryPath>,
        r#type: Option<String>,
    },
    Refused(Refused),
}

#[derive(WipType)]
#[wip(inline)]
struct Body {
    body: String,
    #[wip(name = "updatedAt")]
    updated_at: Option<String>,
}

/** In a block.
 *
 *   - indented
 */
#[derive(WipType)]
struct Key(String);

#[derive(WipType)]
struct Marker;

#[doc = include_str!("empty.md")]
#[derive(WipType)]
struct Empty {}
