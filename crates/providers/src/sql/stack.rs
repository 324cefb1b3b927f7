//! Room on the stack for a library that calls itself as deep as what it is given is nested.

use std::io;

/// SQLite puts views into each other until an expression is as deep as all of them together: some hundred bytes for each level,
/// and ten thousand levels in what a caller may write. Memory that is not touched costs nothing.
const SIZE: usize = 128 << 20;

/// Runs work where there is enough of it: a stack that ends takes the whole process along.
///
/// # Errors
/// There is no thread to be had.
pub(super) fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, io::Error> {
    std::thread::scope(|scope| {
        let deep = std::thread::Builder::new().name("sql".to_owned()).stack_size(SIZE);
        match deep.spawn_scoped(scope, work)?.join() {
            Ok(done) => Ok(done),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
