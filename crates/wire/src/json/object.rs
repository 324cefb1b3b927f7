//! Objects, interface references, and the memo that makes the repeated interface lists of a tree cheap.

use std::ops::Range;
use std::sync::Arc;

use worldspace_model::{
    EntryPath, InterfaceList, InterfaceName, InterfaceReference, Object, ObjectName, Ref,
};

use super::read::{Read, Reader, Shape, require};
use super::value::{read_validator, write_validator};
use super::write::{Writer, Written};

/// How many different interface lists a memo keeps: a tree mixes a few kinds of Objects.
const KINDS: usize = 4;
/// A list that is not empty holds a list and a record inside one another.
const LIST_DEPTH: usize = 2;

/// The interface lists that were read last, by their text.
#[derive(Default)]
pub(crate) struct ReadMemo<'a> {
    lists: Vec<(&'a str, InterfaceList)>,
    next: usize,
}

/// The interface lists that were written last, by where they stand.
#[derive(Default)]
pub(crate) struct WriteMemo {
    lists: Vec<(InterfaceList, Range<usize>)>,
    next: usize,
}

/// Adds to a memo, in the place of its oldest member.
fn remember<T>(lists: &mut Vec<T>, next: &mut usize, list: T) {
    if lists.len() < KINDS {
        lists.push(list);
    } else {
        lists[*next] = list;
        *next = (*next + 1) % KINDS;
    }
}

pub(crate) fn read_path(reader: &mut Reader<'_>) -> Read<EntryPath> {
    Ok(EntryPath::parse(&reader.string()?)?)
}

const REFERENCE: Shape = Shape { required: &["scope", "name"], optional: &[] };

pub(crate) fn read_reference(reader: &mut Reader<'_>) -> Read<InterfaceReference> {
    let (mut scope, mut interface) = (None, None);
    reader.object(&REFERENCE, |reader, member| {
        match member {
            "scope" => scope = Some(read_path(reader)?),
            _ => interface = Some(InterfaceName::parse(&reader.string()?)?),
        }
        Ok(())
    })?;
    Ok(InterfaceReference::new(require(scope, "scope")?, require(interface, "name")?))
}

pub(crate) fn write_reference(writer: &mut Writer, reference: &InterfaceReference) -> Written {
    writer.object(|writer| {
        writer.text_member("scope", reference.scope().as_str())?;
        writer.text_member("name", reference.name().as_str())
    })
}

pub(crate) fn read_ref(reader: &mut Reader<'_>) -> Read<Ref> {
    Ok(Ref::new(&*reader.string()?))
}

fn read_interfaces<'a>(reader: &mut Reader<'a>, memo: &mut ReadMemo<'a>) -> Read<InterfaceList> {
    // A list ends where its bracket closes, so text that begins with a known list holds that list.
    let rest = reader.rest();
    if let Some((text, list)) = memo.lists.iter().find(|(text, _)| rest.starts_with(text)) {
        reader.pass(text, LIST_DEPTH)?;
        return Ok(list.clone());
    }
    let start = reader.mark();
    let mut references = Vec::new();
    reader.list(|reader| {
        references.push(read_reference(reader)?);
        Ok(())
    })?;
    if references.is_empty() {
        return Ok(InterfaceList::EMPTY);
    }
    let list = InterfaceList::new(references)?;
    let ReadMemo { lists, next } = memo;
    remember(lists, next, (reader.since(start), list.clone()));
    Ok(list)
}

fn write_interfaces(writer: &mut Writer, list: &InterfaceList, memo: &mut WriteMemo) -> Written {
    if list.is_empty() {
        return writer.list(list.iter(), write_reference);
    }
    if let Some((_, place)) = memo.lists.iter().find(|(known, _)| known.is_same(list)) {
        return writer.repeat(place.start, place.end, LIST_DEPTH);
    }
    let start = writer.offset();
    writer.list(list.iter(), write_reference)?;
    let WriteMemo { lists, next } = memo;
    remember(lists, next, (list.clone(), start..writer.offset()));
    Ok(())
}

const OBJECT: Shape =
    Shape { required: &["name", "interfaces"], optional: &["description", "ref", "validator"] };

pub(crate) fn read_object<'a>(reader: &mut Reader<'a>, memo: &mut ReadMemo<'a>) -> Read<Object> {
    let (mut name, mut interfaces) = (None, None);
    let (mut description, mut r#ref, mut validator) = (None, None, None);
    reader.object(&OBJECT, |reader, member| {
        match member {
            "name" => name = Some(ObjectName::parse(&reader.string()?)?),
            "interfaces" => interfaces = Some(read_interfaces(reader, memo)?),
            "description" => description = Some(Arc::from(&*reader.string()?)),
            "ref" => r#ref = Some(read_ref(reader)?),
            _ => validator = Some(read_validator(reader)?),
        }
        Ok(())
    })?;
    Ok(Object {
        name: require(name, "name")?,
        description,
        interfaces: require(interfaces, "interfaces")?,
        r#ref,
        validator,
    })
}

pub(crate) fn write_object(writer: &mut Writer, object: &Object, memo: &mut WriteMemo) -> Written {
    writer.object(|writer| {
        writer.text_member("name", object.name.as_str())?;
        if let Some(description) = &object.description {
            writer.text_member("description", description)?;
        }
        writer.member("interfaces")?;
        write_interfaces(writer, &object.interfaces, memo)?;
        if let Some(r#ref) = &object.r#ref {
            writer.text_member("ref", r#ref.as_str())?;
        }
        write_validator(writer, object.validator.as_ref())
    })
}
