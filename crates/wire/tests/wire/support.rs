//! Generators of messages, and the few things that every test here needs.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use worldspace_model::{
    Arguments, Cause, Causes, Declaration, Descriptor, Documentation, Effect, Effects, EntryPath, EnumCase,
    Expansion, Field, InterfaceList, InterfaceReference, InterfaceTarget, Name, Number, Object, ObjectName,
    Operation, OperationDeclaration, OutgoingCall, Record, Ref, Target, Tree, Type, TypeDeclaration,
    TypeKind, UnionCase, Validator, Value,
};
use worldspace_wire::{Codec, Limits};

/// A codec whose limits no generated message meets.
pub(crate) fn roomy() -> Codec {
    Codec::json(Limits::new(64 << 20, 64 << 20, Limits::MAX_NESTING).unwrap())
}

pub(crate) fn path(text: &str) -> EntryPath {
    EntryPath::parse(text).unwrap()
}

pub(crate) fn reference(scope: &str, name: &str) -> InterfaceReference {
    InterfaceReference::parse(scope, name).unwrap()
}

/// The operation `op` that takes `value` of this type and returns it.
pub(crate) fn echo(types: Vec<TypeDeclaration>, ty: Type) -> Operation {
    let operation = OperationDeclaration::new("op")
        .takes([Field::required("value", ty.clone()), Field::optional("other", Type::JSON)])
        .returns(ty);
    let declaration = Declaration { types, operations: vec![operation], ..Declaration::default() };
    Descriptor::new(declaration).unwrap().operation("op").unwrap()
}

/// A call of [`echo`].
pub(crate) fn call(operation: &Operation, value: Value) -> OutgoingCall {
    let record = Record::new(vec![("value".into(), value)]).unwrap();
    OutgoingCall {
        target: Target { path: path("/t"), validator: Some(Validator::new(*b"state")) },
        interface: InterfaceTarget {
            reference: reference("/", "i"),
            scope_ref: Some(Ref::new("r")),
            validator: None,
        },
        operation: operation.clone(),
        arguments: Arguments::check(operation, record).unwrap(),
        key: None,
        read: false,
    }
}

/// Text with everything that an encoding has to take care of.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        3 => prop::sample::select(vec!['a', 'b', '/', '.', '$', ' ', '{', '[', ',', ':']),
        1 => prop::sample::select(vec!['"', '\\', '\0', '\n', '\u{1f}', '\u{7f}', '\u{2028}', '\u{ffff}']),
        1 => any::<char>(),
    ];
    vec(character, 0..6).prop_map(|characters| characters.into_iter().collect())
}

fn names(count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<Name>> {
    vec(text(), count).prop_map(|names| {
        let mut seen = BTreeSet::new();
        names.into_iter().filter(|name| seen.insert(name.clone())).map(Name::from).collect()
    })
}

pub(crate) fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        any::<i64>().prop_map(|value| value as f64),
        any::<u64>().prop_map(f64::from_bits),
        prop::sample::select(vec![0.0, -0.0, 1.0, 1e16, 1e21, 5e-324, f64::MAX, 9007199254740993.0]),
    ]
    .prop_filter("finite", |value| value.is_finite())
}

fn integer() -> impl Strategy<Value = Value> {
    let edge = (1i64 << 53) - 1;
    prop_oneof![-edge..=edge, -10i64..10, Just(edge), Just(-edge)]
        .prop_map(|value| Value::integer(value).unwrap())
}

fn number_value() -> impl Strategy<Value = Value> {
    number().prop_map(|value| Value::Number(Number::new(value).unwrap()))
}

fn entry() -> impl Strategy<Value = EntryPath> {
    vec(text().prop_map(|text| format!("s{}", text.replace('/', "|"))), 0..3)
        .prop_map(|segments| path(&format!("/{}", segments.join("/"))))
}

/// Any value under `json`.
pub(crate) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Unit),
        any::<bool>().prop_map(Value::Boolean),
        integer(),
        number_value(),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(|items| Value::list(items).unwrap()),
            (names(0..5), vec(inner, 5)).prop_map(|(names, values)| {
                Value::Record(Record::new(names.into_iter().zip(values).collect()).unwrap())
            }),
        ]
    })
}

fn documentation() -> impl Strategy<Value = Option<Documentation>> {
    option::of((text(), option::of(text())).prop_map(|(summary, details)| Documentation { summary, details }))
}

