//! Types compared by what they are. Each pair of types is compared once for each way, however often it is used, with a
//! stack of its own: named types may contain one another in chains as long as a file.

use std::collections::{HashMap, HashSet};

use worldspace_model::{
    Declaration, Documentation, EnumCase, Field, Type, TypeDeclaration, TypeKind, UnionCase,
};

use super::names::{Names, address, brief, inside};
use super::{Told, documented, is_reordered};
use crate::quote;

/// Who gives a value to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Way {
    /// Callers give it.
    Given,
    /// Callers get it.
    Returned,
}

/// The comparison of all types of one interface.
pub(super) struct Types<'a> {
    old: Names<'a>,
    new: Names<'a>,
    places: Vec<Place<'a>>,
    pairs: HashMap<(usize, usize, Way), usize>,
    compared: Vec<Pair>,
    found: Vec<Found>,
    renamed: Vec<(&'a str, &'a str)>,
    known_renamed: HashSet<(&'a str, &'a str)>,
}

/// A place in an operation, as a step from the place above.
#[derive(Clone, Copy)]
struct Place<'a> {
    operation: &'a str,
    way: Way,
    up: Option<usize>,
    step: Step<'a>,
    depth: usize,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    /// All arguments, or the result.
    Whole,
    Member(&'a str),
    Items,
}

/// Two types that were compared, and where they were met first.
struct Pair {
    place: usize,
    users: Vec<usize>,
    breaks: bool,
}

enum Found {
    Change {
        place: usize,
        what: String,
        breaks: bool,
    },
    /// The same pair as elsewhere.
    Again {
        place: usize,
        pair: usize,
    },
}

/// Two types to be compared.
struct Task<'a> {
    old: &'a Type,
    new: &'a Type,
    place: usize,
    user: Option<usize>,
}

impl<'a> Types<'a> {
    pub(super) fn new(old: &'a Declaration, new: &'a Declaration) -> Self {
        Self {
            old: Names::new(old),
            new: Names::new(new),
            places: Vec::new(),
            pairs: HashMap::new(),
            compared: Vec::new(),
            found: Vec::new(),
            renamed: Vec::new(),
            known_renamed: HashSet::new(),
        }
    }

    /// Compares what an operation that is in both takes and gives.
    pub(super) fn operation(&mut self, name: &str) {
        let find = |names: &Names<'a>| names.operations.get(name).copied();
        let (Some(old), Some(new)) = (find(&self.old), find(&self.new)) else { return };
        for way in [Way::Given, Way::Returned] {
            let place = Place { operation: &old.name, way, up: None, step: Step::Whole, depth: 0 };
            let place = self.place(place);
            let mut open = Vec::new();
            match way {
                Way::Given => self.members(&old.parameters, &new.parameters, place, None, &mut open),
                Way::Returned => open.push(Task { old: &old.returns, new: &new.returns, place, user: None }),
            }
            open.reverse();
            while let Some(task) = open.pop() {
                let mut inner = Vec::new();
                self.compare(&task, &mut inner);
                open.extend(inner.into_iter().rev());
            }
        }
    }

    fn place(&mut self, place: Place<'a>) -> usize {
        self.places.push(place);
        self.places.len() - 1
    }

    fn below(&mut self, up: usize, step: Step<'a>) -> usize {
        let above = self.places[up];
        self.place(Place { up: Some(up), step, depth: above.depth + 1, ..above })
    }

    fn tell(&mut self, place: usize, user: Option<usize>, what: impl Into<String>, breaks: bool) {
        if let Some(pair) = user.filter(|_| breaks) {
            self.compared[pair].breaks = true;
        }
        self.found.push(Found::Change { place, what: what.into(), breaks });
    }

