//! The walk behind `fetch_tree` and `observe` (SPEC 2.1): breadth first, reading only what the answer needs, one
//! visible child more, and a small window ahead.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use worldspace_model::{
    BoxFuture, Cause, Causes, EntryPath, Expansion, Fault, FetchTreeRequest, Object, ObserveRequest, Segment,
    Tree,
};

use crate::children::{Listed, Lister};
use crate::context::Request;
use crate::failure::ProviderError;
use crate::host::Inner;
use crate::mount::{Found, Unread};

/// Children asked of a provider at a time.
const PAGE: usize = 256;
/// Reads at one time, at most.
const WINDOW: usize = 8;
/// One read more at a time for so much room left: a small answer is walked step by step.
const ROOM_PER_READ: usize = 32;

/// What a node takes in a message besides its Object.
const NODE_BYTES: usize = 64;

/// What a walk has gathered.
struct Walk<'h> {
    host: &'h Inner,
    request: Arc<Request>,
    nodes: Vec<Node>,
    causes: Causes,
    depth: u32,
    limit: usize,
    /// Bytes that are left for the answer, where they are counted.
    bytes: Option<usize>,
    /// What to say of what the depth or the limit leaves out.
    depth_cause: Cause,
    limit_cause: Cause,
    deadline: Option<Instant>,
    /// Whether a node that is gone by the time that its children are read simply has none.
    vanished_are_empty: bool,
}

struct Node {
    object: Arc<Object>,
    entry: EntryPath,
    parent: Option<u32>,
    level: u32,
    leaf: bool,
    /// Why its children are not asked for, if they are not.
    unreadable: Option<Cause>,
    expansion: Expansion,
}

/// A reader, and the first part that it read.
type FirstRead<'h> = Result<(Lister<'h>, Listed), ProviderError>;

impl Inner {
    pub(crate) async fn walk_tree(
        &self,
        request: &Arc<Request>,
        asked: &FetchTreeRequest,
    ) -> Result<Tree, ProviderError> {
        let mut walk = Walk::new(self, request, asked.depth(), asked.limit().get());
        walk.run(asked.entry(), asked.after()).await?;
        Ok(walk.into_tree()?)
    }

    /// The complete subtree or nothing.
    pub(crate) async fn walk_observed(
        &self,
        request: &Arc<Request>,
        asked: &ObserveRequest,
    ) -> Result<Tree, ProviderError> {
        let mut walk = Walk::new(self, request, asked.depth, u32::MAX);
        walk.vanished_are_empty = true;
        walk.run(&asked.path, None).await?;
        walk.into_observed(asked.depth)
    }
}

