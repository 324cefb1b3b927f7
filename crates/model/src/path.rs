//! Positions in the Worldspace: canonical absolute paths and the segments they are made of (SPEC 1).

use std::fmt;
use std::sync::Arc;

use crate::fault::{Fault, Rule};

/// A canonical absolute path: `/`, or `/a/b` with segments that are [`Segment`]s.
///
/// Comparison is by exact code points; nothing is normalised, decoded or folded.
///
/// ```
/// use worldspace_model::EntryPath;
/// for accepted in ["/", "/a", "/a/b", "/...", "/%2e", "/ ", "/日本"] {
///     assert!(EntryPath::parse(accepted).is_ok(), "{accepted}");
/// }
/// for refused in ["", "a", "/a/", "//a", "/.", "/a/../b"] {
///     assert!(EntryPath::parse(refused).is_err(), "{refused}");
/// }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryPath(Arc<str>);

/// One name in a path: not empty, without `/`, and neither `.` nor `..`.
///
/// ```
/// use worldspace_model::Segment;
/// assert!(Segment::parse("a.b").is_ok());
/// for refused in ["", ".", "..", "a/b"] {
///     assert!(Segment::parse(refused).is_err(), "{refused}");
/// }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment(Arc<str>);

/// Which rule of a canonical absolute path a string breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathRule {
    /// It does not begin with `/`.
    NotAbsolute,
    /// Two slashes follow one another, or the last character is a slash.
    EmptySegment,
    /// A segment is `.` or `..`.
    DotSegment,
}

impl fmt::Display for PathRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAbsolute => "a path begins with `/`",
            Self::EmptySegment => "a path has no empty segment and no `/` at its end",
            Self::DotSegment => "a path has no segment `.` or `..`",
        })
    }
}

impl EntryPath {
    /// The entry at the top of the Worldspace.
    pub fn root() -> Self {
        Self(Arc::from("/"))
    }

    /// Takes a string as it stands.
    ///
    /// # Errors
    /// [`Rule::InvalidPath`] with the broken [`PathRule`].
    pub fn parse(text: &str) -> Result<Self, Fault> {
        match check_path(text) {
            Ok(()) => Ok(Self(Arc::from(text))),
            Err(rule) => Err(Fault::new(Rule::InvalidPath(rule))),
        }
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is `/`.
    pub fn is_root(&self) -> bool {
        self.0.len() == 1
    }

    /// The segments from the top; none at the root.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        let rest = &self.0[1..];
        rest.split('/').filter(|segment| !segment.is_empty())
    }

    /// How many segments there are.
    pub fn depth(&self) -> usize {
        self.segments().count()
    }

    /// The last segment, empty at the root.
    pub fn name(&self) -> &str {
        // A path always holds a slash, its first character.
        self.0.rsplit_once('/').map_or("", |(_, name)| name)
    }

    /// The entry above; none at the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let (above, _) = self.0.rsplit_once('/')?;
        Some(if above.is_empty() { Self::root() } else { Self(Arc::from(above)) })
    }

    /// The entry of that name below this one.
    #[must_use]
    pub fn child(&self, segment: &Segment) -> Self {
        self.joined(segment.as_str())
    }

    /// The entry that `below`, read as a path from here, names.
    #[must_use]
    pub fn descend(&self, below: &Self) -> Self {
        match (self.is_root(), below.is_root()) {
            (_, true) => self.clone(),
            (true, false) => below.clone(),
            (false, false) => Self([self.as_str(), below.as_str()].concat().into()),
        }
    }

    fn joined(&self, name: &str) -> Self {
        let above = if self.is_root() { "" } else { self.as_str() };
        Self([above, "/", name].concat().into())
    }

    /// Whether `other` is this entry or stands below it.
    pub fn contains(&self, other: &Self) -> bool {
        self.rest_of(other.as_str()).is_some()
    }

    /// `other` as seen from this entry; none where it stands elsewhere.
    ///
    /// ```
    /// use worldspace_model::EntryPath;
    /// let path = |text| EntryPath::parse(text).unwrap();
    /// assert_eq!(path("/a").relative(&path("/a/b")), Some(path("/b")));
    /// assert_eq!(path("/a").relative(&path("/ab")), None);
    /// ```
    pub fn relative(&self, other: &Self) -> Option<Self> {
        match self.rest_of(other.as_str())? {
            "" => Some(Self::root()),
            _ if self.is_root() => Some(other.clone()),
            rest => Some(Self(Arc::from(rest))),
        }
    }

    fn rest_of<'a>(&self, other: &'a str) -> Option<&'a str> {
        if self.is_root() {
            return Some(if other.len() == 1 { "" } else { other });
        }
        let rest = other.strip_prefix(self.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    }
}

impl Segment {
    /// Takes a string as it stands.
    ///
    /// # Errors
    /// [`Rule::InvalidObjectName`].
    pub fn parse(text: &str) -> Result<Self, Fault> {
        if is_segment(text) {
            Ok(Self(Arc::from(text)))
        } else {
            Err(Fault::new(Rule::InvalidObjectName { name: Arc::from(text) }))
        }
    }

    /// The segment as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The segment as a shared string.
    pub fn as_name(&self) -> &crate::Name {
        &self.0
    }
}

fn check_path(text: &str) -> Result<(), PathRule> {
    let Some(rest) = text.strip_prefix('/') else {
        return Err(PathRule::NotAbsolute);
    };
    if rest.is_empty() {
        return Ok(());
    }
    for segment in rest.split('/') {
        match segment {
            "" => return Err(PathRule::EmptySegment),
            "." | ".." => return Err(PathRule::DotSegment),
            _ => {}
        }
    }
    Ok(())
}

/// Whether a string may stand between two slashes of a path.
pub(crate) fn is_segment(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains('/')
}

impl fmt::Display for EntryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EntryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// Maps keyed by paths can be asked for a part of a path without making one. Both compare and hash as text.
impl std::borrow::Borrow<str> for EntryPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for EntryPath {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        Self::parse(text)
    }
}

impl std::str::FromStr for Segment {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        Self::parse(text)
    }
}