    fn compare(&mut self, task: &Task<'a>, inner: &mut Vec<Task<'a>>) {
        let (place, user) = (task.place, task.user);
        if let (TypeKind::Named(was), TypeKind::Named(is)) = (task.old.kind(), task.new.kind())
            && was != is
            && self.known_renamed.insert((was, is))
        {
            self.renamed.push((was, is));
        }
        let (old, new) = (self.old.visit(task.old), self.new.visit(task.new));
        let way = self.places[place].way;
        let is_composite =
            !inside(old).is_empty() || matches!(old.kind(), TypeKind::Enum(_) | TypeKind::Union(_));
        let mut user = user;
        if is_composite {
            let key = (address(old), address(new), way);
            if let Some(pair) = self.pairs.get(&key).copied() {
                self.compared[pair].users.extend(user);
                return self.found.push(Found::Again { place, pair });
            }
            let pair = self.compared.len();
            self.pairs.insert(key, pair);
            self.compared.push(Pair { place, users: user.into_iter().collect(), breaks: false });
            user = Some(pair);
        }
        match (old.kind(), new.kind()) {
            (TypeKind::Record(was), TypeKind::Record(is)) => self.members(was, is, place, user, inner),
            (TypeKind::List(was), TypeKind::List(is)) => {
                let place = self.below(place, Step::Items);
                inner.push(Task { old: was, new: is, place, user });
            }
            (TypeKind::Enum(was), TypeKind::Enum(is)) => self.cases(was, is, place, user, |_, _, _, _| {}),
            (TypeKind::Union(was), TypeKind::Union(is)) => {
                self.cases(was, is, place, user, |types, old, new, place| {
                    match (&old.payload, &new.payload) {
                        (Some(old), Some(new)) => inner.push(Task { old, new, place, user }),
                        (None, None) => {}
                        (None, Some(_)) => {
                            types.tell(place, user, "carries a value now, and carried none", true)
                        }
                        (Some(_), None) => types.tell(place, user, "carries no value any more", true),
                    }
                });
            }
            (was, is) if std::mem::discriminant(was) == std::mem::discriminant(is) => {}
            _ => {
                let fits = match way {
                    Way::Given => self.old.fits(old, new),
                    Way::Returned => self.new.fits(new, old),
                };
                let does = if way == Way::Given { "takes" } else { "gives" };
                let what = format!("{does} {} now, and not {}", brief(new), brief(old));
                self.tell(place, user, what, !fits);
            }
        }
    }

    /// Parameters, or the fields of a record.
    fn members(
        &mut self,
        old: &'a [Field],
        new: &'a [Field],
        place: usize,
        user: Option<usize>,
        inner: &mut Vec<Task<'a>>,
    ) {
        let Place { way, depth, .. } = self.places[place];
        let noun = if way == Way::Given && depth == 0 { "parameter" } else { "field" };
        let by_name: HashMap<&str, &'a Field> = new.iter().map(|field| (&*field.name, field)).collect();
        for was in old {
            let place = self.below(place, Step::Member(&was.name));
            let Some(is) = by_name.get(&*was.name) else {
                self.tell(place, user, format!("the {noun} is gone"), true);
                continue;
            };
            match (way, was.required, is.required) {
                (Way::Given, false, true) => {
                    self.tell(
                        place,
                        user,
                        format!("the {noun} is required now, and could be left out"),
                        true,
                    );
                }
                (Way::Given, true, false) => {
                    self.tell(place, user, format!("the {noun} may be left out now"), false)
                }
                (Way::Returned, true, false) => {
                    self.tell(
                        place,
                        user,
                        format!("the {noun} may be absent now, and was always there"),
                        true,
                    );
                }
                (Way::Returned, false, true) => {
                    self.tell(place, user, format!("the {noun} is always there now"), false);
                }
                _ => {}
            }
            if let Some(what) = documented(was.documentation.as_ref(), is.documentation.as_ref()) {
                self.tell(place, user, format!("the documentation {what}"), false);
            }
            inner.push(Task { old: &was.ty, new: &is.ty, place, user });
        }
        let known: HashSet<&str> = old.iter().map(|field| &*field.name).collect();
        for is in new.iter().filter(|field| !known.contains(&*field.name)) {
            let place = self.below(place, Step::Member(&is.name));
            match (way, is.required) {
                (Way::Given, true) => {
                    self.tell(place, user, format!("the {noun} is new, and required"), true)
                }
                (Way::Given, false) => {
                    self.tell(place, user, format!("the {noun} is new, and may be left out"), false);
                }
                (Way::Returned, _) => self.tell(place, user, format!("the {noun} is new"), false),
            }
        }
        if is_reordered(old.iter().map(|field| &field.name), new.iter().map(|field| &field.name)) {
            self.tell(place, user, format!("the {noun}s stand in another order"), false);
        }
    }

    /// The cases of an enum or a union; `both` looks at each that is in both.
    fn cases<C: Case>(
        &mut self,
        old: &'a [C],
        new: &'a [C],
        place: usize,
        user: Option<usize>,
        mut both: impl FnMut(&mut Self, &'a C, &'a C, usize),
    ) {
        let way = self.places[place].way;
        let by_name: HashMap<&str, &'a C> = new.iter().map(|case| (case.name(), case)).collect();
        for was in old {
            let place = self.below(place, Step::Member(was.name()));
            match by_name.get(was.name()) {
                Some(is) => {
                    if let Some(what) = documented(was.documentation(), is.documentation()) {
                        self.tell(place, user, format!("the documentation {what}"), false);
                    }
                    both(self, was, is, place);
                }
                None => self.tell(place, user, "the case is gone", true),
            }
        }
        let known: HashSet<&str> = old.iter().map(C::name).collect();
        for is in new.iter().filter(|case| !known.contains(case.name())) {
            let place = self.below(place, Step::Member(is.name()));
            match way {
                Way::Given => self.tell(place, user, "the case is new", false),
                Way::Returned => self.tell(place, user, "the case is new, and callers do not know it", true),
            }
        }
    }
}

