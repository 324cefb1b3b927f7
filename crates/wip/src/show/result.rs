//! Results by their declared type: fields aligned, lists of records as tables, long text as it is.

use worldspace_model::{
    EntryPath, Member, Members, Operation, Record, Shape, TypeKind, TypeRef, UnionCases, Value,
};

use super::command::Commands;
use super::style::{self, styled};
use super::{rows, table, text};

/// So many entries of a result are listed by themselves.
const ENTRIES: usize = 10;

pub(crate) fn render(value: &Value, ty: TypeRef<'_>, width: Option<usize>) -> String {
    let mut out = String::new();
    block(&mut out, value, ty, width);
    out
}

/// The entries that a result names, as what can be looked at next.
pub(crate) fn next_steps(value: &Value, commands: &Commands) -> String {
    let entries = distinct(value.entries());
    let mut out = String::new();
    if entries.is_empty() {
        return out;
    }
    out.push_str(&styled(style::FAINT, "look at next:"));
    out.push('\n');
    for entry in entries.iter().take(ENTRIES) {
        out.push_str(&format!("  {}\n", commands.command(&["inspect", entry.as_str()])));
    }
    if let Some(more @ 1..) = entries.len().checked_sub(ENTRIES) {
        out.push_str(&format!(
            "  and {}; `-o json` lists all\n",
            text::count(more, "entry more", "entries more")
        ));
    }
    out
}

/// Each entry once, in the order of its first mention.
pub(crate) fn distinct(entries: Vec<&EntryPath>) -> Vec<&EntryPath> {
    let mut seen = std::collections::HashSet::new();
    entries.into_iter().filter(|entry| seen.insert(*entry)).collect()
}

/// What fills lines of its own. Values are of bounded depth, so recursion is.
fn block(out: &mut String, value: &Value, ty: TypeRef<'_>, width: Option<usize>) {
    match (ty.shape(), value) {
        (Shape::Unit, _) => out.push_str("done\n"),
        (Shape::String, Value::String(string)) => {
            out.push_str(&text::block(string));
            if !string.ends_with('\n') {
                out.push('\n');
            }
        }
        (Shape::Record(members), Value::Record(record)) if !record.is_empty() => {
            fields(out, members, record, width);
        }
        (Shape::List(items), Value::List(list)) => match items.shape() {
            _ if list.items().is_empty() => out.push_str("none\n"),
            Shape::Record(members) => rows::of_records(out, members, list.items(), width),
            _ => list.items().iter().for_each(|item| {
                out.push_str(&inline(item, items));
                out.push('\n');
            }),
        },
        (Shape::Union(cases), Value::Record(record)) => union(out, cases, record, width),
        (Shape::Json, value) => {
            pretty(out, value, 0);
            out.push('\n');
        }
        (_, value) => {
            out.push_str(&inline(value, ty));
            out.push('\n');
        }
    }
}

fn fields(out: &mut String, members: Members<'_>, record: &Record, width: Option<usize>) {
    let headed = rows::headed(members, record);
    // Heads stand above their rows and not by themselves.
    let is_head = |name: &str| headed.as_ref().is_some_and(|headed| headed.heads_in == name);
    let present = || {
        let there = members.iter().filter_map(|member| Some((member, record.get(member.name)?)));
        there.filter(|(member, _)| !is_head(member.name))
    };
    let is_rows = |name: &str| headed.as_ref().is_some_and(|headed| headed.rows_in == name);
    let is_short = |name: &str, value: &Value, ty: TypeRef<'_>| !is_rows(name) && is_short(value, ty);
    let short: Vec<_> = present()
        .filter(|(member, value)| is_short(member.name, value, member.ty))
        .map(|(member, value)| (text::line(member.name).into_owned(), inline(value, member.ty)))
        .collect();
    table::fields(out, &short);
    let long = present().filter(|(member, value)| !is_short(member.name, value, member.ty));
    for (at, (member, value)) in long.enumerate() {
        if at > 0 || !short.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{}\n", styled(style::FAINT, text::line(member.name) + ":")));
        match &headed {
            Some(headed) if headed.rows_in == &**member.name => headed.write(out, width),
            _ => block(out, value, member.ty, width),
        }
    }
}

