//! What a Client asks, both ways.

use worldspace_model::{
    CallHead, EntryPath, FetchInterfaceRequest, FetchRequest, FetchTreeRequest, InterfaceTarget,
    ObserveRequest, OutgoingCall, Segment, Target,
};

use super::object::{read_path, read_ref, read_reference, write_reference};
use super::read::{Read, Reader, Shape, require};
use super::value::{read_validator, write_record, write_validator};
use super::write::{Writer, Written};
use crate::error::{DecodeError, EncodeError, Problem};

const FETCH: Shape = Shape { required: &["entries"], optional: &[] };

pub(crate) fn read_fetch(reader: &mut Reader<'_>, most: usize) -> Read<FetchRequest> {
    let mut entries = None;
    reader.object(&FETCH, |reader, _| {
        let mut list = Vec::new();
        reader.list(|reader| {
            if list.len() == most {
                return Err(DecodeError::new(Problem::TooMany { limit: most }));
            }
            let entry = EntryPath::parse(&reader.string()?);
            list.push(entry.map_err(|fault| fault.at_index(list.len()).at_member("entries")));
            Ok(())
        })?;
        entries = Some(list);
        Ok(())
    })?;
    Ok(FetchRequest { entries: require(entries, "entries")? })
}

pub(crate) fn write_fetch(writer: &mut Writer, request: &FetchRequest, most: usize) -> Written {
    if request.entries.len() > most {
        return Err(EncodeError::TooMany { limit: most });
    }
    writer.object(|writer| {
        writer.member("entries")?;
        writer.list(&request.entries, |writer, entry| match entry {
            Ok(entry) => writer.string(entry.as_str()),
            Err(_) => {
                let reason = "an entry to be fetched is no canonical absolute path";
                Err(EncodeError::Unwritable { reason })
            }
        })
    })
}

const FETCH_TREE: Shape = Shape { required: &["entry", "depth", "limit"], optional: &["after"] };

pub(crate) fn read_fetch_tree(reader: &mut Reader<'_>) -> Read<FetchTreeRequest> {
    let (mut entry, mut depth, mut limit, mut after) = (None, None, None, None);
    reader.object(&FETCH_TREE, |reader, member| {
        match member {
            "entry" => entry = Some(read_path(reader)?),
            "depth" => depth = Some(reader.u32()?),
            "limit" => limit = Some(reader.u32()?),
            _ => after = Some(Segment::parse(&reader.string()?)?),
        }
        Ok(())
    })?;
    let (entry, depth, limit) =
        (require(entry, "entry")?, require(depth, "depth")?, require(limit, "limit")?);
    Ok(FetchTreeRequest::new(entry, depth, limit, after)?)
}

pub(crate) fn write_fetch_tree(writer: &mut Writer, request: &FetchTreeRequest) -> Written {
    writer.object(|writer| {
        writer.text_member("entry", request.entry().as_str())?;
        writer.member("depth")?;
        writer.integer(request.depth())?;
        writer.member("limit")?;
        writer.integer(request.limit().get())?;
        match request.after() {
            Some(after) => writer.text_member("after", after.as_str()),
            None => Ok(()),
        }
    })
}

const OBSERVE: Shape = Shape { required: &["path", "depth"], optional: &[] };

pub(crate) fn read_observe(reader: &mut Reader<'_>) -> Read<ObserveRequest> {
    let (mut path, mut depth) = (None, None);
    reader.object(&OBSERVE, |reader, member| {
        match member {
            "path" => path = Some(read_path(reader)?),
            _ => depth = Some(reader.u32()?),
        }
        Ok(())
    })?;
    Ok(ObserveRequest { path: require(path, "path")?, depth: require(depth, "depth")? })
}

pub(crate) fn write_observe(writer: &mut Writer, request: &ObserveRequest) -> Written {
    writer.object(|writer| {
        writer.text_member("path", request.path.as_str())?;
        writer.member("depth")?;
        writer.integer(request.depth)
    })
}

const FETCH_INTERFACE: Shape = Shape { required: &["interface"], optional: &[] };

