//! What a trait can have and an interface cannot.

use std::sync::Arc;

use worldspace_host::{Call, Context, Done, Refusal, interface};

#[interface(name = "everything")]
unsafe trait Everything<T> {
    const LIMIT: usize;
    type Item;
    something!();

    #[read]
    fn not_async(&self) -> Result<(), Refusal>;
    #[read]
    async unsafe fn dangerous(&self) -> Result<(), Refusal>;
    #[read]
    async extern "C" fn foreign(&self) -> Result<(), Refusal>;
    #[read]
    async fn generic<'a, A>(&'a self, value: A) -> Result<(), Refusal>
    where
        A: Clone;

    #[read]
    async fn no_self() -> Result<(), Refusal>;
    #[read]
    async fn by_value(self) -> Result<(), Refusal>;
    #[read]
    async fn by_mut(&mut self) -> Result<(), Refusal>;
    #[read]
    async fn by_arc(self: Arc<Self>) -> Result<(), Refusal>;

    #[read]
    async fn nothing_returned(&self);
    #[read]
    async fn no_result(&self) -> String;
    #[read]
    async fn no_error(&self) -> Result<String>;
    #[read]
    async fn other_error(&self) -> Result<String, String>;
    #[read]
    async fn read_done(&self) -> Result<Done<String>, Refusal>;
    #[read]
    async fn read_call(&self, call: Call) -> Result<String, Refusal>;
    #[read]
    async fn read_context(&self, context: Context) -> Result<String, Refusal>;

    async fn no_call(&self, text: String) -> Result<Done<()>, Refusal>;
    async fn borrowed_call(&self, call: &Call) -> Result<Done<()>, Refusal>;
    async fn late_call(&self, text: String, call: Call) -> Result<Done<()>, Refusal>;
    async fn second_call(&self, call: Call, again: Call) -> Result<Done<()>, Refusal>;
    async fn not_done(&self, call: Call) -> Result<String, Refusal>;
    async fn done_what(&self, call: Call) -> Result<Done, Refusal>;

    async fn patterns(&self, call: Call, (left, right): Pair, _: String) -> Result<Done<()>, Refusal>;
}

#[interface(name = "a struct")]
struct NoTrait;

fn main() {}
