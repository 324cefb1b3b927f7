//! Documentation comments, whichever way they are written, as the lines that the protocol's documentation is made of.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The lines of a comment, as expressions: `include_str!` and its like are for the compiler to read.
#[derive(Default)]
pub(crate) struct Documentation(Vec<TokenStream>);

impl Documentation {
    /// What the `doc` attributes among these say.
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let mut lines = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
            let Meta::NameValue(doc) = &attribute.meta else { continue };
            match &doc.value {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                    lines.extend(lines_of(&text.value()).iter().map(ToTokens::to_token_stream));
                }
                other => lines.push(other.to_token_stream()),
            }
        }
        Self(lines)
    }

    /// What a string says, line by line as behind `///`.
    pub(crate) fn of_text(text: &str) -> Self {
        Self(text.lines().map(ToTokens::to_token_stream).collect())
    }
}

impl ToTokens for Documentation {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let lines = &self.0;
        tokens.extend(quote!(&[#(#lines),*]));
    }
}

/// A block comment loses the stars before its lines, or else the distance that all of them keep, as rustdoc does it.
fn lines_of(text: &str) -> Vec<String> {
    let Some((first, rest)) = text.split_once('\n') else { return vec![text.to_owned()] };
    let rest: Vec<&str> = rest.lines().collect();
    let said = || rest.iter().filter(|line| !line.trim().is_empty());
    let starred = said().all(|line| line.trim_start().starts_with('*'));
    let distance = |line: &&str| line.len() - line.trim_start().len();
    let common = said().map(distance).min().unwrap_or(0);
    let bare = |line: &&str| match line.trim_start().strip_prefix('*') {
        Some(behind) if starred => behind.to_owned(),
        // A blank more, which every line of a comment has before it.
        _ => format!(" {}", line.get(common..).unwrap_or_default()),
    };
    std::iter::once(first.to_owned()).chain(rest.iter().map(bare)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comment_says_what_its_lines_say() {
        for (text, lines) in [
            (" One line.", vec![" One line."]),
            (" Closes.\n     * Why:\n     *   - this\n     ", vec![" Closes.", " Why:", "   - this", " "]),
            ("\n    Closes.\n\n      indented\n", vec!["", " Closes.", " ", "   indented"]),
            ("Closes.\nAt once.", vec!["Closes.", " At once."]),
        ] {
            assert_eq!(lines_of(text), lines, "{text:?}");
        }
    }
}