fn fields(ty: impl Strategy<Value = Type>) -> impl Strategy<Value = Vec<Field>> {
    (names(0..4), vec((any::<bool>(), documentation(), ty), 4)).prop_map(|(names, rest)| {
        let field = |(name, (required, documentation, ty))| Field { name, required, documentation, ty };
        names.into_iter().zip(rest).map(field).collect()
    })
}

/// A type; enums and unions have a case, so that there is a value of it.
pub(crate) fn ty() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            Type::UNIT,
            Type::BOOLEAN,
            Type::INTEGER,
            Type::NUMBER,
            Type::STRING,
            Type::BYTES,
            Type::JSON,
            Type::ENTRY,
            Type::named("T"),
        ]),
        (names(1..4), vec(documentation(), 4)).prop_map(|(names, documentation)| {
            let case = |(name, documentation)| EnumCase { name, documentation };
            Type::cases(names.into_iter().zip(documentation).map(case).collect())
        }),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let inner = inner.boxed();
        let payloads = vec((documentation(), option::of(inner.clone())), 4);
        prop_oneof![
            inner.clone().prop_map(Type::list),
            fields(inner).prop_map(Type::record),
            (names(1..4), payloads).prop_map(|(names, rest)| {
                let case = |(name, (documentation, payload))| UnionCase { name, documentation, payload };
                Type::union(names.into_iter().zip(rest).map(case))
            }),
        ]
    })
}

/// What `T` stands for.
pub(crate) fn named_types() -> Vec<TypeDeclaration> {
    let definition = Type::record([Field::required("size", Type::INTEGER), Field::optional("", Type::BYTES)]);
    vec![TypeDeclaration { name: "T".into(), documentation: None, definition }]
}

/// A value of a type; a union's payload also stands before the name of its case.
pub(crate) fn value_of(ty: &Type) -> BoxedStrategy<Value> {
    match ty.kind() {
        TypeKind::Unit => Just(Value::Unit).boxed(),
        TypeKind::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        TypeKind::Integer => integer().boxed(),
        TypeKind::Number => number_value().boxed(),
        TypeKind::String => text().prop_map(Value::from).boxed(),
        TypeKind::Bytes => vec(any::<u8>(), 0..9).prop_map(Value::bytes).boxed(),
        TypeKind::Json => json().boxed(),
        TypeKind::Entry => entry().prop_map(Value::Entry).boxed(),
        TypeKind::Named(_) => value_of(&named_types()[0].definition),
        TypeKind::List(items) => {
            vec(value_of(items), 0..4).prop_map(|items| Value::list(items).unwrap()).boxed()
        }
        TypeKind::Enum(cases) => {
            let names = cases.iter().map(|case| Value::String(case.name.clone())).collect::<Vec<_>>();
            prop::sample::select(names).boxed()
        }
        TypeKind::Record(fields) => fields
            .iter()
            .map(|field| {
                let value = value_of(&field.ty);
                let value =
                    if field.required { value.prop_map(Some).boxed() } else { option::of(value).boxed() };
                (Just(field.name.clone()), value)
            })
            .collect::<Vec<_>>()
            .prop_map(|fields| Value::record(fields).unwrap())
            .boxed(),
        TypeKind::Union(cases) => {
            let cases = cases.iter().map(|case| {
                let payload = case.payload.as_ref().map(value_of);
                let payload = payload.map_or(Just(None).boxed(), |value| value.prop_map(Some).boxed());
                let name = Value::String(case.name.clone());
                (payload, any::<bool>())
                    .prop_map(move |(payload, turned)| {
                        let mut fields = vec![("$case", Some(name.clone())), ("value", payload)];
                        if turned {
                            fields.reverse();
                        }
                        Value::record(fields).unwrap()
                    })
                    .boxed()
            });
            proptest::strategy::Union::new(cases).boxed()
        }
        TypeKind::TooDeep => unreachable!("generated types are not deep"),
    }
}

pub(crate) fn descriptor() -> impl Strategy<Value = Descriptor> {
    let operation = (documentation(), fields(ty()), ty(), documentation());
    (documentation(), names(0..4), vec(operation, 4)).prop_map(|(documentation, names, operations)| {
        let operations = names.into_iter().zip(operations).map(|(name, rest)| {
            let (documentation, parameters, returns, returns_documentation) = rest;
            OperationDeclaration { name, documentation, parameters, returns, returns_documentation }
        });
        let operations = operations.collect();
        Descriptor::new(Declaration { documentation, types: named_types(), operations }).unwrap()
    })
}

