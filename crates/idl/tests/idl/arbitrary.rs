//! Interfaces as nobody would write them: hostile names, hostile documentation, types in every place.

use proptest::prelude::*;
use worldspace_idl::DeclaredName;
use worldspace_model::{
    Declaration, Descriptor, Documentation, Effect, EffectTable, Effects, EnumCase, Field, InterfaceName,
    InterfaceReference, Name, OperationDeclaration, Type, TypeDeclaration, UnionCase,
};

/// An interface and what its operations claim.
pub(crate) type Declared = (DeclaredName, Descriptor, EffectTable);

/// Texts that are easily taken for something else.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "type",
    "unit",
    "entry",
    "interface",
    "read",
    "a.b",
    "a b",
    "`",
    "\"",
    "\\",
    "\\u0041",
    "//",
    "///",
    "/* */",
    "\"quoted\"",
    "\"quoted\" and more",
    "two\nlines",
    "two\r\nlines",
    " leads",
    "trails ",
    "a  b",
    "\t",
    "\u{0}\u{1b}[31m",
    "\u{202e}\u{2066}",
    "\u{200b}",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}\u{85}",
    "日本語",
    "👩\u{200d}💻",
    "$case",
    ";",
    "}",
    "@read",
    "1",
    "a-b",
];

/// Read once, where a plain literal is read for each value.
fn regex(pattern: &str) -> BoxedStrategy<String> {
    proptest::string::string_regex(pattern).unwrap().boxed()
}

fn characters() -> BoxedStrategy<String> {
    prop::collection::vec(any::<char>(), 0..16).prop_map(String::from_iter).boxed()
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => regex("[a-z_][a-zA-Z0-9_]{0,12}"),
        2 => prop::sample::select(HOSTILE).prop_map(str::to_owned),
        1 => characters(),
    ]
}

fn names(at_most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(name(), 0..=at_most)
        .prop_map(|names| names.into_iter().collect())
        .prop_shuffle()
}

/// Texts of one line, of several, and wholly arbitrary ones.
fn text() -> impl Strategy<Value = String> {
    let words =
        prop::collection::vec(regex("[a-zA-Z\"`.,;:]{1,12}"), 0..40).prop_map(|words| words.join(" "));
    let line =
        prop_oneof![3 => words.boxed(), 1 => prop::sample::select(HOSTILE).prop_map(str::to_owned).boxed()];
    let lines = prop::collection::vec(line.clone(), 0..5).prop_map(|lines| lines.join("\n"));
    prop_oneof![4 => line.boxed(), 3 => lines.boxed(), 1 => characters().boxed()]
}

fn documentation() -> impl Strategy<Value = Option<Documentation>> {
    let details = prop::option::of(text());
    prop::option::of((text(), details).prop_map(|(summary, details)| Documentation { summary, details }))
}

/// A type that may use the types of these names.
fn ty(known: Vec<String>) -> impl Strategy<Value = Type> {
    let scalar = prop::sample::select(vec![
        Type::UNIT,
        Type::BOOLEAN,
        Type::INTEGER,
        Type::NUMBER,
        Type::STRING,
        Type::BYTES,
        Type::JSON,
        Type::ENTRY,
    ]);
    let leaf = match known.is_empty() {
        true => scalar.boxed(),
        false => prop_oneof![scalar, prop::sample::select(known).prop_map(Type::named)].boxed(),
    };
    leaf.prop_recursive(4, 24, 4, |inner| {
        let cases = (names(4), prop::collection::vec(documentation(), 4)).prop_map(|(names, said)| {
            let case = |(name, documentation): (String, _)| EnumCase { name: name.into(), documentation };
            Type::cases(names.into_iter().zip(said).map(case).collect())
        });
        let payloads = prop::collection::vec((documentation(), prop::option::of(inner.clone())), 4);
        let union =
            (names(4), payloads).prop_map(|(names, payloads)| {
                Type::union(names.into_iter().zip(payloads).map(|(name, (documentation, payload))| {
                    UnionCase { name: name.into(), documentation, payload }
                }))
            });
        prop_oneof![inner.clone().prop_map(Type::list), fields(inner).prop_map(Type::record), cases, union,]
    })
}

fn fields(ty: impl Strategy<Value = Type> + Clone + 'static) -> impl Strategy<Value = Vec<Field>> {
    (names(4), prop::collection::vec((any::<bool>(), documentation(), ty), 4)).prop_map(|(names, fields)| {
        let field = |(name, (required, documentation, ty)): (String, _)| Field {
            name: name.into(),
            required,
            documentation,
            ty,
        };
        names.into_iter().zip(fields).map(field).collect()
    })
}

fn types() -> impl Strategy<Value = Vec<TypeDeclaration>> {
    // Each may use those before it.
    names(3).prop_flat_map(|names| {
        let of = |at: usize| (documentation(), ty(names.get(..at).unwrap_or_default().to_vec())).boxed();
        let definitions: Vec<_> = (0..names.len()).map(of).collect();
        (Just(names), definitions).prop_map(|(names, definitions)| {
            let declared = |(name, (documentation, definition)): (String, _)| TypeDeclaration {
                name: name.into(),
                documentation,
                definition,
            };
            names.into_iter().zip(definitions).map(declared).collect::<Vec<_>>()
        })
    })
}

fn effects() -> impl Strategy<Value = Effects> {
    let writing =
        prop::sample::subsequence(vec![Effect::Idempotent, Effect::Destructive, Effect::Guarded], 0..=3);
    prop_oneof![1 => Just(Effects::READ), 2 => writing.prop_map(|effects| Effects::new(effects).unwrap())]
}

fn operations(known: Vec<String>) -> impl Strategy<Value = Vec<(OperationDeclaration, Effects)>> {
    let ty = ty(known).boxed();
    let operation = (documentation(), fields(ty.clone()), ty, documentation(), effects());
    (names(4), prop::collection::vec(operation, 4)).prop_map(|(names, operations)| {
        let declared =
            |(name, (documentation, parameters, returns, returns_documentation, effects)): (String, _)| {
                let name = name.into();
                (
                    OperationDeclaration { name, documentation, parameters, returns, returns_documentation },
                    effects,
                )
            };
        names.into_iter().zip(operations).map(declared).collect()
    })
}

fn interface_name() -> impl Strategy<Value = DeclaredName> {
    let scope = prop::collection::vec(name(), 0..3);
    let full = (scope, name()).prop_filter_map("a scope has segments", |(scope, name)| {
        InterfaceReference::parse(&format!("/{}", scope.join("/")), &name).ok().map(DeclaredName::Full)
    });
    let bare = prop_oneof![name().boxed(), regex("[a-z]{1,3}(\\.[a-z]{1,3}){0,2}").boxed()]
        .prop_filter_map("it has a name", |name| InterfaceName::parse(&name).ok().map(DeclaredName::Bare));
    prop_oneof![full, bare]
}

pub(crate) fn interface() -> impl Strategy<Value = Declared> {
    let types = types().prop_flat_map(|types| {
        let known = types.iter().map(|declared| declared.name.to_string()).collect();
        (Just(types), operations(known))
    });
    (interface_name(), documentation(), types).prop_map(|(name, documentation, (types, operations))| {
        let claims: Vec<(Name, Effects)> =
            operations.iter().map(|(operation, effects)| (operation.name.clone(), *effects)).collect();
        let operations = operations.into_iter().map(|(operation, _)| operation).collect();
        let descriptor = Descriptor::new(Declaration { documentation, types, operations }).unwrap();
        let effects = EffectTable::new(&descriptor, claims).unwrap();
        (name, descriptor, effects)
    })
}
