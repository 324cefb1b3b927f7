//! Every limit of a body, for both directions and both sides. A Host and a Client that hold the same [`Limits`] refuse
//! the same bodies: what one of them may write, the other may read.

use worldspace_model::MAX_DEPTH;

/// How large and how deep a body may be.
///
/// ```
/// use worldspace_wire::Limits;
/// assert!(Limits::new(1 << 20, 8 << 20, 64).is_ok());
/// assert!(Limits::new(0, 8 << 20, 64).is_err());
/// assert_eq!(Limits::new(1, 1, 100_000).unwrap().nesting(), Limits::MAX_NESTING);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    request_bytes: usize,
    response_bytes: usize,
    nesting: usize,
}

/// A limit of zero, which no body meets.
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
            if value == 0 {
                return Err(ZeroLimit { limit });
            }
        }
        Ok(Self { request_bytes, response_bytes, nesting: nesting.min(Self::MAX_NESTING) })
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
        }
    }
}

impl std::fmt::Display for ZeroLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is 0, which no body meets; it must be at least 1", self.limit)
    }
}

impl std::error::Error for ZeroLimit {}
