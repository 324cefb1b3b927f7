//! One name for two things that stand side by side.

use worldspace_host::{Call, Done, Refusal, WipType, interface};

#[derive(WipType)]
struct Fields {
    text: String,
    #[wip(name = "text")]
    body: String,
}

#[derive(WipType)]
enum Cases {
    WontFix,
    #[wip(name = "wont_fix")]
    Never,
    Carrying {
        one: String,
        #[wip(name = "one")]
        two: String,
    },
}

#[interface(name = "twice", client)]
trait Twice {
    async fn set(&self, call: Call, key: String, #[wip(name = "key")] value: String) -> Result<Done<()>, Refusal>;

    #[wip(name = "set")]
    async fn put(&self, call: Call) -> Result<Done<()>, Refusal>;
}

fn main() {}