impl<'h> Walk<'h> {
    fn new(host: &'h Inner, request: &Arc<Request>, depth: u32, limit: u32) -> Self {
        let limits = &host.limits;
        let now = Instant::now();
        // What is left over at the end goes into writing and sending the answer.
        let deadline = request.deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(now);
            deadline - (left / 8).min(Duration::from_millis(500))
        });
        Self {
            host,
            request: request.clone(),
            nodes: Vec::new(),
            causes: Causes::NONE,
            depth: depth.min(limits.tree_depth),
            limit: limit.min(limits.tree_nodes) as usize,
            bytes: request.response_bytes.map(|bytes| bytes / 16 * 15),
            vanished_are_empty: false,
            depth_cause: if depth > limits.tree_depth { Cause::HostLimit } else { Cause::Depth },
            limit_cause: if limit > limits.tree_nodes { Cause::HostLimit } else { Cause::Limit },
            deadline,
        }
    }

    fn room(&self) -> usize {
        if self.bytes == Some(0) { 0 } else { self.limit - self.nodes.len() }
    }

    /// Why there is no more room.
    fn full(&self) -> Cause {
        if self.bytes == Some(0) { Cause::HostLimit } else { self.limit_cause }
    }

    async fn run(&mut self, entry: &EntryPath, after: Option<&Segment>) -> Result<(), ProviderError> {
        let first = self.host.find(&self.request, entry);
        let first = in_time(self.deadline, first).await.unwrap_or_else(|| Err(ProviderError::Late))?;
        // The first node is in every answer, whatever it takes.
        self.take_room_for(&first);
        self.push(entry.clone(), None, 0, first);
        if after.is_some() && self.depth > 0 {
            let first = self.open(0, after.cloned(), PAGE.min(self.room() + 1));
            match in_time(self.deadline, first).await {
                // Whether the children can be resumed there at all is a matter of the request, not of the node.
                Some(Err(ProviderError::Gone)) => return Err(ProviderError::Gone),
                // Without room for any of them, that is all there was to read for.
                _ if self.room() == 0 => {
                    self.settle(0, Expansion::Unexplored, Some(self.full()));
                }
                Some(first) => self.expand(0, first, true).await,
                None => self.settle(0, Expansion::Unexplored, Some(Cause::Deadline)),
            }
            self.run_levels(1).await;
        } else {
            self.run_levels(0).await;
        }
        Ok(())
    }

    /// Expands nodes in their order, those of one level with a window of reads ahead.
    async fn run_levels(&mut self, from: usize) {
        let mut at = from;
        while at < self.nodes.len() {
            let level = self.nodes[at].level;
            let end = at + self.nodes[at..].iter().take_while(|node| node.level == level).count();
            self.run_level(at, end).await;
            at = end;
        }
    }

    async fn run_level(&mut self, start: usize, end: usize) {
        let mut reads: FuturesOrdered<BoxFuture<'h, FirstRead<'h>>> = FuturesOrdered::new();
        let mut ahead = start;
        for at in start..end {
            if !self.is_expandable(at) {
                continue;
            }
            if self.room() == 0 || self.is_late() {
                let cause = if self.room() == 0 { self.full() } else { Cause::Deadline };
                self.settle(at, Expansion::Unexplored, Some(cause));
                continue;
            }
            let window = (self.room() / ROOM_PER_READ).clamp(1, WINDOW).min(self.room());
            ahead = ahead.max(at);
            while ahead < end && reads.len() < window {
                if self.is_expandable(ahead) {
                    // Together they ask for hardly more than there is room for.
                    reads.push_back(self.open(ahead, None, PAGE.min(self.room() / window + 1)));
                }
                ahead += 1;
            }
            match in_time(self.deadline, reads.next()).await {
                Some(Some(first)) => self.expand(at, first, false).await,
                // There is a read for every node that can be expanded, in their order.
                Some(None) => self.settle(at, Expansion::Unexplored, Some(Cause::Unavailable)),
                None => self.settle(at, Expansion::Unexplored, Some(Cause::Deadline)),
            }
        }
    }

    /// Whether a node's children are to be read; settles it where they are not.
    fn is_expandable(&mut self, at: usize) -> bool {
        let node = &self.nodes[at];
        if node.leaf {
            return false;
        }
        if node.level == self.depth {
            self.settle(at, Expansion::Unexplored, Some(self.depth_cause));
            return false;
        }
        if let Some(cause) = node.unreadable {
            self.settle(at, Expansion::Unexplored, Some(cause));
            return false;
        }
        true
    }

    fn open(&self, at: usize, after: Option<Segment>, most: usize) -> BoxFuture<'h, FirstRead<'h>> {
        let (host, request) = (self.host, self.request.clone());
        let entry = self.nodes[at].entry.clone();
        // No node may take all the time from those behind it.
        let deadline = request.part_of_time(2);
        Box::pin(async move {
            let mut lister = Lister::new(host, &request, &entry, after.as_ref())?;
            let listed =
                in_time(deadline, lister.next(most)).await.unwrap_or_else(|| Err(ProviderError::Late))?;
            Ok((lister, listed))
        })
    }

    /// Takes children until there are no more of them or there is no more room.
    async fn expand(&mut self, at: usize, first: FirstRead<'h>, resumed: bool) {
        let (mut lister, mut listed) = match first {
            Ok(first) => first,
            Err(ProviderError::NotFound) if self.vanished_are_empty => {
                return self.settle(at, Expansion::Leaf, None);
            }
            Err(error) => return self.settle(at, Expansion::Unexplored, Some(cause_of(&error))),
        };
        let level = self.nodes[at].level + 1;
        let before = self.nodes.len();
        // Indices fit: the limit is a u32.
        let parent = Some(at as u32);
        let cause = loop {
            let mut surplus = false;
            for (entry, found) in listed.children.drain(..) {
                surplus = !self.take_room_for(&found);
                if surplus {
                    break;
                }
                self.push(entry, parent, level, found);
            }
            if surplus {
                break Some(self.full());
            }
            if listed.end {
                break None;
            }
            // Without room, one child further is looked for, to tell whether these are all.
            let most = PAGE.min(self.room().max(1));
            listed = match in_time(self.deadline, lister.next(most)).await {
                Some(Ok(listed)) => listed,
                Some(Err(error)) => break Some(cause_of(&error)),
                None => break Some(Cause::Deadline),
            };
        };
        let some = self.nodes.len() > before;
        let expansion = match (cause, some) {
            (Some(_), true) => Expansion::Partial,
            (Some(_), false) => Expansion::Unexplored,
            (None, false) if !resumed => Expansion::Leaf,
            (None, _) => Expansion::Complete,
        };
        self.settle(at, expansion, cause);
    }

    /// Takes the bytes of an Object from what is left, and whether there were enough; if not, nothing more has room.
    fn take_room_for(&mut self, found: &Found) -> bool {
        if self.room() == 0 {
            return false;
        }
        if let Some(bytes) = &mut self.bytes {
            *bytes = bytes.saturating_sub(NODE_BYTES + found.object.weight());
            return *bytes > 0;
        }
        true
    }

    fn push(&mut self, entry: EntryPath, parent: Option<u32>, level: u32, found: Found) {
        let Found { object, leaf, stand_in } = found;
        // What could not be read has no children to ask for, save those that lead to other mounts.
        let stand_in = stand_in.filter(|_| !self.host.mounts.leads_down(&entry));
        let unreadable = stand_in.map(|unread| match unread {
            Unread::Late => Cause::Deadline,
            Unread::Limit(_) => Cause::HostLimit,
            Unread::Failed => Cause::Unavailable,
        });
        self.nodes.push(Node { object, entry, parent, level, leaf, unreadable, expansion: Expansion::Leaf });
    }

    fn settle(&mut self, at: usize, expansion: Expansion, cause: Option<Cause>) {
        self.nodes[at].expansion = expansion;
        if let Some(cause) = cause {
            self.causes.insert(cause);
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn into_tree(self) -> Result<Tree, Fault> {
        let nodes = self.nodes.into_iter().map(|node| (node.object, node.parent, node.expansion));
        Tree::new(nodes.collect(), self.causes)
    }

    /// The tree in the form of `observe`: complete above the depth, or an error as a whole.
    fn into_observed(mut self, depth: u32) -> Result<Tree, ProviderError> {
        for cause in self.causes.iter() {
            let limits = &self.host.limits;
            return Err(match cause {
                Cause::Depth => continue,
                Cause::Deadline => ProviderError::Late,
                Cause::Unavailable => ProviderError::failed("a part of the tree could not be read"),
                Cause::Limit | Cause::HostLimit => ProviderError::Limit(format!(
                    "the tree is larger than this Host observes at once ({} nodes, {} levels, or a limit of what is \
                     mounted there); observe a smaller depth or a part of it, or use fetch_tree",
                    limits.tree_nodes, limits.tree_depth
                )),
            });
        }
        let mut open = false;
        for node in &mut self.nodes {
            let boundary = node.level >= depth;
            open |= boundary;
            node.expansion = if boundary { Expansion::Unexplored } else { Expansion::Complete };
        }
        self.causes = if open { Causes::from_iter([Cause::Depth]) } else { Causes::NONE };
        Ok(self.into_tree()?)
    }
}

fn cause_of(error: &ProviderError) -> Cause {
    match error {
        ProviderError::Late => Cause::Deadline,
        ProviderError::Limit(_) => Cause::HostLimit,
        _ => Cause::Unavailable,
    }
}

/// The value, if it comes in time.
pub(crate) async fn in_time<T>(deadline: Option<Instant>, reading: impl Future<Output = T>) -> Option<T> {
    match deadline {
        None => Some(reading.await),
        Some(deadline) => tokio::time::timeout_at(deadline.into(), reading).await.ok(),
    }
}