impl<'a> Types<'a> {
    /// Tells what was found.
    pub(super) fn finish(mut self, told: &mut Told<'_>) {
        self.spread();
        for found in &self.found {
            match found {
                Found::Change { place, what, breaks } => told.tell(&self.text(*place), what.clone(), *breaks),
                Found::Again { place, pair } => {
                    let pair = &self.compared[*pair];
                    if pair.breaks {
                        let first = self.text(pair.place);
                        told.breaks(&self.text(*place), format!("breaks as {}{first} does", told.label));
                    }
                }
            }
        }
        self.declared(told);
    }

    /// What contains a type that breaks, breaks.
    fn spread(&mut self) {
        let mut open: Vec<usize> =
            (0..self.compared.len()).filter(|pair| self.compared[*pair].breaks).collect();
        while let Some(pair) = open.pop() {
            for user in std::mem::take(&mut self.compared[pair].users) {
                if !std::mem::replace(&mut self.compared[user].breaks, true) {
                    open.push(user);
                }
            }
        }
    }

    /// What is different about the names of types, which callers never see.
    fn declared(&self, told: &mut Told<'_>) {
        let (mut became, mut stood) = (HashMap::new(), HashSet::new());
        for (was, is) in &self.renamed {
            if !self.new.stand_for.contains_key(was) && !self.old.stand_for.contains_key(is) {
                became.entry(*was).or_insert(*is);
                stood.insert(*is);
            } else {
                let what = format!("`{}` stands where it stood", quote::identifier(is));
                told.harmless(&of_type(was), what);
            }
        }
        let by_name: HashMap<&str, &TypeDeclaration> =
            self.new.declared.iter().map(|declared| (&*declared.name, declared)).collect();
        for was in self.old.declared {
            let within = of_type(&was.name);
            let name = became.get(&*was.name).copied();
            if let Some(name) = name {
                told.harmless(&within, format!("the type is named `{}` now", quote::identifier(name)));
            }
            let Some(is) = by_name.get(name.unwrap_or(&was.name)) else {
                told.harmless(&within, "the type is not declared any more");
                continue;
            };
            told.documentation(&within, "", was.documentation.as_ref(), is.documentation.as_ref());
            let is_compared = self.old.used.contains(&*was.name) && self.new.used.contains(&*is.name);
            if !is_compared && was.definition != is.definition {
                told.harmless(&within, "the type changed, and no operation that was there before uses it");
            }
        }
        for is in self.new.declared {
            if !self.old.stand_for.contains_key(&*is.name) && !stood.contains(&*is.name) {
                told.harmless(&of_type(&is.name), "the type is new");
            }
        }
    }

    /// A place behind the name of the interface. Of a deep one, the last steps.
    fn text(&self, place: usize) -> String {
        const STEPS: usize = 12;
        let Place { operation, way, .. } = self.places[place];
        let mut steps = Vec::new();
        let mut at = Some(place);
        while let Some(Place { up: Some(up), step, .. }) = at.map(|at| self.places[at]) {
            if steps.len() == STEPS {
                steps.push("…".to_owned());
                break;
            }
            steps.push(match step {
                Step::Member(name) => quote::identifier(name),
                Step::Items => "[]".to_owned(),
                Step::Whole => String::new(),
            });
            at = Some(up);
        }
        let mut path = String::new();
        for step in steps.iter().rev() {
            if !path.is_empty() && step != "[]" {
                path.push('.');
            }
            path.push_str(step);
        }
        let operation = quote::identifier(operation);
        match way {
            Way::Given if path.is_empty() => format!(".{operation}"),
            Way::Given => format!(".{operation}({path})"),
            Way::Returned if path.is_empty() => format!(".{operation} ->"),
            Way::Returned => format!(".{operation} -> {path}"),
        }
    }
}

fn of_type(name: &str) -> String {
    format!(" type {}", quote::identifier(name))
}

/// What enums and unions have alike.
trait Case {
    fn name(&self) -> &str;
    fn documentation(&self) -> Option<&Documentation>;
}

impl Case for EnumCase {
    fn name(&self) -> &str {
        &self.name
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.documentation.as_ref()
    }
}

impl Case for UnionCase {
    fn name(&self) -> &str {
        &self.name
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.documentation.as_ref()
    }
}