fn is_short(value: &Value, ty: TypeRef<'_>) -> bool {
    match (ty.shape(), value) {
        (Shape::String, Value::String(string)) => !string.contains('\n'),
        (Shape::Record(_), Value::Record(record)) => record.is_empty(),
        (Shape::List(items), Value::List(list)) => match items.shape() {
            Shape::Record(_) | Shape::Union(_) | Shape::List(_) | Shape::Json => list.items().is_empty(),
            Shape::String => list.items().len() <= 1 || fits_a_line(list.items()),
            _ => list.items().len() <= 1,
        },
        (Shape::Union(_), Value::Record(record)) => record.get("value").is_none(),
        (Shape::Json, value) => value.depth() == 0,
        _ => true,
    }
}

/// Whether texts can stand beside one another: a few short ones, each of which can be told from the next.
fn fits_a_line(texts: &[Value]) -> bool {
    let texts = || texts.iter().filter_map(Value::as_str);
    texts().map(|text| text.chars().count() + 2).sum::<usize>() <= A_LINE
        && texts().all(|text| !text.is_empty() && !text.contains([',', '[', ']', '\n']))
}

/// So long may a list of texts be that stands in one line.
const A_LINE: usize = 60;

fn union(out: &mut String, cases: UnionCases<'_>, record: &Record, width: Option<usize>) {
    let Some(case) = record.get("$case").and_then(Value::as_str) else { return };
    out.push_str(&styled(style::STRONG, text::line(case)));
    let payload = cases.find(case).and_then(|case| case.payload).zip(record.get("value"));
    match payload {
        None => out.push('\n'),
        Some((ty, value)) if is_short(value, ty) => out.push_str(&format!(": {}\n", inline(value, ty))),
        Some((ty, value)) => {
            out.push_str(":\n");
            block(out, value, ty, width);
        }
    }
}

/// What stands within a line.
pub(super) fn inline(value: &Value, ty: TypeRef<'_>) -> String {
    match (ty.shape(), value) {
        (Shape::Union(cases), Value::Record(record)) => {
            let Some(case) = record.get("$case").and_then(Value::as_str) else { return String::new() };
            let shown = text::line(case).into_owned();
            match cases.find(case).and_then(|case| case.payload).zip(record.get("value")) {
                Some((ty, value)) => format!("{shown}({})", inline(value, ty)),
                None => shown,
            }
        }
        (Shape::Record(members), Value::Record(record)) => {
            let field = |(name, value): &(worldspace_model::Name, Value)| {
                let ty = members.find(name).map(|member| member.ty);
                let value = ty.map_or_else(|| compact(value), |ty| inline(value, ty));
                format!("{}: {value}", text::line(name))
            };
            format!("{{{}}}", record.fields().iter().map(field).collect::<Vec<_>>().join(", "))
        }
        (Shape::List(items), Value::List(list)) => {
            format!(
                "[{}]",
                list.items().iter().map(|item| inline(item, items)).collect::<Vec<_>>().join(", ")
            )
        }
        (Shape::String, Value::String(string)) => text::line(string).into_owned(),
        (Shape::Enum(_), Value::String(case)) => text::line(case).into_owned(),
        (_, value) => compact(value),
    }
}

