//! Trees: nested for `observe` \[v1\], flat for `fetch_tree` \[ext\]. Both are the one breadth-first tree of the model.

use std::ops::Range;
use std::sync::Arc;

use worldspace_model::{Cause, Causes, Expansion, FetchTreeRequest, Object, ObserveRequest, Tree};

use super::object::{ReadMemo, WriteMemo, read_object, write_object};
use super::read::{Read, Reader, Shape, require};
use super::write::{Writer, Written};
use crate::error::{DecodeError, EncodeError, Problem};

const NESTED: Shape = Shape { required: &["object"], optional: &["children"] };

/// A node in the order in which the text has them: each before its children, and these in their order.
struct Nested {
    object: Option<Object>,
    parent: Option<u32>,
    level: usize,
    expansion: Expansion,
}

/// The complete subtree that answers an `observe`.
pub(crate) fn read_observation(reader: &mut Reader<'_>, request: &ObserveRequest) -> Read<Tree> {
    let mut nodes = Vec::new();
    read_nested(reader, None, 0, &mut nodes, &mut ReadMemo::default())?;
    let cut = nodes.iter().any(|node| node.expansion == Expansion::Unexplored);
    let causes = cut.then_some(Cause::Depth).into_iter().collect();
    let tree = Tree::new(breadth_first(nodes)?, causes)?;
    tree.check_observe(request)?;
    Ok(tree)
}

/// Recursion is bounded by the nesting limit. A node takes its place before its members are read, so that it does not
/// matter which of them comes first.
fn read_nested<'a>(
    reader: &mut Reader<'a>,
    parent: Option<u32>,
    level: usize,
    nodes: &mut Vec<Nested>,
    memo: &mut ReadMemo<'a>,
) -> Read<()> {
    let at = nodes.len();
    let index = u32::try_from(at).map_err(|_| too_many())?;
    nodes.push(Nested { object: None, parent, level, expansion: Expansion::Unexplored });
    reader.object(&NESTED, |reader, member| {
        match member {
            "object" => nodes[at].object = Some(read_object(reader, memo)?),
            _ => {
                nodes[at].expansion = Expansion::Complete;
                reader.list(|reader| read_nested(reader, Some(index), level + 1, nodes, memo))?;
            }
        }
        Ok(())
    })?;
    if nodes[at].object.is_none() { Err(DecodeError::missing("object")) } else { Ok(()) }
}

fn too_many() -> DecodeError {
    DecodeError::new(Problem::Unfit("a tree has at most 2^32 nodes"))
}

type Node = (Arc<Object>, Option<u32>, Expansion);

/// Sorts nodes by level and leaves their order within a level, which is what breadth first means.
fn breadth_first(nodes: Vec<Nested>) -> Read<Vec<Node>> {
    let levels = nodes.iter().map(|node| node.level + 1).max().unwrap_or(0);
    // Where the next node of each level goes.
    let mut next = vec![0u32; levels + 1];
    for node in &nodes {
        next[node.level + 1] += 1;
    }
    for level in 1..next.len() {
        next[level] += next[level - 1];
    }
    let mut places = Vec::with_capacity(nodes.len());
    let mut sorted: Vec<Option<Node>> = nodes.iter().map(|_| None).collect();
    for Nested { object, parent, level, expansion } in nodes {
        let object = Arc::new(require(object, "object")?);
        let parent = parent.map(|parent| places[parent as usize]);
        let place = &mut next[level];
        sorted[*place as usize] = Some((object, parent, expansion));
        places.push(*place);
        *place += 1;
    }
    Ok(sorted.into_iter().flatten().collect())
}

