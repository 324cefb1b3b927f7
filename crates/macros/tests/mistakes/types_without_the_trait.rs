//! Types that only the compiler knows not to stand for one of the protocol: each is told once for each place.

use worldspace_host::{Call, Done, Refusal, WipType, interface};

struct Secret;

#[derive(WipType)]
struct Holder {
    secret: Secret,
    secrets: Vec<Secret>,
    maybe: Option<Secret>,
}

#[derive(WipType)]
enum Case {
    Told(Secret),
}

#[interface(name = "secrets", client)]
trait Secrets {
    async fn tell(&self, call: Call, argument: Secret) -> Result<Done<Secret>, Refusal>;

    #[read]
    async fn read(&self) -> Result<Secret, Refusal>;
}

fn main() {}