/// A value by its look, as JSON where it has a form in JSON.
fn compact(value: &Value) -> String {
    match value {
        Value::Unit => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.get().to_string(),
        Value::Number(value) => number(value.get()),
        Value::String(value) => text::line(&worldspace_idl::quote::string(value)).into_owned(),
        Value::Bytes(bytes) => text::size(bytes.len()),
        Value::Entry(path) => super::path(path).into_owned(),
        Value::List(list) => {
            format!("[{}]", list.items().iter().map(compact).collect::<Vec<_>>().join(", "))
        }
        Value::Record(record) => {
            let field = |(name, value): &(worldspace_model::Name, Value)| {
                format!("{}: {}", text::line(&worldspace_idl::quote::string(name)), compact(value))
            };
            format!("{{{}}}", record.fields().iter().map(field).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Exact, and without an exponent where people would not write one.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-5..1e16).contains(&value.abs()) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// JSON with a line for each member.
fn pretty(out: &mut String, value: &Value, level: usize) {
    let line = |out: &mut String, level: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(level));
    };
    match value {
        Value::List(list) if value.depth() > 1 || list.items().len() > 8 => {
            out.push('[');
            for (at, item) in list.items().iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                line(out, level + 1);
                pretty(out, item, level + 1);
            }
            line(out, level);
            out.push(']');
        }
        Value::Record(record) if !record.is_empty() => {
            out.push('{');
            for (at, (name, value)) in record.fields().iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                line(out, level + 1);
                out.push_str(&text::line(&worldspace_idl::quote::string(name)));
                out.push_str(": ");
                pretty(out, value, level + 1);
            }
            line(out, level);
            out.push('}');
        }
        value => out.push_str(&compact(value)),
    }
}

/// The bytes or text that `--output` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Payload<'a> {
    pub(crate) content: &'a [u8],
    /// The field that it stands in; none where it is the whole result.
    field: Option<&'a str>,
}

/// The result itself, or the one field that it is about. The declaration alone decides, so that what a file holds is the
/// same for every result of an operation: of a record that is a type of its own, all fields matter, and what may be
/// absent is a cursor or a remark.
pub(crate) fn payload<'a>(value: &'a Value, operation: &'a Operation) -> Option<Payload<'a>> {
    let raw = |value: &'a Value, ty: TypeRef<'_>| match (ty.shape(), value) {
        (Shape::String, Value::String(string)) => Some(string.as_bytes()),
        (Shape::Bytes, Value::Bytes(bytes)) => Some(&**bytes),
        _ => None,
    };
    let ty = operation.returns();
    let (Shape::Record(members), Value::Record(record)) = (ty.shape(), value) else {
        return Some(Payload { content: raw(value, ty)?, field: None });
    };
    if let TypeKind::Named(_) = operation.declaration().returns.kind() {
        return None;
    }
    let member = subject(members)?;
    Some(Payload { content: raw(record.get(member.name)?, member.ty)?, field: Some(member.name) })
}

/// The one required field of bytes, or else of text, where all others are numbers, flags and remarks.
fn subject<'a>(members: Members<'a>) -> Option<Member<'a>> {
    let is_bytes = |member: &Member<'_>| matches!(member.ty.shape(), Shape::Bytes);
    let is_text = |member: &Member<'_>| member.required && matches!(member.ty.shape(), Shape::String);
    let subject = members.iter().find(is_bytes).or_else(|| members.iter().find(is_text))?;
    let is_beside = |member: &Member<'_>| match member.ty.shape() {
        Shape::Integer | Shape::Number | Shape::Boolean => true,
        Shape::String => !member.required,
        _ => false,
    };
    let others_are_beside =
        members.iter().filter(|member| member.index != subject.index).all(|member| is_beside(&member));
    (subject.required && others_are_beside).then_some(subject)
}

/// What a result says beside the field that was written to a file: its other fields on a line, and a warning for what
/// says that the field is not the whole of something.
pub(crate) fn beside(value: &Value, ty: TypeRef<'_>, written: Option<Payload<'_>>) -> String {
    let (Shape::Record(members), Value::Record(record)) = (ty.shape(), value) else { return String::new() };
    let mut out = String::new();
    if let Some(Payload { field: Some(field), .. }) = written {
        let others = members.iter().filter(|member| member.name.as_ref() != field);
        let others = others.filter_map(|member| {
            let value = inline(record.get(member.name)?, member.ty);
            Some(format!("{}: {value}", text::line(member.name)))
        });
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            out.push_str(&format!("{}\n", text::clip(&others.join(", "), BESIDE)));
        }
    }
    if let Some(Value::Boolean(true)) = record.get("truncated") {
        out.push_str(&part("the result says `truncated: true`"));
    } else if record.get("next_cursor").is_some() {
        out.push_str(&part("the result has a `next_cursor`"));
    } else if let (Some(written), Some(Value::Integer(size))) = (written, record.get("size"))
        && i64::try_from(written.content.len()).is_ok_and(|length| length < size.get())
    {
        let (length, size) = (written.content.len(), size.get());
        out.push_str(&part(&format!("the result says `size: {size}`, and this is {length} of it")));
    }
    out
}

