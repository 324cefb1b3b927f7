//! What a Host says of itself (`GET v1`) \[ext\]. Here alone, members that are not known are passed over, so that later
//! versions can say more.

use worldspace_model::{Capabilities, Interaction, JournalTerms, StatedLimits};

use super::read::{Read, Reader, require};
use super::write::{Writer, Written};
use crate::error::{DecodeError, Problem};

pub(crate) fn read_capabilities(reader: &mut Reader<'_>) -> Read<Capabilities> {
    let (mut version, mut interactions, mut encodings, mut extensions) = (None, None, None, None);
    let (mut limits, mut journal) = (None, None);
    reader.open_object(|reader, member| {
        let read = match member {
            "wip" => reader.u64().map(|value| version = Some(value)),
            "interactions" => read_words(reader).map(|words| interactions = Some(words)),
            "encodings" => read_words(reader).map(|words| encodings = Some(words)),
            "extensions" => read_words(reader).map(|words| extensions = Some(words)),
            "limits" => read_limits(reader).map(|stated| limits = Some(stated)),
            "journal" => read_journal(reader).map(|terms| journal = Some(terms)),
            _ => reader.skip(),
        };
        read.map_err(|error| error.at_name(worldspace_model::Namespace::Field, member))
    })?;
    if require(version, "wip")? != 1 {
        let reason = "only version 1 is known";
        return Err(DecodeError::new(Problem::Unfit(reason)).at_member("wip"));
    }
    // What a later version can do besides is of no use to this one.
    let interactions: Vec<String> = require(interactions, "interactions")?;
    let interactions = interactions.iter().filter_map(|name| Interaction::parse(name)).collect();
    Ok(Capabilities {
        interactions,
        encodings: require(encodings, "encodings")?,
        extensions: require(extensions, "extensions")?,
        limits: require(limits, "limits")?,
        journal,
    })
}

fn read_words(reader: &mut Reader<'_>) -> Read<Vec<String>> {
    let mut words = Vec::new();
    reader.list(|reader| {
        words.push(reader.string()?.into_owned());
        Ok(())
    })?;
    Ok(words)
}

fn read_limits(reader: &mut Reader<'_>) -> Read<StatedLimits> {
    let (mut request, mut response, mut nesting) = (None, None, None);
    let (mut entries, mut nodes, mut depth) = (None, None, None);
    reader.open_object(|reader, member| {
        let limit = match member {
            "request_bytes" => &mut request,
            "response_bytes" => &mut response,
            "nesting" => &mut nesting,
            "fetch_entries" => &mut entries,
            "tree_nodes" => &mut nodes,
            "tree_depth" => &mut depth,
            _ => return reader.skip(),
        };
        *limit = Some(reader.u64()?);
        Ok(())
    })?;
    Ok(StatedLimits {
        request_bytes: require(request, "request_bytes")?,
        response_bytes: require(response, "response_bytes")?,
        nesting: require(nesting, "nesting")?,
        fetch_entries: require(entries, "fetch_entries")?,
        tree_nodes: require(nodes, "tree_nodes")?,
        tree_depth: require(depth, "tree_depth")?,
    })
}

fn read_journal(reader: &mut Reader<'_>) -> Read<JournalTerms> {
    let (mut epoch, mut retention) = (None, None);
    reader.open_object(|reader, member| {
        match member {
            "epoch" => epoch = Some(reader.string()?.into_owned()),
            "retention_s" => retention = Some(reader.u64()?),
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    Ok(JournalTerms { epoch: require(epoch, "epoch")?, retention_s: require(retention, "retention_s")? })
}

pub(crate) fn write_capabilities(writer: &mut Writer, capabilities: &Capabilities) -> Written {
    let Capabilities { interactions, encodings, extensions, limits, journal } = capabilities;
    writer.object(|writer| {
        writer.member("wip")?;
        writer.integer(1)?;
        writer.member("interactions")?;
        writer.list(interactions, |writer, interaction| writer.string(interaction.name()))?;
        writer.member("encodings")?;
        writer.list(encodings, |writer, encoding| writer.string(encoding))?;
        writer.member("extensions")?;
        writer.list(extensions, |writer, extension| writer.string(extension))?;
        writer.member("limits")?;
        writer.object(|writer| {
            for (name, limit) in [
                ("request_bytes", limits.request_bytes),
                ("response_bytes", limits.response_bytes),
                ("nesting", limits.nesting),
                ("fetch_entries", limits.fetch_entries),
                ("tree_nodes", limits.tree_nodes),
                ("tree_depth", limits.tree_depth),
            ] {
                writer.member(name)?;
                writer.integer(limit)?;
            }
            Ok(())
        })?;
        match journal {
            Some(JournalTerms { epoch, retention_s }) => {
                writer.member("journal")?;
                writer.object(|writer| {
                    writer.text_member("epoch", epoch)?;
                    writer.member("retention_s")?;
                    writer.integer(*retention_s)
                })
            }
            None => Ok(()),
        }
    })
}
