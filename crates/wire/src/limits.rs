//! Every limit of a body, for both directions and both sides. A Host and a Client that hold the same [`Limits`] refuse
//! the same bodies: what one of them may write, the other may read.

use worldspace_model::MAX_DEPTH;

/// How large and how deep a body may be, and how much it may ask for.
///
/// ```
/// use worldspace_wire::Limits;
/// assert!(Limits::new(1 << 20, 8 << 20, 64).is_ok());
/// assert!(Limits::new(0, 8 << 20, 64).is_err());
/// assert_eq!(Limits::new(1, 1, 100_000).unwrap().nesting(), Limits::MAX_NESTING);
/// assert_eq!(Limits::default().with_fetch_entries(7).unwrap().fetch_entries(), 7);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    request_bytes: usize,
    response_bytes: usize,
    nesting: usize,
    fetch_entries: usize,
}

/// A limit of zero, which nothing meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZeroLimit {
    /// Which limit it is.
    pub limit: &'static str,
}

impl Limits {
    /// Lists and records inside one another that the model can hold at most. Readers and writers go down by recursion,
    /// so this also bounds their stack.
    pub const MAX_NESTING: usize = MAX_DEPTH as usize;

    /// Limits of these sizes. A nesting beyond [`Self::MAX_NESTING`] is cut to it: what is deeper could not be built.
    ///
    /// # Errors
    /// One of them is zero.
    pub fn new(request_bytes: usize, response_bytes: usize, nesting: usize) -> Result<Self, ZeroLimit> {
        for (limit, value) in
            [("request_bytes", request_bytes), ("response_bytes", response_bytes), ("nesting", nesting)]
        {
            above_zero(limit, value)?;
        }
        let nesting = nesting.min(Self::MAX_NESTING);
        Ok(Self { request_bytes, response_bytes, nesting, ..Self::default() })
    }

    /// The same with another number of entries in one `fetch`. A Host that takes more than the default by its own
    /// limit needs this one raised too.
    ///
    /// # Errors
    /// It is zero.
    pub fn with_fetch_entries(self, fetch_entries: usize) -> Result<Self, ZeroLimit> {
        above_zero("fetch_entries", fetch_entries)?;
        Ok(Self { fetch_entries, ..self })
    }

    /// Bytes of a request body.
    pub fn request_bytes(&self) -> usize {
        self.request_bytes
    }

    /// Bytes of an answer's body.
    pub fn response_bytes(&self) -> usize {
        self.response_bytes
    }

    /// Lists and records inside one another, counted over the whole body: the outermost one is the first.
    pub fn nesting(&self) -> usize {
        self.nesting
    }

    /// Entries in one `fetch`.
    pub fn fetch_entries(&self) -> usize {
        self.fetch_entries
    }
}

fn above_zero(limit: &'static str, value: usize) -> Result<(), ZeroLimit> {
    if value == 0 { Err(ZeroLimit { limit }) } else { Ok(()) }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // What [v1] peers take; arguments that are larger belong into a store of their own.
            request_bytes: 1 << 20,
            // Above the 1 MiB of [v1]: a tree of 10,000 described Objects is 2 to 4 MiB, and stopping it halfway would
            // cost its reader more round trips than bytes. A [v1] Client that takes less refuses the answer by itself.
            response_bytes: 8 << 20,
            // What [v1] peers take. An `observe` spends two for each level of the tree.
            nesting: 64,
            // Far above what a Host answers at once, and far below what a body could hold: each entry costs more than
            // its text, above all one that is no path.
            fetch_entries: 4096,
        }
    }
}

impl std::fmt::Display for ZeroLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is 0, which nothing meets; it must be at least 1", self.limit)
    }
}

impl std::error::Error for ZeroLimit {}
