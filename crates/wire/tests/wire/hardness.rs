//! Bodies made to be expensive. Each is refused or read in time that grows with its length alone, on the stack of an
//! ordinary thread; quadratic work on any of them would take minutes.

use bytes::Bytes;
use worldspace_model::{ErrorCode, FetchInterfaceRequest, Field, ObserveRequest, ProtocolError, Rule, Type};
use worldspace_wire::{Class, Codec, FetchedInterface, Limits};

use crate::support::{call, echo, path, reference, roomy};

fn call_with(arguments: &str) -> Bytes {
    let head =
        r#""target":{"path":"/t"},"interface":{"reference":{"scope":"/","name":"i"}},"operation":"op""#;
    Bytes::from(format!(r#"{{{head},"arguments":{arguments}}}"#))
}

#[test]
fn a_million_open_brackets() {
    for opening in ["[", "{\"a\":", "[[[[{\"a\":[{\"b\":"] {
        let deep = opening.repeat(1_000_000);
        let error = roomy().read_observe_request(deep.as_bytes()).unwrap_err();
        assert!(matches!(error.class(), Class::NestingTooDeep | Class::InvalidField | Class::UnknownField));
        let error = roomy().read_call_request(&call_with(&format!("{{\"value\":{deep}")), None).unwrap_err();
        assert_eq!(error.class(), Class::NestingTooDeep);
        let request = ObserveRequest { path: path("/"), depth: 1 };
        roomy().read_observation(deep.as_bytes(), &request).unwrap_err();
    }
}

#[test]
fn the_deepest_value_and_type_that_the_largest_limit_allows() {
    let levels = Limits::MAX_NESTING - 2;
    let (open, close) = ("[".repeat(levels), "]".repeat(levels));
    let body = call_with(&format!("{{\"value\":{open}{close}}}"));
    let operation = echo(vec![], Type::JSON);
    let arguments = roomy().read_call_request(&body, None).unwrap().arguments.read(&operation).unwrap();
    assert_eq!(usize::from(arguments.get("value").unwrap().depth()), levels);
    roomy().write_call_request(&call(&operation, arguments.get("value").unwrap().clone())).unwrap();

    let deeper = call_with(&format!("{{\"value\":[{open}{close}]}}"));
    assert_eq!(roomy().read_call_request(&deeper, None).unwrap_err().class(), Class::NestingTooDeep);

    let mut ty = Type::UNIT;
    for _ in 0..Limits::MAX_NESTING - 8 {
        ty = Type::list(ty);
    }
    let descriptor = echo(vec![], ty).descriptor().clone();
    let request = FetchInterfaceRequest { interface: reference("/", "i"), effects: false };
    let response = worldspace_model::FetchInterfaceResponse {
        interface: request.interface.clone(),
        scope_ref: None,
        descriptor,
        validator: None,
        effects: None,
    };
    let body = roomy().write_interface_response(&response).unwrap();
    assert_eq!(roomy().read_interface_response(&body, &request), Ok(FetchedInterface::Known(response)));
}

#[test]
fn the_deepest_observation_that_the_largest_limit_allows() {
    // Each level is an object and a list; the last one holds an Object with an empty list.
    let levels = Limits::MAX_NESTING / 2 - 2;
    let object = |name: &str| format!(r#""object":{{"name":"{name}","interfaces":[]}}"#);
    let mut body = format!("{{{}}}", object("a"));
    for level in (0..levels).rev() {
        body = format!(r#"{{"children":[{body}],{}}}"#, object(if level == 0 { "" } else { "a" }));
    }
    let request = ObserveRequest { path: path("/"), depth: u32::try_from(levels).unwrap() };
    let tree = roomy().read_observation(body.as_bytes(), &request).unwrap();
    assert_eq!(tree.nodes().len(), levels + 1);
    let written = roomy().write_observation(&tree).unwrap();
    assert_eq!(written.len(), body.len());
}

#[test]
fn a_long_name_above_many_numbers() {
    let numbers = vec!["1"; 260_000].join(",");
    let body = call_with(&format!(r#"{{"value":{{"{}":[{numbers}]}}}}"#, "k".repeat(500_000)));
    let call = roomy().read_call_request(&body, None).unwrap();
    let arguments = call.arguments.read(&echo(vec![], Type::JSON)).unwrap();
    let (_, list) = &arguments.get("value").unwrap().as_record().unwrap().fields()[0];
    assert_eq!(list.as_list().unwrap().len(), 260_000);
}

#[test]
fn a_record_of_many_fields() {
    const WIDTH: usize = 20_000;
    let fields = (0..WIDTH).map(|at| Field::required(format!("field{at}"), Type::INTEGER));
    let operation = echo(vec![], Type::record(fields));
    // Against the order of the declaration, so that every name is looked up.
    let members = |last: &str| {
        let members: Vec<String> = (1..WIDTH).rev().map(|at| format!("\"field{at}\":{at}")).collect();
        call_with(&format!("{{\"value\":{{{},{last}}}}}", members.join(",")))
    };
    let read = |last: &str| roomy().read_call_request(&members(last), None);

    let arguments = read("\"field0\":0").unwrap().arguments.read(&operation).unwrap();
    assert_eq!(arguments.get("value").unwrap().as_record().unwrap().len(), WIDTH);
    let fault = read("\"other\":0").unwrap().arguments.read(&operation).unwrap_err();
    assert!(matches!(fault.rule(), Rule::UnknownField { .. }));
    for duplicate in ["\"field1\":0", "\"f\\u0069eld1\":0"] {
        let error = read(duplicate).unwrap_err();
        assert_eq!(error.class(), Class::InvalidJson);
        assert!(error.to_string().contains("`field1` stands twice"), "{error}");
    }
}

#[test]
fn unions_in_unions_with_every_payload_before_its_case() {
    let mut ty = Type::UNIT;
    let mut value = "null".to_owned();
    for _ in 0..120 {
        ty = Type::union([worldspace_model::UnionCase::carrying("c", ty)]);
        value = format!(r#"{{"value":{value},"$case":"c"}}"#);
    }
    let operation = echo(vec![], ty);
    let body = call_with(&format!("{{\"value\":{value}}}"));
    let arguments = roomy().read_call_request(&body, None).unwrap().arguments.read(&operation).unwrap();
    assert_eq!(arguments.get("value").unwrap().depth(), 120);
}

#[test]
fn a_chain_of_many_named_types() {
    const LENGTH: usize = 100_000;
    let chain = (1..LENGTH).map(|at| {
        let before = at - 1;
        format!(r#"{{"name":"T{at}","definition":{{"kind":"named","name":"T{before}"}}}}"#)
    });
    let types: Vec<String> =
        [r#"{"name":"T0","definition":{"kind":"unit"}}"#.to_owned()].into_iter().chain(chain).collect();
    let body = format!(
        r#"{{"interface":{{"scope":"/","name":"i"}},"descriptor":{{"format":"wip-interface/1","types":[{}],"operations":[]}}}}"#,
        types.join(",")
    );
    let request = FetchInterfaceRequest { interface: reference("/", "i"), effects: false };
    let read = roomy().read_interface_response(body.as_bytes(), &request).unwrap();
    assert!(
        matches!(read, FetchedInterface::Known(response) if response.descriptor.declaration().types.len() == LENGTH)
    );
}

#[test]
fn errors_stay_short_whatever_the_body_holds() {
    let long = "é".repeat(200_000);
    let bodies = [
        format!(r#"{{"{long}":1}}"#),
        format!(r#"{{"path":"{long}","depth":0}}"#),
        format!(r#"{{"path":"/","depth":"{long}"}}"#),
        format!(r#"{{"path":"/","depth":0,"{long}":{{"{long}":1}}}}"#),
    ];
    for body in bodies {
        let error = Codec::default().read_observe_request(body.as_bytes()).unwrap_err();
        assert!(error.to_string().len() < 1024, "{}", error.to_string().len());
        let error = ProtocolError::from(error);
        assert_eq!(error.code, ErrorCode::InvalidRequest);
        assert!(!error.message.as_str().contains(&long[..400]));
    }
    let operation = echo(vec![], Type::one_of(["a"]));
    for value in [format!("\"{long}\""), format!("{{\"{long}\":1}}")] {
        let body = call_with(&format!("{{\"value\":{value}}}"));
        let fault = roomy().read_call_request(&body, None).unwrap().arguments.read(&operation).unwrap_err();
        assert!(fault.to_string().len() < 1024);
    }
}
