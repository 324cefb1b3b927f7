//! What the compiler says of each mistake: all of them at once, each where it stands.
//!
//! `TRYBUILD=overwrite` writes anew what is expected.

#[test]
fn every_mistake_is_told_where_it_stands_in_one_pass() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
