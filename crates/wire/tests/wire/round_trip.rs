//! What is written reads back as what it was.

use bytes::Bytes;
use proptest::prelude::*;
use worldspace_model::{
    CallAnswer, EffectTable, FetchInterfaceRequest, FetchInterfaceResponse, FetchRequest, FetchResponse,
    FetchTreeRequest, Number, ObserveRequest, Ref, Settled, Type, Validator, Value,
};
use worldspace_wire::FetchedInterface;

use crate::support::{
    bytes, call, descriptor, echo, effects, json, named_types, number, observation, path, reference, roomy,
    text, tree, ty, value_of,
};

/// Sends a value as an argument and gets it back as a result.
fn send(ty: Type, value: &Value) -> (Value, Value) {
    let codec = roomy();
    let operation = echo(named_types(), ty);
    let outgoing = call(&operation, value.clone());
    let body = Bytes::from(codec.write_call_request(&outgoing).unwrap());
    let incoming = codec.read_call_request(&body, None).unwrap();
    assert_eq!(incoming.head, outgoing.head());
    let arguments = incoming.arguments.read(&operation).unwrap();
    let answer = CallAnswer {
        result: value.clone(),
        validator: Some(Validator::new(*b"v")),
        settled: Settled::BehindFence,
    };
    let body = codec.write_call_answer(&answer).unwrap();
    let read = codec.read_call_answer(&body, &operation).unwrap();
    assert_eq!(read.validator, answer.validator);
    (arguments.get("value").unwrap().clone(), read.result)
}

fn bits(value: &Value) -> u64 {
    value.as_number().unwrap().to_bits()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_of_every_type((ty, value) in ty().prop_flat_map(|ty| (Just(ty.clone()), value_of(&ty)))) {
        let (argument, result) = send(ty, &value);
        prop_assert_eq!(&argument, &value);
        prop_assert_eq!(&result, &value);
    }

    #[test]
    fn values_under_json(value in json()) {
        let (argument, result) = send(Type::JSON, &value);
        prop_assert_eq!(&argument, &value);
        prop_assert_eq!(&result, &value);
    }

    #[test]
    fn numbers_to_their_last_bit(number in number()) {
        let value = Value::Number(Number::new(number).unwrap());
        for ty in [Type::NUMBER, Type::JSON] {
            let (argument, result) = send(ty, &value);
            prop_assert_eq!(bits(&argument), number.to_bits());
            prop_assert_eq!(bits(&result), number.to_bits());
        }
    }

    #[test]
    fn descriptors(
        descriptor in descriptor(),
        all_effects in prop::collection::vec(effects(), 4),
        scope_ref in prop::option::of(text()),
        validator in prop::option::of(bytes()),
        wanted in any::<bool>(),
    ) {
        let names = descriptor.operations().map(|operation| operation.name().clone()).zip(all_effects);
        let table = EffectTable::new(&descriptor, names.collect()).unwrap();
        let interface = reference("/a", "i");
        let response = FetchInterfaceResponse {
            interface: interface.clone(),
            scope_ref: scope_ref.map(Ref::new),
            descriptor,
            validator: validator.map(Validator::new),
            effects: wanted.then_some(table),
        };
        let body = roomy().write_interface_response(&response).unwrap();
        let request = FetchInterfaceRequest { interface, effects: wanted };
        let read = roomy().read_interface_response(&body, &request).unwrap();
        prop_assert_eq!(read, FetchedInterface::Known(response));
    }

    #[test]
    fn trees((tree, depth) in tree()) {
        let limit = u32::try_from(tree.nodes().len()).unwrap();
        let request = FetchTreeRequest::new(path("/"), depth, limit, None).unwrap();
        let body = roomy().write_tree(&tree).unwrap();
        prop_assert_eq!(roomy().read_tree(&body, &request).unwrap(), tree);
    }

    #[test]
    fn observations((tree, depth) in observation()) {
        let request = ObserveRequest { path: path("/"), depth };
        let body = roomy().write_observation(&tree).unwrap();
        prop_assert_eq!(roomy().read_observation(&body, &request).unwrap(), tree);
    }

    #[test]
    fn observations_with_children_before_objects((tree, depth) in observation()) {
        let request = ObserveRequest { path: path("/"), depth };
        let mut body = String::new();
        write_turned(&tree, 0, &mut body);
        prop_assert_eq!(roomy().read_observation(body.as_bytes(), &request).unwrap(), tree);
    }

    #[test]
    fn fetched_objects((tree, _) in tree()) {
        let paths = tree.paths(&path("/"));
        let objects = tree.nodes().iter().map(|node| Ok(std::sync::Arc::clone(&node.object)));
        let response = FetchResponse { results: objects.collect() };
        let request = FetchRequest { entries: paths.into_iter().map(Ok).collect() };
        let body = roomy().write_fetch_request(&request).unwrap();
        prop_assert_eq!(&roomy().read_fetch_request(&body).unwrap(), &request);
        let body = roomy().write_fetch_response(&response).unwrap();
        prop_assert_eq!(roomy().read_fetch_response(&body, &request).unwrap(), response);
    }
}

/// A nested tree with its members in the other order; Objects are written by the codec, as trees of one node.
fn write_turned(tree: &worldspace_model::Tree, at: usize, out: &mut String) {
    use worldspace_model::{Causes, Expansion, Tree};
    let node = &tree.nodes()[at];
    let alone = vec![(std::sync::Arc::clone(&node.object), None, Expansion::Leaf)];
    let alone = roomy().write_observation(&Tree::new(alone, Causes::NONE).unwrap()).unwrap();
    let alone = String::from_utf8(alone).unwrap();
    let object = alone.strip_suffix(",\"children\":[]}").unwrap();
    out.push('{');
    if node.expansion == Expansion::Complete {
        out.push_str("\"children\":[");
        for child in node.children.clone() {
            if child > node.children.start {
                out.push(',');
            }
            write_turned(tree, child as usize, out);
        }
        out.push_str("],");
    }
    out.push_str(object.strip_prefix('{').unwrap());
    out.push('}');
}
