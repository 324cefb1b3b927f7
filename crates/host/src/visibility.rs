//! Who sees what: the one place where it is decided (SPEC 3).
//!
//! It stands behind the provider, so that what is hidden and what is absent cost the same reads, and both leave it as
//! the same value. Whatever is counted, compared or suggested is so after it.

use worldspace_model::{EntryPath, InterfaceList, InterfaceReference, Principal};

use crate::failure::ProviderError;
use crate::interface::Interface;
use crate::mount::Found;

/// The decision for each principal and thing.
#[derive(Debug, Clone, Default)]
pub(crate) enum Visibility {
    /// Everybody sees everything.
    #[default]
    All,
    /// For tests: nobody sees these.
    #[cfg(test)]
    Hiding { entries: Vec<EntryPath>, interfaces: Vec<InterfaceReference> },
}

impl Visibility {
    fn sees(&self, _principal: &Principal, _entry: &EntryPath) -> bool {
        match self {
            Self::All => true,
            #[cfg(test)]
            Self::Hiding { entries, .. } => !entries.iter().any(|hidden| hidden.contains(_entry)),
        }
    }

    fn sees_interface(&self, _principal: &Principal, _reference: &InterfaceReference) -> bool {
        match self {
            Self::All => true,
            #[cfg(test)]
            Self::Hiding { interfaces, .. } => !interfaces.contains(_reference),
        }
    }

    /// What the principal gets to know of what was found at an entry.
    pub(crate) fn object(
        &self,
        principal: &Principal,
        entry: &EntryPath,
        found: Result<Found, ProviderError>,
    ) -> Result<Found, ProviderError> {
        if self.sees(principal, entry) { found } else { Err(ProviderError::NotFound) }
    }

    /// Whether the principal sees a child in a list.
    pub(crate) fn child(&self, principal: &Principal, entry: &EntryPath) -> bool {
        self.sees(principal, entry)
    }

    /// Those of an Object's interfaces that the principal sees.
    pub(crate) fn interfaces(&self, principal: &Principal, list: InterfaceList) -> InterfaceList {
        if list.iter().all(|reference| self.sees_interface(principal, reference)) {
            return list;
        }
        let seen: Vec<_> =
            list.iter().filter(|reference| self.sees_interface(principal, reference)).cloned().collect();
        // A part of a list without repetitions has none.
        InterfaceList::new(seen).unwrap_or_default()
    }

    /// What the principal gets to know of an interface whose scope Object it sees.
    pub(crate) fn interface(
        &self,
        principal: &Principal,
        reference: &InterfaceReference,
        found: Result<Interface, ProviderError>,
    ) -> Result<Interface, ProviderError> {
        if self.sees_interface(principal, reference) { found } else { Err(ProviderError::NotFound) }
    }

