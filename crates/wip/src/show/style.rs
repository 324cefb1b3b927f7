//! Colours: few, and never the only carrier of a meaning. They are removed on the way out where nobody sees them.

use std::fmt::Display;

use anstyle::{AnsiColor, Effects, Style};

pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
pub(crate) const STRONG: Style = Style::new().effects(Effects::BOLD);
pub(crate) const FAINT: Style = Style::new().effects(Effects::DIMMED);
pub(crate) const KEYWORD: Style = AnsiColor::Blue.on_default();
pub(crate) const TEXT: Style = AnsiColor::Green.on_default();
pub(crate) const ATTRIBUTE: Style = AnsiColor::Magenta.on_default();
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().effects(Effects::BOLD);

/// Text in a style.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    let text = text.to_string();
    if text.is_empty() { text } else { format!("{style}{text}{style:#}") }
}
