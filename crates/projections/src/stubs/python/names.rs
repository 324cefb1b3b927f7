//! Names of the protocol as Python takes them.
//!
//! Python compares identifiers in the form NFKC, so two names that differ may be one there; and it knows no character that
//! is younger than itself.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use crate::stubs::names::{Names, snake, upper_camel};
use crate::stubs::plan::{Definition, Plan, PlannedType};

/// Words that are no identifiers. Soft ones, such as `match`, are identifiers as well.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// What a module takes from the runtime by its plain name.
pub(super) const IMPORTED: [&str; 5] = ["ABSENT", "Absent", "Entry", "InterfaceClient", "Json"];

/// What every client of an interface has.
const OF_CLIENTS: [&str; 4] = ["entry", "object", "open", "refresh"];

/// What Unicode 14 has, which is that of Python 3.11.
static KNOWN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{age:14.0}$").ok());

fn is_known(c: char) -> bool {
    c.is_ascii() || KNOWN.as_ref().is_some_and(|known| known.is_match(c.encode_utf8(&mut [0; 4])))
}

fn plain(name: &str) -> String {
    name.nfkc().map(|c| if is_known(c) { c } else { '_' }).collect()
}

/// An identifier as Python itself would spell it; what has none is called `or`.
fn identifier(spelled: &str, or: &str) -> String {
    let mut spelled = spelled.to_owned();
    // What other case a letter has may be a younger one, and what is left without it may be composed.
    loop {
        let next: String = spelled
            .nfkc()
            .filter(|c| is_known(*c) && (*c == '_' || unicode_ident::is_xid_continue(*c)))
            .collect();
        if next == spelled {
            break;
        }
        spelled = next;
    }
    match spelled.chars().next() {
        None => or.to_owned(),
        Some(first) if first != '_' && !unicode_ident::is_xid_start(first) => format!("_{spelled}"),
        Some(_) if KEYWORDS.contains(&spelled.as_str()) => format!("{spelled}_"),
        Some(_) => spelled,
    }
}

fn class(name: &str) -> String {
    identifier(&upper_camel(&plain(name)), "Unnamed")
}

fn member(name: &str) -> String {
    identifier(&snake(&plain(name)), "unnamed")
}

fn constant(name: &str) -> String {
    identifier(&snake(&plain(name)).to_uppercase(), "UNNAMED")
}

/// The names of a module.
pub(super) struct ModuleNames {
    /// Of the types of the plan.
    pub(super) types: Vec<String>,
    /// Of the cases of each that is a union.
    pub(super) cases: Vec<Vec<String>>,
    /// Of the interfaces.
    pub(super) interfaces: Vec<String>,
    /// All of these, and what is imported: names that no member hides.
    taken: HashSet<String>,
}

impl ModuleNames {
    /// Those that users write most are the plain ones: interfaces, then what has a name in a descriptor.
    pub(super) fn new(plan: &Plan) -> Self {
        let mut names = Names::without(&IMPORTED);
        let interfaces: Vec<String> =
            plan.interfaces.iter().map(|one| names.claim([class(&one.name)])).collect();
        let mut types = vec![String::new(); plan.types.len()];
        let mut cases = vec![Vec::new(); plan.types.len()];
        let claim = |which: &dyn Fn(&PlannedType) -> bool, names: &mut Names, types: &mut Vec<String>| {
            for (at, ty) in plan.types.iter().enumerate().filter(|(_, ty)| which(ty)) {
                if types[at].is_empty() {
                    types[at] = names.claim([class(&ty.name), class(&format!("{}_value", ty.name))]);
                }
            }
        };
        claim(&|ty| ty.declared.is_some(), &mut names, &mut types);
        claim(&|ty| matches!(ty.definition, Definition::Union(_)), &mut names, &mut types);
        for (at, ty) in plan.types.iter().enumerate() {
            let Definition::Union(of) = &ty.definition else { continue };
            let named = |name: &str, end: &str| class(&format!("{}_{name}{end}", types[at]));
            cases[at] = of
                .iter()
                .map(|case| names.claim([named(&case.name, ""), named(&case.name, "_case")]))
                .collect();
        }
        claim(&|_| true, &mut names, &mut types);
        let taken = IMPORTED.iter().map(|name| (*name).to_owned());
        let taken = taken
            .chain(interfaces.iter().cloned())
            .chain(types.iter().cloned())
            .chain(cases.concat())
            .collect();
        Self { types, cases, interfaces, taken }
    }

    /// Fields of a record.
    pub(super) fn fields<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        claimed(Names::default(), &self.taken, names, member)
    }

    /// Parameters of an operation.
    pub(super) fn parameters<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        claimed(Names::without(&["self"]), &self.taken, names, member)
    }

    /// Operations of an interface.
    pub(super) fn operations<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        claimed(Names::without(&OF_CLIENTS), &self.taken, names, member)
    }

    /// Cases of an enum.
    pub(super) fn constants<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        claimed(Names::default(), &HashSet::new(), names, constant)
    }
}

fn claimed<'a>(
    mut scope: Names,
    taken: &HashSet<String>,
    names: impl Iterator<Item = &'a str>,
    spell: fn(&str) -> String,
) -> Vec<String> {
    names
        .map(|name| {
            let spelled = spell(name);
            // No name of the module ends so, but for the few that are keywords otherwise.
            let other = format!("{spelled}_");
            if taken.contains(&spelled) { scope.claim([other]) } else { scope.claim([spelled, other]) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_spelled_as_python_compares_it() {
        for (name, as_class, as_member, as_constant) in [
            ("close", "Close", "close", "CLOSE"),
            ("class", "Class", "class_", "CLASS"),
            ("None", "None_", "none", "NONE"),
            ("match", "Match", "match", "MATCH"),
            ("__init__", "Init", "init", "INIT"),
            ("ｌｉｓｔ", "List", "list", "LIST"),
            ("ﬁnd", "Find", "find", "FIND"),
            ("straße", "Straße", "straße", "STRASSE"),
            ("2nd", "_2nd", "_2nd", "_2ND"),
            ("日本", "日本", "日本", "日本"),
            ("\"\"\"", "Unnamed", "unnamed", "UNNAMED"),
            // Letters of Unicode 15 and 16, and one whose capital is of Unicode 16.
            ("\u{31350}", "Unnamed", "unnamed", "UNNAMED"),
            ("a\u{a7cb}b", "AB", "a_b", "A_B"),
            ("\u{264}", "Unnamed", "\u{264}", "UNNAMED"),
        ] {
            assert_eq!(
                (class(name).as_str(), member(name).as_str(), constant(name).as_str()),
                (as_class, as_member, as_constant),
                "{name:?}"
            );
        }
    }

    #[test]
    fn names_that_python_takes_for_one_stay_apart() {
        let scope = claimed(
            Names::default(),
            &HashSet::new(),
            ["list", "ｌｉｓｔ", "List", "class", "class_"].into_iter(),
            member,
        );
        assert_eq!(scope, ["list", "list_", "list_2", "class_", "class__"]);
    }
}
