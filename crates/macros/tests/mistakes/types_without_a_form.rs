//! Types that the protocol has no form for, where each is first written.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use worldspace_host::{Call, Done, Refusal, WipType, interface};

#[derive(WipType)]
struct Tree {
    children: Vec<Tree>,
    parent: Option<Box<Self>>,
}

#[derive(WipType)]
struct Held<'a, T> {
    text: &'a str,
    of: T,
}

#[derive(WipType)]
struct Fields {
    small: u8,
    signed: i8,
    large: u128,
    single: f32,
    letter: char,
    bytes: Vec<u8>,
    boxed: Box<String>,
    shared: Arc<str>,
    counted: Rc<String>,
    map: HashMap<String, String>,
    set: BTreeSet<String>,
    pair: (String, bool),
    three: [u16; 3],
    maybe: Option<Option<String>>,
    holes: Vec<Option<String>>,
    outcome: Result<String, String>,
    function: fn(String) -> String,
    nested: Option<Vec<Vec<u8>>>,
}

#[derive(WipType)]
struct Wrapped(Option<String>);

#[derive(WipType)]
struct Pair(String, u8);

#[derive(WipType)]
enum Cases {
    Two(String, bool),
    None(),
    Absent(Option<u16>),
    Bytes { bytes: Vec<u8> },
}

#[derive(WipType)]
union Bits {
    integer: u32,
    number: f32,
}

#[interface(name = "types")]
trait Types {
    async fn take(
        &self,
        call: Call,
        text: &str,
        bytes: &[u8],
        list: &[String],
        any: impl ToString,
        kept: &dyn ToString,
    ) -> Result<Done<Option<String>>, Refusal>;

    #[read]
    async fn name(&self) -> Result<&'static str, Refusal>;
}

fn main() {}