fn part(why: &str) -> String {
    format!("{}: {why}: what was written is a part\n", styled(style::WARNING, "warning"))
}

/// So much is said of the other fields; a long list among them is not what was asked for.
const BESIDE: usize = 2000;

#[cfg(test)]
mod tests {
    use worldspace_model::{
        Declaration, Descriptor, Field, OperationDeclaration, Type, TypeDeclaration, UnionCase,
    };

    use super::*;

    /// An operation of that result, beside a type `Named`.
    fn operation(ty: Type, named: Type) -> Operation {
        let operations = vec![OperationDeclaration::new("op").returns(ty)];
        let types = vec![TypeDeclaration { name: "Named".into(), documentation: None, definition: named }];
        let descriptor =
            Descriptor::new(Declaration { operations, types, ..Declaration::default() }).unwrap();
        descriptor.operation("op").unwrap()
    }

    fn returning<T>(ty: Type, check: impl FnOnce(TypeRef<'_>) -> T) -> T {
        check(operation(ty, Type::UNIT).returns())
    }

    #[track_caller]
    fn shows(ty: Type, value: Value, wanted: &str) {
        let text = returning(ty, |ty| {
            ty.check(&value).unwrap();
            render(&value, ty, None)
        });
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), wanted);
    }

    fn record(fields: &[(&str, Value)]) -> Value {
        Value::record(fields.iter().map(|(name, value)| (*name, Some(value.clone())))).unwrap()
    }

    fn list(items: &[Value]) -> Value {
        Value::list(items.to_vec()).unwrap()
    }

    fn entry(path: &str) -> Value {
        Value::Entry(EntryPath::parse(path).unwrap())
    }

    #[test]
    fn scalars_are_a_line() {
        shows(Type::UNIT, Value::Unit, "done\n");
        shows(Type::BOOLEAN, true.into(), "true\n");
        shows(Type::INTEGER, Value::count(12), "12\n");
        shows(Type::NUMBER, Value::Number(worldspace_model::Number::new(0.25).unwrap()), "0.25\n");
        shows(Type::NUMBER, Value::Number(worldspace_model::Number::new(1e300).unwrap()), "1e300\n");
        shows(Type::STRING, "two\nlines\n\u{1b}[2J".into(), "two\nlines\n\\u001b[2J\n");
        shows(Type::BYTES, Value::bytes(vec![0; 1500]), "1.50 kB\n");
        shows(Type::ENTRY, entry("/a b"), "/a b\n");
        shows(Type::one_of(["on", "off"]), "off".into(), "off\n");
    }

    #[test]
    fn fields_are_aligned_and_long_text_follows() {
        let ty = Type::record([
            Field::required("text", Type::STRING),
            Field::required("start_line", Type::INTEGER),
            Field::optional("note", Type::STRING),
            Field::required("行", Type::BOOLEAN),
        ]);
        let value =
            record(&[("行", true.into()), ("text", "# One\ntwo\n".into()), ("start_line", Value::count(1))]);
        shows(ty, value, "start_line:  1\n行:          true\n\ntext:\n# One\ntwo\n");
    }

    #[test]
    fn records_in_a_list_are_rows() {
        let item = Type::record([
            Field::required("entry", Type::ENTRY),
            Field::optional("size", Type::INTEGER),
            Field::optional("never", Type::INTEGER),
        ]);
        let ty =
            Type::record([Field::required("items", Type::list(item)), Field::optional("next", Type::STRING)]);
        let rows = [
            record(&[("entry", entry("/a.md")), ("size", Value::count(7))]),
            record(&[("entry", entry("/日本"))]),
        ];
        let value = record(&[("items", list(&rows))]);
        shows(ty.clone(), value, "items:\nentry  size\n/a.md     7\n/日本\n");
        shows(ty, record(&[("items", list(&[]))]), "items:  []\n");
    }

    #[test]
    fn a_record_within_a_row_is_columns_of_it() {
        let inner = Type::record([
            Field::required("name", Type::STRING),
            Field::required("entry", Type::INTEGER),
            Field::optional("never", Type::INTEGER),
        ]);
        let item = Type::record([Field::required("entry", Type::ENTRY), Field::optional("row", inner)]);
        let row = |name: &str| record(&[("name", name.into()), ("entry", Value::count(7))]);
        let items =
            [record(&[("entry", entry("/a")), ("row", row("Ann"))]), record(&[("entry", entry("/b"))])];
        shows(Type::list(item), list(&items), "entry  name  row.entry\n/a     Ann           7\n/b\n");
    }

    #[test]
    fn rows_that_say_what_their_columns_are_stand_below_them() {
        let ty = Type::record([
            Field::required("columns", Type::list(Type::STRING)),
            Field::required("rows", Type::list(Type::list(Type::JSON))),
            Field::required("truncated", Type::BOOLEAN),
        ]);
        let rows = |rows: &[Value]| {
            record(&[
                ("columns", list(&["n".into(), "s".into()])),
                ("rows", list(rows)),
                ("truncated", false.into()),
            ])
        };
        let two = [list(&[Value::count(10), "a".into()]), list(&[Value::count(2), Value::Unit])];
        shows(ty.clone(), rows(&two), "truncated:  false\n\nrows:\n n  s\n10  \"a\"\n 2  null\n");
        shows(ty.clone(), rows(&[]), "truncated:  false\n\nrows:\nn  s\n");
        // What is not as wide as its heads is shown as it is.
        let odd = [list(&[Value::count(1)])];
        shows(ty, rows(&odd), "columns:    [n, s]\ntruncated:  false\n\nrows:\n[1]\n");
    }

    #[test]
    fn lists_are_lines() {
        shows(Type::list(Type::STRING), list(&["a".into(), "b\nc".into()]), "a\nb\\nc\n");
        shows(Type::list(Type::STRING), list(&[]), "none\n");
        shows(
            Type::list(Type::list(Type::INTEGER)),
            list(&[list(&[Value::count(1), Value::count(2)])]),
            "[1, 2]\n",
        );
    }

    /// The columns that a rule of a database is about are one thing to read.
    #[test]
    fn a_few_texts_in_a_record_are_one_line() {
        let ty = Type::record([Field::required("columns", Type::list(Type::STRING))]);
        let columns = |texts: &[&str]| {
            let texts: Vec<Value> = texts.iter().map(|text| (*text).into()).collect();
            record(&[("columns", list(&texts))])
        };
        shows(ty.clone(), columns(&["email", "name"]), "columns:  [email, name]\n");
        shows(ty.clone(), columns(&["a,b", "c"]), "columns:\na,b\nc\n");
        let long = "x".repeat(30);
        shows(ty, columns(&[&long, &long]), &format!("columns:\n{long}\n{long}\n"));
    }

    #[test]
    fn a_case_stands_before_what_it_carries() {
        let ty = Type::union([
            UnionCase::bare("closed"),
            UnionCase::carrying("failed", Type::STRING),
            UnionCase::carrying("blocked", Type::record([Field::required("by", Type::list(Type::ENTRY))])),
        ]);
        shows(ty.clone(), Value::case("closed", None).unwrap(), "closed\n");
        shows(ty.clone(), Value::case("failed", Some("why".into())).unwrap(), "failed: why\n");
        let blocked = record(&[("by", list(&[entry("/a"), entry("/b")]))]);
        shows(ty, Value::case("blocked", Some(blocked)).unwrap(), "blocked:\nby:\n/a\n/b\n");
    }

    #[test]
    fn json_is_json() {
        let value = record(&[
            ("a", list(&[Value::count(1), Value::Unit])),
            ("b c", record(&[])),
            ("s", "x\"".into()),
        ]);
        shows(Type::JSON, value, "{\n  \"a\": [1, null],\n  \"b c\": {},\n  \"s\": \"x\\\"\"\n}\n");
    }

    /// A file that held rows one time and a cursor another would lose the rows.
    #[test]
    fn what_is_written_raw_is_told_by_the_declaration_alone() {
        let text = Field::required("text", Type::STRING);
        let lines = Field::required("lines", Type::INTEGER);
        let data = Field::required("data", Type::BYTES);
        let next = Field::optional("next", Type::STRING);
        let tags = Field::optional("tags", Type::list(Type::STRING));
        let with = |fields: &[&Field]| Type::record(fields.iter().copied().cloned());
        let value = |fields: &[&Field]| {
            let held = |field: &Field| match *field.ty.kind() {
                TypeKind::Bytes => Value::bytes(*b"x"),
                TypeKind::Integer => Value::count(1),
                TypeKind::List(_) => list(&[]),
                _ => "x".into(),
            };
            Value::record(fields.iter().map(|field| (field.name.clone(), Some(held(field))))).unwrap()
        };
        let optional = |field: &Field| Field { required: false, ..field.clone() };
        let cursor = Field::required("cursor", Type::STRING);
        for (fields, raw) in [
            (vec![&text], true),
            (vec![&text, &lines, &next], true),
            (vec![&data, &lines, &next], true),
            (vec![&next], false),
            (vec![&next, &lines], false),
            (vec![&tags, &next], false),
            (vec![&text, &tags], false),
            (vec![&text, &cursor], false),
            (vec![&data, &cursor], false),
            (vec![&optional(&text), &lines], false),
            (vec![&optional(&data), &text], false),
            (vec![&lines], false),
        ] {
            for named in [false, true] {
                let ty = if named { Type::named("Named") } else { with(&fields) };
                let (operation, value) = (operation(ty, with(&fields)), value(&fields));
                let written = payload(&value, &operation).map(|payload| payload.content);
                assert_eq!(written, (raw && !named).then_some(&b"x"[..]), "{value:?} {named}");
            }
        }
        for (ty, value, raw) in [
            (Type::STRING, "x".into(), true),
            (Type::BYTES, Value::bytes(*b"x"), true),
            (Type::INTEGER, Value::count(1), false),
            (Type::JSON, "x".into(), false),
            (Type::ENTRY, entry("/x"), false),
        ] {
            assert_eq!(payload(&value, &operation(ty, Type::UNIT)).is_some(), raw, "{value:?}");
        }
    }

    /// Whoever writes a page to a file must hear that there are more.
    #[test]
    fn a_page_with_a_next_one_is_told_to_be_a_part() {
        let ty = Type::record([
            Field::required("rows", Type::list(Type::INTEGER)),
            Field::optional("next_cursor", Type::STRING),
        ]);
        let last = record(&[("rows", list(&[]))]);
        let page = record(&[("rows", list(&[])), ("next_cursor", "c".into())]);
        let said = |value: &Value| {
            let said = returning(ty.clone(), |ty| beside(value, ty, None));
            anstream::adapter::strip_str(&said).to_string()
        };
        assert_eq!(said(&last), "");
        assert_eq!(said(&page), "warning: the result has a `next_cursor`: what was written is a part\n");
    }

    #[test]
    fn entries_are_what_to_look_at_next() {
        let many: Vec<Value> = (0..12).map(|n| entry(&format!("/x {n}"))).collect();
        let twice = list(&[list(&many), list(&many)]);
        let text = anstream::adapter::strip_str(&next_steps(&twice, &Commands::default())).to_string();
        assert!(text.starts_with("look at next:\n  wip inspect '/x 0'\n"), "{text}");
        assert!(
            text.ends_with("  wip inspect '/x 9'\n  and 2 entries more; `-o json` lists all\n"),
            "{text}"
        );
        assert_eq!(next_steps(&Value::Unit, &Commands::default()), "");
    }
}
