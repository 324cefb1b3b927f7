//! `fetch_tree` from a Host that only knows `observe` [v1]: one level at a time, breadth first, never deep.

use std::sync::Arc;
use std::time::Instant;

use worldspace_model::{
    Cause, Causes, EntryPath, ErrorCode, Expansion, FetchTreeRequest, Object, ObserveRequest, ProtocolError,
    RequestContext, Segment, TransportError, Tree, Unanswered,
};

use crate::client::Client;
use crate::error::ClientError;
use crate::handle::{Observation, TreeObservation};

/// How many bytes the paths of a whole walk may have together, roughly: each repeats the names above it.
const PATH_BYTES: usize = 64 << 20;

struct Node {
    observation: Observation,
    parent: Option<u32>,
    level: u32,
    expansion: Expansion,
}

struct Walk<'a> {
    client: &'a Client,
    request: &'a FetchTreeRequest,
    /// One for the whole walk.
    context: RequestContext,
    nodes: Vec<Node>,
    path_bytes: usize,
    causes: Causes,
}

/// The answer that the Host would give to `fetch_tree`.
pub(crate) async fn explore(
    client: &Client,
    request: &FetchTreeRequest,
) -> Result<TreeObservation, ClientError> {
    let context = client.read_context();
    let mut walk = Walk { client, request, context, nodes: Vec::new(), path_bytes: 0, causes: Causes::NONE };
    walk.begin().await?;
    walk.go_on().await;
    let (mut nodes, mut observations) = (Vec::new(), Vec::new());
    for node in walk.nodes {
        nodes.push((node.observation.object().clone(), node.parent, node.expansion));
        observations.push(node.observation);
    }
    Ok(TreeObservation::new(Tree::new(nodes, walk.causes)?, observations))
}

impl Walk<'_> {
    /// The first node, and its children where there is room for any.
    async fn begin(&mut self) -> Result<(), ClientError> {
        let entry = self.request.entry();
        let (depth, limit) = (self.request.depth(), self.request.limit().get());
        if depth > 0 && limit > 1 {
            match self.observe(entry, 1).await {
                Ok(level) => return self.place_first(level),
                Err(error) if error.refusal() == Some(ErrorCode::ResourceLimitExceeded) => {
                    let alone = self.observe(entry, 0).await?;
                    self.push_first(alone, Some(Cause::HostLimit));
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        let alone = self.observe(entry, 0).await?;
        self.push_first(alone, Some(if depth == 0 { Cause::Depth } else { Cause::Limit }));
        Ok(())
    }

    fn push_first(&mut self, level: Vec<Observation>, cause: Option<Cause>) {
        let first = level.into_iter().next().map(|observation| Node {
            observation,
            parent: None,
            level: 0,
            expansion: Expansion::Unexplored,
        });
        self.nodes.extend(first);
        cause.into_iter().for_each(|cause| self.causes.insert(cause));
    }

    fn place_first(&mut self, mut level: Vec<Observation>) -> Result<(), ClientError> {
        let mut children = level.split_off(1);
        let resumed = self.request.after().is_some();
        if let Some(after) = self.request.after() {
            let next = next_behind(after, &children)?;
            children.drain(..next);
        }
        self.push_first(level, None);
        self.place(0, children);
        // Behind the last child nothing is left, which does not make a leaf of the entry.
        if resumed && self.nodes[0].expansion == Expansion::Leaf {
            self.nodes[0].expansion = Expansion::Complete;
        }
        Ok(())
    }

    async fn go_on(&mut self) {
        let mut at = 1;
        while at < self.nodes.len() {
            if let Some(cause) = self.reason_to_stop(at) {
                self.causes.insert(cause);
                at += 1;
                continue;
            }
            let entry = self.nodes[at].observation.entry().clone();
            match self.observe(&entry, 1).await {
                Ok(mut level) => {
                    let children = level.split_off(1);
                    // The later of the two is the one to go by.
                    self.nodes[at].observation = level.remove(0);
                    self.place(at, children);
                }
                Err(error) => {
                    let cause = cause_of(&error);
                    self.causes.insert(cause);
                    // Who cannot be reached once is not asked again for every node.
                    if matches!(error, ClientError::Transport(_)) && cause == Cause::Unavailable {
                        break;
                    }
                }
            }
            at += 1;
        }
    }

    /// Why the children of a node are not asked for; it stays unexplored.
    fn reason_to_stop(&self, at: usize) -> Option<Cause> {
        if self.nodes[at].level >= self.request.depth() {
            return Some(Cause::Depth);
        }
        if self.room() == 0 {
            return Some(Cause::Limit);
        }
        if self.path_bytes > PATH_BYTES {
            return Some(Cause::Unavailable);
        }
        let late = |deadline: Instant| tokio::time::Instant::now().into_std() >= deadline;
        self.context.deadline.is_some_and(late).then_some(Cause::Deadline)
    }

    fn room(&self) -> usize {
        (self.request.limit().get() as usize).saturating_sub(self.nodes.len())
    }

    /// Takes as many of a node's children as there is room for.
    fn place(&mut self, at: usize, children: Vec<Observation>) {
        let (room, count) = (self.room(), children.len());
        self.nodes[at].expansion = match count {
            0 => Expansion::Leaf,
            _ if count <= room => Expansion::Complete,
            _ => Expansion::Partial,
        };
        if count > room {
            self.causes.insert(Cause::Limit);
        }
        let (level, parent) = (self.nodes[at].level + 1, u32::try_from(at).ok());
        for observation in children.into_iter().take(room) {
            self.path_bytes += observation.entry().as_str().len();
            self.nodes.push(Node { observation, parent, level, expansion: Expansion::Unexplored });
        }
    }

    /// An entry and, with depth 1, its children.
    async fn observe(&self, entry: &EntryPath, depth: u32) -> Result<Vec<Observation>, ClientError> {
        let order = self.client.space().next_order();
        let request = ObserveRequest { path: entry.clone(), depth };
        let answer = self.client.transport().observe(self.context.clone(), request).await;
        let (_, observations) = self.client.took_tree(order, entry, answer.map_err(Into::into))?;
        Ok(observations)
    }
}

/// What the failure of one node below the first means for the tree.
fn cause_of(error: &ClientError) -> Cause {
    match error {
        ClientError::Refused(error) if error.code == ErrorCode::ResourceLimitExceeded => Cause::HostLimit,
        ClientError::Transport(error)
            if matches!(**error, TransportError::Unanswered(Unanswered::TimedOut)) =>
        {
            Cause::Deadline
        }
        _ => Cause::Unavailable,
    }
}

/// Where the children behind that one begin.
fn next_behind(after: &Segment, children: &[Observation]) -> Result<usize, ClientError> {
    let names = || children.iter().map(|child| name(child.object()));
    if let Some(at) = names().position(|name| name == after.as_str()) {
        return Ok(at + 1);
    }
    if names().is_sorted() {
        return Ok(names().take_while(|name| *name < after.as_str()).count());
    }
    let message = "the child named by `after` is gone; start again without it";
    Err(ClientError::Refused(ProtocolError::new(ErrorCode::InvalidRequest, message)))
}

fn name(object: &Arc<Object>) -> &str {
    object.name.as_str()
}