pub(crate) fn read_fetch_interface(reader: &mut Reader<'_>, effects: bool) -> Read<FetchInterfaceRequest> {
    let mut interface = None;
    reader.object(&FETCH_INTERFACE, |reader, _| {
        interface = Some(read_reference(reader)?);
        Ok(())
    })?;
    Ok(FetchInterfaceRequest { interface: require(interface, "interface")?, effects })
}

pub(crate) fn write_fetch_interface(writer: &mut Writer, request: &FetchInterfaceRequest) -> Written {
    writer.object(|writer| {
        writer.member("interface")?;
        write_reference(writer, &request.interface)
    })
}

const CALL: Shape = Shape { required: &["target", "interface", "operation", "arguments"], optional: &[] };
const TARGET: Shape = Shape { required: &["path"], optional: &["validator"] };
const INTERFACE: Shape = Shape { required: &["reference"], optional: &["scope_ref", "validator"] };

/// Where the arguments of a call stand, checked to be well formed but not yet read.
pub(crate) struct ArgumentPlace {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// How many containers may stand inside one another there.
    pub(crate) room: usize,
}

pub(crate) fn read_call(reader: &mut Reader<'_>) -> Read<(CallHead, ArgumentPlace)> {
    let (mut target, mut interface, mut operation, mut arguments) = (None, None, None, None);
    reader.object(&CALL, |reader, member| {
        match member {
            "target" => target = Some(read_target(reader)?),
            "interface" => interface = Some(read_interface_target(reader)?),
            "operation" => operation = Some(reader.name()?),
            _ => arguments = Some(pass_arguments(reader)?),
        }
        Ok(())
    })?;
    let head = CallHead {
        target: require(target, "target")?,
        interface: require(interface, "interface")?,
        operation: require(operation, "operation")?,
        key: None,
    };
    Ok((head, require(arguments, "arguments")?))
}

fn pass_arguments(reader: &mut Reader<'_>) -> Read<ArgumentPlace> {
    reader.blank();
    let (start, room) = (reader.offset(), reader.room());
    reader.open_object(|reader, _| reader.skip())?;
    Ok(ArgumentPlace { start, end: reader.offset(), room })
}

fn read_target(reader: &mut Reader<'_>) -> Read<Target> {
    let (mut path, mut validator) = (None, None);
    reader.object(&TARGET, |reader, member| {
        match member {
            "path" => path = Some(read_path(reader)?),
            _ => validator = Some(read_validator(reader)?),
        }
        Ok(())
    })?;
    Ok(Target { path: require(path, "path")?, validator })
}

fn read_interface_target(reader: &mut Reader<'_>) -> Read<InterfaceTarget> {
    let (mut reference, mut scope_ref, mut validator) = (None, None, None);
    reader.object(&INTERFACE, |reader, member| {
        match member {
            "reference" => reference = Some(read_reference(reader)?),
            "scope_ref" => scope_ref = Some(read_ref(reader)?),
            _ => validator = Some(read_validator(reader)?),
        }
        Ok(())
    })?;
    Ok(InterfaceTarget { reference: require(reference, "reference")?, scope_ref, validator })
}

pub(crate) fn write_call(writer: &mut Writer, call: &OutgoingCall) -> Written {
    let OutgoingCall { target, interface, operation, arguments, .. } = call;
    writer.object(|writer| {
        writer.member("target")?;
        writer.object(|writer| {
            writer.text_member("path", target.path.as_str())?;
            write_validator(writer, target.validator.as_ref())
        })?;
        writer.member("interface")?;
        writer.object(|writer| {
            writer.member("reference")?;
            write_reference(writer, &interface.reference)?;
            if let Some(scope_ref) = &interface.scope_ref {
                writer.text_member("scope_ref", scope_ref.as_str())?;
            }
            write_validator(writer, interface.validator.as_ref())
        })?;
        writer.text_member("operation", operation.name())?;
        writer.member("arguments")?;
        write_record(writer, arguments.record())
    })
}
