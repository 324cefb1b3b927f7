//! Attributes that contradict themselves, stand at the wrong place, or nearly are one of ours.

use worldspace_host::{Call, Done, Refusal, WipType, interface};

#[interface]
trait Nameless {}

#[interface(name = "")]
trait EmptyName {}

#[interface(name = 7)]
trait NumberName {}

#[interface(name = "a", name = "b", client, client, clients, scope = "/", types(A), types(B))]
trait Twice {}

#[interface(name = "effects")]
#[wip(name = "effects")]
#[cfg(unix)]
trait Effects {
    #[read]
    #[guarded]
    async fn contradiction(&self) -> Result<(), Refusal>;
    #[destructive]
    #[destructive]
    async fn twice(&self, call: Call) -> Result<Done<()>, Refusal>;
    #[idempotent(true)]
    async fn with_argument(&self, call: Call) -> Result<Done<()>, Refusal>;
    #[readonly]
    async fn lookalike(&self, call: Call) -> Result<Done<()>, Refusal>;
    #[guard]
    #[write]
    #[returning("x")]
    async fn lookalikes(&self, call: Call) -> Result<Done<()>, Refusal>;
    #[cfg_attr(unix, read)]
    async fn conditional(&self, call: Call) -> Result<Done<()>, Refusal>;
    #[returns("a")]
    #[returns("b")]
    #[wip(name = "a", name = "b")]
    async fn returns_twice(&self, call: Call) -> Result<Done<()>, Refusal>;
    #[returns]
    #[wip(inline)]
    async fn returns_nothing(&self, call: Call) -> Result<Done<()>, Refusal>;
    async fn parameters(
        &self,
        /// Documented in vain.
        #[wip(name = "x")]
        call: Call,
        #[cfg(unix)] path: String,
        #[serde(default)] text: String,
        #[wip(name)] name: String,
    ) -> Result<Done<()>, Refusal>;
}

#[derive(WipType)]
#[wip(inline, name = "Named", renamed = "x")]
struct Both {
    #[wip(inline)]
    field: String,
}

#[derive(WipType)]
#[wip(union)]
struct NoUnion {}

#[derive(WipType)]
#[wip]
enum Nothing {
    #[wip(name = 1)]
    Case,
    Carrying(#[wip(name = "value")] String),
}

fn main() {}
