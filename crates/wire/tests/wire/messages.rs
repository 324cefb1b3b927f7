//! What the shared vectors do not hold: the extensions of this protocol, and what errors say.

use bytes::Bytes;
use worldspace_model::{
    Capabilities, Declaration, Descriptor, Effect, EffectTable, Effects, ErrorCode, FetchInterfaceRequest,
    FetchRequest, FetchTreeRequest, Field, Interaction, JournalTerms, ObserveRequest, OperationDeclaration,
    ProtocolError, StatedLimits, Type, UnionCase,
};
use worldspace_wire::{Codec, Content, DecodeError, FetchedInterface, Outcome};

use crate::support::{echo, path, reference};

/// Each body is refused, and what is said of it begins like this.
#[track_caller]
fn refused<T: std::fmt::Debug>(read: impl Fn(&[u8]) -> Result<T, DecodeError>, cases: &[(&str, &str)]) {
    for (body, said) in cases {
        let error = read(body.as_bytes()).expect_err(body);
        assert!(error.to_string().starts_with(said), "{body}\n  said: {error}\n  not:  {said}");
    }
}

#[test]
fn requests_say_where_and_why() {
    let codec = Codec::default();
    refused(
        |body| codec.read_fetch_tree_request(body),
        &[
            ("", "the body ends where a value is expected (byte 0)"),
            ("[]", "expected record, found list"),
            (r#"{"entry":"/","depth":1}"#, "the required field `limit` is absent"),
            (r#"{"entry":"/","depth":1,"limits":1}"#, "there is no field `limits`; did you mean `limit`?"),
            (r#"{"entry":"a","depth":1,"limit":1}"#, "entry: a path begins with `/`"),
            (r#"{"entry":"/","depth":-1,"limit":1}"#, "depth: a whole number from 0 to 4294967295"),
            (r#"{"entry":"/","depth":1,"limit":4294967296}"#, "limit: a whole number from 0 to 4294967295"),
            (r#"{"entry":"/","depth":1,"limit":0}"#, "limit: `limit` counts the entry itself"),
            (r#"{"entry":"/","depth":0,"limit":1,"after":"a"}"#, "after: `after` names a child"),
            (r#"{"entry":"/","depth":1,"limit":1,"after":"a/b"}"#, "after: `a/b` cannot be a segment"),
            (r#"{"entry":"/","depth":1,"limit":1,"after":null}"#, "after: null is no value here"),
            (r#"{"entry":"/","depth":1,"limit":1} x"#, "there is text behind the body (byte 34)"),
            (r#"{"entry":"/","entry":"/"}"#, "the field `entry` stands twice"),
            (r#"{"entry":"\ud800"}"#, "entry: half of a surrogate pair stands alone"),
            ("\u{feff}{}", "the body begins with a byte order mark"),
            (r#"{"entry":"/","depth":01,"limit":1}"#, "depth: a number has no leading zero"),
            (r#"{"entry":"/","depth":1e999,"limit":1}"#, "depth: a number is too large for binary64"),
        ],
    );
    refused(
        |body| codec.read_call_request(&Bytes::copy_from_slice(body), None),
        &[(
            r#"{"target":{"path":"/"},"interface":{"reference":{"scope":"/","name":""}}}"#,
            "interface.reference.name: an interface has a name that is not empty",
        )],
    );
}

#[test]
fn a_path_that_is_none_is_refused_for_itself_only() {
    let request = Codec::default().read_fetch_request(br#"{"entries":["/a","b","/c/"]}"#).unwrap();
    let accepted: Vec<bool> = request.entries.iter().map(Result::is_ok).collect();
    assert_eq!(accepted, [true, false, false]);
    refused(
        |body| Codec::default().read_fetch_request(body),
        &[(r#"{"entries":["/a",1]}"#, "entries[1]: expected string, found number")],
    );
}

#[test]
fn arguments_say_which_one_and_why() {
    let union = Type::union([UnionCase::bare("none"), UnionCase::carrying("some", Type::BYTES)]);
    let item = Type::record([Field::required("id", Type::INTEGER), Field::optional("what", union)]);
    let operation = echo(vec![], Type::list(item));
    let read = |arguments: &str| {
        let body = format!(
            r#"{{"arguments":{arguments},"target":{{"path":"/"}},"interface":{{"reference":{{"scope":"/","name":"i"}}}},"operation":"op"}}"#
        );
        let call = Codec::default().read_call_request(&Bytes::from(body), None).unwrap();
        call.arguments.read(&operation).map_err(|fault| fault.to_string())
    };
    for accepted in [
        r#"{"value":[]}"#,
        r#"{"value":[{"id":-0}]}"#,
        r#"{"value":[{"id":1,"what":{"value":"AA==","$case":"some"}}],"other":null}"#,
    ] {
        read(accepted).unwrap();
    }
    for (refused, said) in [
        ("{}", "the required argument `value` is absent"),
        (r#"{"value":[],"valeu":1}"#, "there is no parameter `valeu`; did you mean `value`?"),
        (r#"{"value":null}"#, "value: expected list, found unit"),
        (r#"{"value":[{"id":1},{"id":1.0}]}"#, "value[1].id: expected integer, found number"),
        (r#"{"value":[{"id":9007199254740992}]}"#, "value[0].id: an integer lies within"),
        (r#"{"value":[{}]}"#, "value[0]: the required field `id` is absent"),
        (
            r#"{"value":[{"id":1,"what":null}]}"#,
            "value[0].what: null is no value here; what is absent is left out",
        ),
        (r#"{"value":[{"id":1,"what":{}}]}"#, "value[0].what: the required field `$case` is absent"),
        (
            r#"{"value":[{"id":1,"what":{"$case":"sone"}}]}"#,
            "value[0].what: there is no case `sone`; did you mean",
        ),
        (r#"{"value":[{"id":1,"what":{"$case":"some"}}]}"#, "value[0].what: the case `some` needs a `value`"),
        (
            r#"{"value":[{"id":1,"what":{"value":1,"$case":"none"}}]}"#,
            "value[0].what: the case `none` takes no `value`",
        ),
        (
            r#"{"value":[{"id":1,"what":{"value":"AB==","$case":"some"}}]}"#,
            "value[0].what.value: bytes are written in canonical base64",
        ),
        (r#"{"value":[],"other":9007199254740993}"#, "other: binary64 cannot hold this integer exactly"),
    ] {
        let fault = read(refused).expect_err(refused);
        assert!(fault.starts_with(said), "{refused}\n  said: {fault}\n  not:  {said}");
    }
}

#[test]
fn a_number_is_what_its_spelling_and_its_type_say() {
    // How each spelling is written again, under `json`, `number` and `integer`.
    let refused = None;
    for (spelled, under_json, under_number, under_integer) in [
        ("0", Some("0"), Some("0.0"), Some("0")),
        ("-0", Some("-0.0"), Some("-0.0"), Some("0")),
        ("1.0", Some("1.0"), Some("1.0"), refused),
        ("1e3", Some("1000.0"), Some("1000.0"), refused),
        ("9007199254740991", Some("9007199254740991"), Some("9007199254740991.0"), Some("9007199254740991")),
        ("9007199254740992", Some("9007199254740992.0"), Some("9007199254740992.0"), refused),
        ("9007199254740993", refused, Some("9007199254740992.0"), refused),
        ("-9223372036854775808", Some("-9.223372036854776e+18"), Some("-9.223372036854776e+18"), refused),
        ("36893488147419103232", Some("3.6893488147419103e+19"), Some("3.6893488147419103e+19"), refused),
        ("36893488147419103233", refused, Some("3.6893488147419103e+19"), refused),
        ("1e-400", Some("0.0"), Some("0.0"), refused),
        ("1e400", refused, refused, refused),
    ] {
        for (ty, written) in
            [(Type::JSON, under_json), (Type::NUMBER, under_number), (Type::INTEGER, under_integer)]
        {
            let operation = echo(vec![], ty);
            let codec = Codec::default();
            let body = format!(r#"{{"result":{spelled}}}"#);
            let answer = codec.read_call_answer(body.as_bytes(), &operation).ok();
            let again = answer.map(|answer| codec.write_call_answer(&answer).unwrap());
            let expected = written.map(|written| format!(r#"{{"result":{written}}}"#).into_bytes());
            assert_eq!(again, expected, "{spelled}");
        }
    }
}

#[test]
fn answers_are_held_against_their_request() {
    let codec = Codec::default();
    let object = |name: &str| format!(r#"{{"name":"{name}","interfaces":[{{"scope":"/","name":"i"}}]}}"#);
    let node = |name: &str, parent: &str, expansion: &str| {
        format!(r#"{{"object":{},{parent}"expansion":"{expansion}"}}"#, object(name))
    };
    let tree = |nodes: &[String], rest: &str| format!(r#"{{"nodes":[{}],{rest}}}"#, nodes.join(","));
    let whole = r#""truncated":false,"truncated_by":[]"#;
    let request = FetchTreeRequest::new(path("/a"), 1, 2, None).unwrap();
    let read = |body: &[u8]| codec.read_tree(body, &request);
    let (top, child) = (node("a", "", "complete"), node("b", r#""parent":0,"#, "leaf"));
    read(tree(&[top.clone(), child.clone()], whole).as_bytes()).unwrap();
    let third = node("c", r#""parent":0,"#, "leaf");
    let open = node("b", r#""parent":0,"#, "unexplored");
    refused(
        read,
        &[
            (&tree(&[], whole), "a tree has at least one node"),
            (&tree(&[node("x", "", "leaf")], whole), "nodes[0].name: an Object's name is the last segment"),
            (
                &tree(&[top.clone(), child.clone(), child.clone()], whole),
                "nodes[0]: the child `b` stands twice",
            ),
            (&tree(&[top.clone(), child.clone(), third], whole), "there are more nodes than were asked for"),
            (&tree(&[top.clone(), open], whole), "a tree is truncated exactly when"),
            (&tree(&[node("a", "", "whole")], whole), "nodes[0].expansion: there is no case `whole`"),
            (
                &tree(&[node("a", "", "leaf")], r#""truncated":true,"truncated_by":[]"#),
                "truncated: `truncated` is true exactly when",
            ),
            (
                &tree(&[node("a", "", "unexplored")], r#""truncated":true,"truncated_by":["depth","depth"]"#),
                "truncated_by[1]: each cause stands once",
            ),
        ],
    );

    let request = FetchRequest { entries: vec![Ok(path("/a")), Ok(path("/b"))] };
    let results = |results: &[&str]| format!(r#"{{"results":[{}]}}"#, results.join(","));
    let (a, b) = (format!(r#"{{"object":{}}}"#, object("a")), format!(r#"{{"object":{}}}"#, object("b")));
    let failed = |code: &str| format!(r#"{{"error":{{"code":"{code}","message":"m"}}}}"#);
    let read = |body: &[u8]| codec.read_fetch_response(body, &request);
    let response = read(results(&[&a, &failed("not_found")]).as_bytes()).unwrap();
    assert_eq!(response.results[1], Err(ProtocolError::new(ErrorCode::NotFound, "m")));
    refused(
        read,
        &[
            (&results(&[&a]), "there is one result for each entry"),
            (&results(&[&a, &b, &b]), "results[2]: there is one result for each entry"),
            (&results(&[&b, &a]), "results[0].object.name: an Object's name is the last segment"),
            (
                &results(&[&a, &failed("interface_mismatch")]),
                "results[1].error: this error code does not belong",
            ),
            (&results(&["{}"]), "results[0]: a result has an object or an error"),
        ],
    );

    let request = ObserveRequest { path: path("/a"), depth: 1 };
    let nested = format!(r#"{{"object":{},"children":[{{"object":{}}},{{}}]}}"#, object("a"), object("b"));
    refused(
        |body| codec.read_observation(body, &request),
        &[(&nested, "children[1]: the required field `object` is absent")],
    );
}

#[test]
fn effects_come_only_where_they_are_wanted() {
    let codec = Codec::default();
    let operations = vec![OperationDeclaration::new("look"), OperationDeclaration::new("drop it")];
    let descriptor = Descriptor::new(Declaration { operations, ..Declaration::default() }).unwrap();
    let effects = vec![("drop it".into(), Effects::new([Effect::Destructive, Effect::Guarded]).unwrap())];
    let effects = EffectTable::new(&descriptor, effects).unwrap();
    let interface = reference("/", "i");
    let response = worldspace_model::FetchInterfaceResponse {
        interface: interface.clone(),
        scope_ref: None,
        descriptor,
        validator: None,
        effects: Some(effects),
    };
    let body = String::from_utf8(codec.write_interface_response(&response).unwrap()).unwrap();
    assert!(body.ends_with(r#""effects":{"look":[],"drop it":["destructive","guarded"]}}"#), "{body}");
    let wanted = |effects| FetchInterfaceRequest { interface: interface.clone(), effects };
    let read = codec.read_interface_response(body.as_bytes(), &wanted(true));
    assert_eq!(read, Ok(FetchedInterface::Known(response)));
    refused(
        |body| codec.read_interface_response(body, &wanted(false)),
        &[(&body, "there is no field `effects`")],
    );
    refused(
        |body| codec.read_interface_response(body, &wanted(true)),
        &[
            (
                &body.replace("\"look\":[]", "\"lock\":[]"),
                "effects.lock: effects name operations of the interface, each at most once",
            ),
            (&body.replace("destructive", "fatal"), "effects.`drop it`[0]: there is no case `fatal`"),
            (&body.replace("destructive", "read"), "effects.`drop it`: `read` stands alone"),
            (
                &body.replace("\"look\":[]", "\"drop\\u0020it\":[]"),
                "effects: the field `drop it` stands twice",
            ),
        ],
    );
}

#[test]
fn capabilities_read_back_and_pass_over_what_is_not_known() {
    let codec = Codec::default();
    let capabilities = Capabilities {
        interactions: vec![Interaction::Fetch, Interaction::Observe],
        encodings: vec!["application/json".to_owned()],
        extensions: vec!["effects".to_owned()],
        limits: StatedLimits {
            request_bytes: 1,
            response_bytes: 2,
            nesting: 3,
            fetch_entries: 4,
            tree_nodes: 5,
            tree_depth: 6,
        },
        journal: Some(JournalTerms { epoch: "e".to_owned(), retention_s: 7 }),
    };
    let body = String::from_utf8(codec.write_capabilities(&capabilities).unwrap()).unwrap();
    assert_eq!(codec.read_capabilities(body.as_bytes()).as_ref(), Ok(&capabilities));
    let later = body
        .replace("\"wip\":1", "\"later\":{\"a\":[1]},\"wip\":1")
        .replace("\"fetch\"", "\"fetch\",\"watch\"")
        .replace("\"nesting\":3", "\"nesting\":3,\"more\":null")
        .replace("\"epoch\"", "\"x\":[],\"epoch\"");
    assert_eq!(codec.read_capabilities(later.as_bytes()), Ok(capabilities));
    refused(
        |body| codec.read_capabilities(body),
        &[
            ("{}", "the required field `wip` is absent"),
            (&body.replace("\"wip\":1", "\"wip\":2"), "wip: only version 1 is known"),
            (&body.replace("\"nesting\":3,", ""), "limits: the required field `nesting` is absent"),
            (&later.replace("\"later\"", "\"w\\u0069p\""), "wip: "),
            (&later.replace("\"more\"", "\"nesting\""), "limits: "),
        ],
    );
}

#[test]
fn an_error_of_any_length_is_written_under_any_limit() {
    let codec = Codec::json(worldspace_wire::Limits::new(1, 1, 1).unwrap());
    let error = ProtocolError::new(ErrorCode::Internal, "\u{1}".repeat(5000));
    let body = codec.write_error(&error);
    assert_eq!(Codec::default().read_error(&body), Ok(error));
}

#[test]
fn a_body_that_was_given_up_is_an_answer_that_is_too_large() {
    let codec = Codec::json(worldspace_wire::Limits::new(10, 10, 64).unwrap());
    let classify = |status| {
        codec.classify(Interaction::Observe, status, Content::Readable, b"{\"object\":{", |body| {
            codec.read_error(body)
        })
    };
    assert!(
        matches!(classify(200), Outcome::Invalid { cause: Some(error), .. } if error.class().name() == "body_too_large")
    );
    assert!(matches!(classify(500), Outcome::Foreign { status: 500, .. }));
}
