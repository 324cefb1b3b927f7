//! Every form of an operation, with a client.

#[interface(name = "issue.lifecycle", client, types(Reason, Unreached))]
/// An issue's life.
///
/// Details.
#[must_use]
pub trait Lifecycle: Sized {
    /// Closes the issue.
    #[destructive]
    #[guarded]
    async fn close(
        &self,
        call: Call,
        context: &Context,
        /// Why.
        reason: Reason,
        #[wip(name = "the note")] note: Option<String>,
    ) -> Result<Done<CloseResult>, Refusal>;

    #[read]
    #[returns("The text.\n\nAs it is now.")]
    #[cfg(feature = "bodies")]
    #[deprecated]
    async fn r#type(&self, call: &worldspace_host::Call) -> Result<Body, Refusal>;

    #[read]
    #[wip(name = "how many")]
    async fn count(&self) -> Result<u32, Refusal> {
        Ok(7)
    }
}