/// A loop with a stack of its own: how deep a tree may be is for the limit to say, not for the stack of the thread.
pub(crate) fn write_observation(writer: &mut Writer, tree: &Tree) -> Written {
    let mut memo = WriteMemo::default();
    let mut open: Vec<Range<u32>> = Vec::new();
    let mut at = 0;
    loop {
        let node = &tree.nodes()[at as usize];
        writer.open_object()?;
        writer.member("object")?;
        write_object(writer, &node.object, &mut memo)?;
        match node.expansion {
            Expansion::Unexplored => writer.close_object()?,
            Expansion::Complete | Expansion::Leaf => {
                writer.member("children")?;
                writer.open_list()?;
                open.push(node.children.clone());
            }
            Expansion::Partial => {
                let reason = "an observation holds all children of a node or none";
                return Err(EncodeError::Unwritable { reason });
            }
        }
        // Up to the next node, closing what is done.
        loop {
            let Some(siblings) = open.last_mut() else { return Ok(()) };
            if let Some(next) = siblings.next() {
                writer.separate()?;
                at = next;
                break;
            }
            open.pop();
            writer.close_list()?;
            writer.close_object()?;
        }
    }
}

const FLAT: Shape = Shape { required: &["nodes", "truncated", "truncated_by"], optional: &[] };
const FLAT_NODE: Shape = Shape { required: &["object", "expansion"], optional: &["parent"] };

/// The prefix of a subtree that answers a `fetch_tree`.
pub(crate) fn read_tree(reader: &mut Reader<'_>, request: &FetchTreeRequest) -> Read<Tree> {
    let (mut nodes, mut truncated, mut causes) = (None, None, None);
    let mut memo = ReadMemo::default();
    reader.object(&FLAT, |reader, member| {
        match member {
            "nodes" => {
                let mut list = Vec::new();
                reader.list(|reader| {
                    list.push(read_flat_node(reader, &mut memo)?);
                    Ok(())
                })?;
                nodes = Some(list);
            }
            "truncated" => truncated = Some(reader.boolean()?),
            _ => causes = Some(read_causes(reader)?),
        }
        Ok(())
    })?;
    let (nodes, causes) = (require(nodes, "nodes")?, require(causes, "truncated_by")?);
    if require(truncated, "truncated")? == causes.is_empty() {
        let reason = "`truncated` is true exactly when `truncated_by` names a cause";
        return Err(DecodeError::new(Problem::Unfit(reason)).at_member("truncated"));
    }
    let tree = Tree::new(nodes, causes)?;
    tree.check_fetch_tree(request)?;
    Ok(tree)
}

fn read_flat_node<'a>(reader: &mut Reader<'a>, memo: &mut ReadMemo<'a>) -> Read<Node> {
    let (mut object, mut parent, mut expansion) = (None, None, None);
    reader.object(&FLAT_NODE, |reader, member| {
        match member {
            "object" => object = Some(Arc::new(read_object(reader, memo)?)),
            "parent" => parent = Some(reader.u32()?),
            _ => {
                let word = reader.string()?;
                expansion =
                    Some(Expansion::parse(&word).ok_or_else(|| {
                        DecodeError::unknown_word(&word, Expansion::ALL.map(Expansion::name))
                    })?);
            }
        }
        Ok(())
    })?;
    Ok((require(object, "object")?, parent, require(expansion, "expansion")?))
}

fn read_causes(reader: &mut Reader<'_>) -> Read<Causes> {
    let mut causes = Causes::NONE;
    reader.list(|reader| {
        let word = reader.string()?;
        let cause = Cause::parse(&word)
            .ok_or_else(|| DecodeError::unknown_word(&word, Cause::ALL.map(Cause::name)))?;
        if causes.has(cause) {
            return Err(DecodeError::new(Problem::Unfit("each cause stands once")));
        }
        causes.insert(cause);
        Ok(())
    })?;
    Ok(causes)
}

pub(crate) fn write_tree(writer: &mut Writer, tree: &Tree) -> Written {
    let mut memo = WriteMemo::default();
    writer.object(|writer| {
        writer.member("nodes")?;
        writer.list(tree.nodes(), |writer, node| {
            writer.object(|writer| {
                writer.member("object")?;
                write_object(writer, &node.object, &mut memo)?;
                if let Some(parent) = node.parent {
                    writer.member("parent")?;
                    writer.integer(parent)?;
                }
                writer.text_member("expansion", node.expansion.name())
            })
        })?;
        writer.member("truncated")?;
        writer.boolean(tree.is_truncated())?;
        writer.member("truncated_by")?;
        writer.list(tree.truncated_by().iter(), |writer, cause| writer.string(cause.name()))
    })
}