pub(crate) fn effects() -> impl Strategy<Value = Effects> {
    let written = vec(prop::sample::select(Effect::ALL[1..].to_vec()), 0..3);
    prop_oneof![Just(Effects::READ), written.prop_map(|effects| Effects::new(effects).unwrap())]
}

pub(crate) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..9)
}

/// What an Object has besides its name; interfaces come from a few lists, as in a real tree.
fn rest_of_object() -> impl Strategy<Value = Object> {
    let lists: Vec<InterfaceList> =
        [vec![], vec!["a"], vec!["a", "b\"\\"], vec!["c"], vec!["d"], vec!["e"], vec!["f"]]
            .into_iter()
            .map(|names| {
                InterfaceList::new(names.iter().map(|name| reference("/", name)).collect::<Vec<_>>()).unwrap()
            })
            .collect();
    let parts = (option::of(text()), prop::sample::select(lists), option::of(text()), option::of(bytes()));
    parts.prop_map(|(description, interfaces, r#ref, validator)| Object {
        name: ObjectName::parse("").unwrap(),
        description: description.map(Arc::from),
        interfaces,
        r#ref: r#ref.map(Ref::new),
        validator: validator.map(Validator::new),
    })
}

/// Objects and their parents, breadth first, with how far each stands below the first.
type Shape = Vec<(Arc<Object>, Option<u32>, u32)>;

fn shape() -> impl Strategy<Value = Shape> {
    vec((rest_of_object(), any::<u32>(), text()), 1..30).prop_map(|nodes| {
        let mut shape: Shape = Vec::new();
        let mut last = 0;
        for (at, (mut object, random, suffix)) in (0u32..).zip(nodes) {
            if at == 0 {
                shape.push((Arc::new(object), None, 0));
                continue;
            }
            last += random % 3 % (at - last);
            object.name = ObjectName::parse(&format!("n{at}{}", suffix.replace('/', "|"))).unwrap();
            let level = shape[last as usize].2 + 1;
            shape.push((Arc::new(object), Some(last), level));
        }
        shape
    })
}

fn has_children(shape: &Shape, at: usize) -> bool {
    shape.iter().any(|(_, parent, _)| parent.is_some_and(|parent| parent as usize == at))
}

/// A tree as `fetch_tree` gives it, and its depth.
pub(crate) fn tree() -> impl Strategy<Value = (Tree, u32)> {
    (shape(), vec(0usize..3, 30), any::<u8>()).prop_map(|(shape, expansions, causes)| {
        let depth = shape.iter().map(|(.., level)| *level).max().unwrap_or(0);
        let expansion = |at: usize| match has_children(&shape, at) {
            true => [Expansion::Complete, Expansion::Partial][expansions[at] % 2],
            false => [Expansion::Leaf, Expansion::Unexplored][expansions[at] % 2],
        };
        let nodes: Vec<_> =
            (0..shape.len()).map(|at| (Arc::clone(&shape[at].0), shape[at].1, expansion(at))).collect();
        let open = nodes.iter().any(|(.., expansion)| expansion.is_open());
        let chosen = Cause::ALL.into_iter().filter(|cause| causes & (1 << *cause as u8) != 0);
        let causes: Causes = if open { chosen.chain([Cause::Limit]).collect() } else { Causes::NONE };
        (Tree::new(nodes, causes).unwrap(), depth)
    })
}

/// A tree as `observe` gives it, and its depth.
pub(crate) fn observation() -> impl Strategy<Value = (Tree, u32)> {
    (shape(), 0u32..2).prop_map(|(shape, below)| {
        let depth = below + shape.iter().map(|(.., level)| *level).max().unwrap_or(0);
        let nodes: Vec<_> = shape
            .into_iter()
            .map(|(object, parent, level)| {
                let expansion = if level == depth { Expansion::Unexplored } else { Expansion::Complete };
                (object, parent, expansion)
            })
            .collect();
        let cut = nodes.iter().any(|(.., expansion)| expansion.is_open());
        let causes = cut.then_some(Cause::Depth).into_iter().collect();
        (Tree::new(nodes, causes).unwrap(), depth)
    })
}
