//! A call that the suite may make on a provider.

use worldspace_model::{EntryPath, InterfaceReference, Name, Record, Value};

/// A call by example: the Object, the interface, the operation, and what it is given.
///
/// ```
/// use worldspace_testkit::suite::Sample;
/// let append = Sample::of("/today", "notes.note", "append").with("text", "milk");
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Sample {
    pub(super) path: EntryPath,
    scope: EntryPath,
    interface: String,
    pub(super) operation: String,
    arguments: Vec<(Name, Argument)>,
    /// Arguments whose entry must be the provider's own.
    pub(super) local_entries: Vec<Name>,
    pub(super) moves_to: Option<EntryPath>,
    pub(super) mistakes: Vec<String>,
}

#[derive(Debug, Clone)]
enum Argument {
    Value(Value),
    /// A place below the provider's root.
    Entry(EntryPath),
}

impl Sample {
    /// A call of an operation of an interface that the provider's root holds, without arguments.
    pub fn of(path: &str, interface: impl Into<String>, operation: impl Into<String>) -> Self {
        let mut mistakes = Vec::new();
        let path = local(path, &mut mistakes);
        let interface = interface.into();
        if interface.is_empty() {
            mistakes.push("the name of an interface is not empty".to_owned());
        }
        Self {
            path,
            scope: EntryPath::root(),
            interface,
            operation: operation.into(),
            arguments: Vec::new(),
            local_entries: Vec::new(),
            moves_to: None,
            mistakes,
        }
    }

    /// The interface belongs to the Object at this path, not to the root.
    pub fn scoped(mut self, scope: &str) -> Self {
        self.scope = local(scope, &mut self.mistakes);
        self
    }

    /// With this argument.
    pub fn with(mut self, name: impl Into<Name>, value: impl Into<Value>) -> Self {
        self.arguments.push((name.into(), Argument::Value(value.into())));
        self
    }

    /// With an `entry` argument that names a place of the provider. An entry of another mount in its place is refused,
    /// as long as [`Sample::with_any_entry`] does not say otherwise.
    pub fn with_entry(mut self, name: impl Into<Name>, path: &str) -> Self {
        let name = name.into();
        self.local_entries.push(name.clone());
        self.with_any_entry(name, path)
    }

    /// With an `entry` argument that names a place of the provider, in an operation that takes those of others too.
    pub fn with_any_entry(mut self, name: impl Into<Name>, path: &str) -> Self {
        let path = local(path, &mut self.mistakes);
        self.arguments.push((name.into(), Argument::Entry(path)));
        self
    }

    /// The call moves the Object to this path, where it stays the same Object.
    pub fn moving_to(mut self, path: &str) -> Self {
        self.moves_to = Some(local(path, &mut self.mistakes));
        self
    }

    /// The interface, for a provider that is mounted there.
    pub(super) fn reference(&self, mount: &EntryPath) -> Result<InterfaceReference, String> {
        let scope = mount.descend(&self.scope);
        InterfaceReference::parse(scope.as_str(), &self.interface).map_err(|fault| fault.to_string())
    }

    /// The arguments, for a provider that is mounted there.
    pub(super) fn record(&self, mount: &EntryPath) -> Result<Record, String> {
        let value = |argument: &Argument| match argument {
            Argument::Value(value) => value.clone(),
            Argument::Entry(path) => Value::Entry(mount.descend(path)),
        };
        let fields = self.arguments.iter().map(|(name, argument)| (name.clone(), value(argument)));
        Record::new(fields.collect()).map_err(|fault| fault.to_string())
    }
}

impl std::fmt::Display for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` on {}", self.operation, self.path)
    }
}

/// A path as its author wrote it; one that is none is noted and told in the report.
pub(super) fn local(path: &str, mistakes: &mut Vec<String>) -> EntryPath {
    EntryPath::parse(path).unwrap_or_else(|fault| {
        mistakes.push(format!("{path:?} is no path of a provider: {fault}"));
        EntryPath::root()
    })
}
