//! What a Host speaks, the same for every principal (SPEC 7, `GET v1`) \[ext\].

use crate::error::Interaction;

/// What a Host says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// The interactions that it answers.
    pub interactions: Vec<Interaction>,
    /// Media types of bodies that it reads and writes.
    pub encodings: Vec<String>,
    /// Extensions that a request may ask for, such as `effects`.
    pub extensions: Vec<String>,
    /// What it takes and gives at most.
    pub limits: StatedLimits,
    /// How long calls are remembered, if they are.
    pub journal: Option<JournalTerms>,
}

/// What a Host takes and gives at most; 0 where it does not say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatedLimits {
    /// Bytes of a request body.
    pub request_bytes: u64,
    /// Bytes of an answer's body.
    pub response_bytes: u64,
    /// Lists and records inside one another, over a whole body.
    pub nesting: u64,
    /// Entries in one `fetch`.
    pub fetch_entries: u64,
    /// Nodes in one tree.
    pub tree_nodes: u64,
    /// Levels in one tree.
    pub tree_depth: u64,
}

/// How long a Host remembers calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalTerms {
    /// Under another epoch, nothing is known of earlier calls.
    pub epoch: String,
    /// For how many seconds a call is remembered.
    pub retention_s: u64,
}

impl Capabilities {
    /// Those of a Host that says nothing of itself: the three interactions of \[v1\].
    pub fn v1() -> Self {
        Self {
            interactions: vec![Interaction::Observe, Interaction::FetchInterface, Interaction::CallOperation],
            encodings: vec!["application/json".to_owned()],
            ..Self::default()
        }
    }

    /// Whether the Host answers that interaction.
    pub fn speaks(&self, interaction: Interaction) -> bool {
        self.interactions.contains(&interaction)
    }

    /// Whether a request may ask for that extension.
    pub fn extends(&self, extension: &str) -> bool {
        self.extensions.iter().any(|known| known == extension)
    }
}