    /// Whether the principal may run an operation that it sees.
    pub(crate) fn permits(&self, _principal: &Principal, _target: &EntryPath, _operation: &str) -> bool {
        match self {
            Self::All => true,
            #[cfg(test)]
            Self::Hiding { .. } => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use worldspace_model::{
        ArgumentSource, Arguments, CallHead, FetchInterfaceRequest, FetchRequest, FetchTreeRequest,
        IncomingCall, InterfaceTarget, ProtocolError, Record, RequestContext, Responder, Segment, Target,
    };

    use super::*;
    use crate::{
        Call, Context, Done, Host, Interfaces, LocalPath, LocalReference, Memory, MemoryNode, Page, Provider,
        Published, Refusal,
    };

    /// Counts what is asked of it.
    struct Counting(Memory, Arc<AtomicUsize>);

    impl Provider for Counting {
        async fn object(&self, context: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
            self.1.fetch_add(1, Ordering::SeqCst);
            self.0.object(context, path).await
        }
        async fn children(
            &self,
            context: &Context,
            path: &LocalPath,
            after: Option<&Segment>,
            most: usize,
        ) -> Result<Page, ProviderError> {
            self.1.fetch_add(1, Ordering::SeqCst);
            self.0.children(context, path, after, most).await
        }
        async fn interface(&self, c: &Context, r: &LocalReference) -> Result<Interface, ProviderError> {
            self.1.fetch_add(1, Ordering::SeqCst);
            self.0.interface(c, r).await
        }
        async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
            Provider::call(&self.0, context, call).await
        }
    }

    struct Nothing;

    impl ArgumentSource for Nothing {
        fn read(
            self: Box<Self>,
            operation: &worldspace_model::Operation,
        ) -> Result<Arguments, worldspace_model::Fault> {
            Arguments::check(operation, Record::default())
        }
    }

    const NAMES: [&str; 3] = ["shown", "other", "last"];

    /// A Host on which `hidden` is there and hidden, or not there at all; and the count of what its provider is asked.
    fn host(there: bool) -> (Host, Arc<AtomicUsize>) {
        let memory = Memory::new();
        let path = |text: &str| LocalPath::parse(text).unwrap();
        for name in ["shown", "hidden"] {
            let operation = worldspace_model::OperationDeclaration::new("read");
            let interface = Interface::builder().read(operation).build().unwrap();
            if there || name == "shown" {
                let reference = LocalReference::at_root(name).unwrap();
                memory.serve(reference, interface, |_, call| async {
                    Ok(call.done(worldspace_model::Value::Unit))
                });
            }
        }
        let listed = ["shown", "hidden"].into_iter().filter(|name| there || *name == "shown");
        let both = Interfaces::new(listed.map(|name| LocalReference::at_root(name).unwrap()));
        for name in NAMES {
            memory.put(&path(&format!("/{name}")), MemoryNode::new().publishing(&both));
            if name == "shown" && there {
                memory.put(&path("/hidden"), MemoryNode::new().publishing(&both));
                memory.put(&path("/hidden/below"), MemoryNode::new());
            }
        }
        let count = Arc::new(AtomicUsize::new(0));
        let host = Host::builder().mount(EntryPath::root(), Counting(memory, count.clone()));
        let hidden = Visibility::Hiding {
            entries: vec![EntryPath::parse("/hidden").unwrap()],
            interfaces: vec![InterfaceReference::parse("/", "hidden").unwrap()],
        };
        (host.visibility(hidden).build().unwrap(), count)
    }

    fn anyone() -> RequestContext {
        RequestContext::of(Principal::anonymous())
    }

    async fn asked(host: &Host) -> Vec<Result<String, ProtocolError>> {
        let mut answers = Vec::new();
        let entries = ["/hidden", "/hidden/below", "/shown"].map(EntryPath::parse).to_vec();
        let fetched = host.fetch(anyone(), FetchRequest { entries }).await.unwrap();
        answers.extend(fetched.results.into_iter().map(|result| {
            // Refs and validators differ from start to start.
            result.map(|object| format!("{} {:?}", object.name, object.interfaces))
        }));
        for limit in 1..6 {
            for after in [None, Some("shown"), Some("hidden")] {
                let after = after.map(|name| Segment::parse(name).unwrap());
                let request = FetchTreeRequest::new(EntryPath::root(), 2, limit, after).unwrap();
                let found = host.fetch_tree(anyone(), request).await;
                answers.push(found.map(|tree| {
                    let names: Vec<_> =
                        tree.nodes().iter().map(|node| (node.object.name.clone(), node.expansion)).collect();
                    format!("{names:?} {:?}", tree.truncated_by())
                }));
            }
        }
        for name in ["hidden", "shown"] {
            let interface = InterfaceReference::parse("/", name).unwrap();
            let request = FetchInterfaceRequest { interface: interface.clone(), effects: true };
            let fetched = host.fetch_interface(anyone(), request).await;
            answers.push(fetched.clone().map(|fetched| format!("{:?}", fetched.descriptor)));
            for target in ["/shown", "/hidden"] {
                let validator = fetched.as_ref().ok().and_then(|fetched| fetched.validator.clone());
                let head = CallHead {
                    target: Target { path: EntryPath::parse(target).unwrap(), validator: None },
                    interface: InterfaceTarget { reference: interface.clone(), scope_ref: None, validator },
                    operation: "read".into(),
                    key: None,
                };
                let call = IncomingCall { head, arguments: Box::new(Nothing) };
                let answer = host.call_operation(anyone(), call).await;
                answers.push(answer.map(|answer| format!("{:?}", answer.result)));
            }
        }
        answers
    }

    /// Every interaction, on every path to it: the same answers, word by word.
    #[tokio::test]
    async fn hidden_is_absent() {
        let ((hiding, _), (lacking, _)) = (host(true), host(false));
        let (hidden, absent) = (asked(&hiding).await, asked(&lacking).await);
        assert!(hidden.iter().any(Result::is_ok) && hidden.iter().any(Result::is_err));
        assert_eq!(hidden, absent);
    }

    /// An entry by itself costs the same reads, hidden or absent.
    #[tokio::test]
    async fn hidden_costs_what_absent_costs() {
        let mut costs = Vec::new();
        for there in [true, false] {
            let (host, count) = host(there);
            let entries = vec![EntryPath::parse("/hidden")];
            host.fetch(anyone(), FetchRequest { entries }).await.unwrap();
            let interface = InterfaceReference::parse("/", "hidden").unwrap();
            let request = FetchInterfaceRequest { interface, effects: true };
            assert!(host.fetch_interface(anyone(), request).await.is_err());
            costs.push(count.load(Ordering::SeqCst));
        }
        assert_eq!(costs[0], costs[1]);
    }
}
