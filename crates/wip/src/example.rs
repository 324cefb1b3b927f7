//! How an argument is written that is more than a word: an example made from its declared type alone.

use worldspace_model::{Shape, TypeRef, UnionCases};

use crate::show::text;

/// An example ends soon behind so many bytes; it is to show a form and not all there is.
const LONG: usize = 160;

/// So many cases are named, and names of so many characters.
const CASES: usize = 6;
const NAME: usize = 40;

/// `NAME:=JSON` with a value of that type, where a word alone cannot be one.
pub(crate) fn word(name: &str, ty: TypeRef<'_>) -> Option<String> {
    if !is_structured(ty) {
        return None;
    }
    let mut out = format!("{name}:=");
    let most = out.len() + LONG;
    value(&mut out, ty, most);
    Some(out)
}

/// How the cases are written of the first union in values of that type that has some which carry something, and which
/// there are.
pub(crate) fn of_cases(ty: TypeRef<'_>) -> Option<String> {
    let mut nodes = LONG;
    let union = first_union(ty, &mut nodes)?;
    let name = |name| text::name(text::clip(name, NAME).as_ref()).into_owned();
    let mut cases: Vec<String> = union.iter().take(CASES).map(|case| name(case.name)).collect();
    if let Some(more @ 1..) = union.len().checked_sub(CASES) {
        cases.push(format!("{more} more"));
    }
    Some(format!("a case is written {{\"$case\": \"…\", \"value\": …}}; there are {}", cases.join(", ")))
}

fn is_structured(ty: TypeRef<'_>) -> bool {
    match ty.shape() {
        Shape::Record(_) => true,
        // The name alone is enough for a case that carries nothing.
        Shape::Union(cases) => cases.iter().any(|case| case.payload.is_some()),
        Shape::List(items) => matches!(items.shape(), Shape::List(_)) || is_structured(items),
        _ => false,
    }
}

/// Of a type that was seen before there may be as many as there are paths to it, so that so many are looked at.
fn first_union<'a>(ty: TypeRef<'a>, nodes: &mut usize) -> Option<UnionCases<'a>> {
    *nodes = nodes.checked_sub(1)?;
    match ty.shape() {
        Shape::Union(cases) if is_structured(ty) => Some(cases),
        Shape::List(items) => first_union(items, nodes),
        Shape::Record(members) => members.iter().find_map(|member| first_union(member.ty, nodes)),
        _ => None,
    }
}

/// Writes a value of the type: what must be there, and of cases the first that carries something.
fn value(out: &mut String, ty: TypeRef<'_>, most: usize) {
    if out.len() > most {
        out.push('…');
        return;
    }
    match ty.shape() {
        Shape::Unit => out.push_str("null"),
        Shape::Boolean => out.push_str("true"),
        Shape::Integer | Shape::Number => out.push('1'),
        Shape::String | Shape::Bytes | Shape::Json => out.push_str("\"…\""),
        Shape::Entry => out.push_str("\"/…\""),
        Shape::List(items) => {
            out.push('[');
            value(out, items, most);
            out.push(']');
        }
        Shape::Enum(cases) => match cases.names().first() {
            Some(case) => out.push_str(&string(case)),
            None => out.push('…'),
        },
        Shape::Union(cases) => {
            let case = cases.iter().find(|case| case.payload.is_some()).or_else(|| cases.iter().next());
            let Some(case) = case else { return out.push('…') };
            out.push_str(&format!("{{\"$case\": {}", string(case.name)));
            if let Some(payload) = case.payload {
                out.push_str(", \"value\": ");
                value(out, payload, most);
            }
            out.push('}');
        }
        Shape::Record(members) => {
            let none_required = members.required() == 0;
            out.push('{');
            let shown =
                members.iter().filter(|member| member.required || (none_required && member.index == 0));
            for (at, member) in shown.enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                if out.len() > most {
                    out.push('…');
                    break;
                }
                out.push_str(&format!("{}: ", string(member.name)));
                value(out, member.ty, most);
            }
            out.push('}');
        }
    }
}

/// A name as JSON.
fn string(name: &str) -> String {
    serde_json::Value::from(text::clip(name, NAME)).to_string()
}

#[cfg(test)]
mod tests {
    use worldspace_model::{Declaration, Descriptor, Field, OperationDeclaration, Type, UnionCase};

    use super::*;

    fn taking<T>(ty: Type, check: impl FnOnce(TypeRef<'_>) -> T) -> T {
        let operations = vec![OperationDeclaration::new("op").takes([Field::required("x", ty)])];
        let descriptor = Descriptor::new(Declaration { operations, ..Declaration::default() }).unwrap();
        check(descriptor.operation("op").unwrap().parameters().at(0).ty)
    }

    fn test_of(ty: Type) -> Type {
        Type::union([UnionCase::bare("null"), UnionCase::carrying("equal", ty)])
    }

    #[test]
    fn an_example_is_a_value_of_the_type() {
        let column = Type::one_of(["id", "na me"]);
        let order = Type::record([
            Field::optional("descending", Type::BOOLEAN),
            Field::required("column", column),
            Field::required("tags", Type::list(Type::JSON)),
        ]);
        let condition = Type::union([UnionCase::carrying("id", test_of(Type::INTEGER))]);
        for (ty, json) in [
            (Type::list(order), r#"[{"column": "id", "tags": ["…"]}]"#),
            (
                Type::list(Type::list(condition)),
                r#"[[{"$case": "id", "value": {"$case": "equal", "value": 1}}]]"#,
            ),
            (Type::record([Field::optional("a", Type::ENTRY)]), r#"{"a": "/…"}"#),
            (Type::record([]), "{}"),
            (Type::list(Type::list(Type::NUMBER)), "[[1]]"),
        ] {
            let word = taking(ty, |ty| {
                let word = word("x", ty);
                let value: Option<serde_json::Value> =
                    word.as_ref().and_then(|word| serde_json::from_str(&word[3..]).ok());
                assert!(value.is_some(), "{word:?}");
                word
            });
            assert_eq!(word, Some(format!("x:={json}")));
        }
        for simple in
            [Type::STRING, Type::list(Type::STRING), Type::JSON, Type::union([UnionCase::bare("a")])]
        {
            assert_eq!(taking(simple, |ty| word("x", ty)), None);
        }
    }

    #[test]
    fn cases_are_named_where_some_carry_something() {
        let many = (0..9).map(|n| UnionCase::carrying(format!("c{n}"), Type::UNIT));
        let many = Type::record([
            Field::required("kind", Type::union([UnionCase::bare("a")])),
            Field::optional("cases", Type::list(Type::union(many))),
        ]);
        let said = taking(many, of_cases).unwrap();
        assert!(said.ends_with("there are c0, c1, c2, c3, c4, c5, 3 more"), "{said}");
        assert_eq!(taking(Type::list(Type::STRING), of_cases), None);
    }

    /// A Host's declaration may be as large as its answer.
    #[test]
    fn examples_are_short_whatever_is_declared() {
        let wide = |ty: Type| {
            Type::record((0..20).map(|n| Field::required(format!("{n}{}", "x".repeat(500)), ty.clone())))
        };
        let large = (0..3).fold(Type::INTEGER, |ty, _| wide(ty));
        let deep = (0..200).fold(Type::union([]), |ty, _| test_of(ty));
        for ty in [large, deep, Type::list(wide(Type::STRING))] {
            let (word, cases) = taking(ty, |ty| (word("x", ty).unwrap(), of_cases(ty).unwrap_or_default()));
            assert!(word.len() < 1000 && cases.len() < 1000, "{word}\n{cases}");
        }
    }
}
