use worldspace_host::model::{Bytes, EntryPath, Json};
use worldspace_host::{Call, Context, Done, Refusal, WipType, interface};

#[derive(Debug, Clone, Copy, PartialEq, Eq, WipType)]
pub enum Unreached {
    #[wip(name = "a")]
    A,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, WipType)]
pub enum Kind {
    Done,
    WontFix,
    #[wip(name = "v2")]
    V2,
    #[wip(name = "a_b")]
    AB,
    #[wip(name = "Done")]
    Done_,
    #[wip(name = "self")]
    Self_,
    #[wip(name = "two words")]
    TwoWords,
    #[wip(name = "")]
    Unnamed,
}

#[derive(Debug, Clone, PartialEq, WipType)]
pub enum Inner {
    Closed,
    /// Carries a record.
    Blocked {
        dependencies: Vec<EntryPath>,
        r#type: Option<String>,
    },
    Plain(String),
    Nothing(()),
    Kind(Kind),
}

/// Declared before what it uses.
#[derive(Debug, Clone, PartialEq, WipType)]
pub struct Outer {
    pub inner: Vec<Inner>,
    pub again: Option<Inner>,
}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(name = "String")]
pub struct NastyOneString(pub String);

#[derive(Debug, Clone, PartialEq, WipType)]
pub struct Option2(pub f64);

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(name = "Option")]
pub struct NastyOneOption(pub Vec<Option2>);

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(name = "Result")]
pub struct NastyOneResult {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, WipType)]
#[wip(name = "Vec")]
pub enum NastyOneVec {}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(name = "TypedObject")]
#[wip(union)]
pub enum NastyOneTypedObject {}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(union)]
pub enum Bare {
    One,
    Two,
}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(name = "a type")]
pub struct AType(pub Json);

#[derive(Debug, Clone, PartialEq, WipType)]
pub struct TypeA {
    #[wip(name = "Self")]
    pub self_: Bytes,
    #[wip(name = "self")]
    pub self_2: i64,
    #[wip(name = "crate")]
    pub crate_: Option<Json>,
    #[wip(name = "_")]
    pub unnamed: Option<()>,
    #[wip(name = "")]
    pub unnamed_: Option<bool>,
    #[wip(name = "Note")]
    pub note: Option<f64>,
    #[wip(name = "note")]
    pub note_: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(inline)]
pub struct EchoResult {
    pub outer: Option<Outer>,
    pub string: NastyOneString,
    pub option: Option<NastyOneOption>,
    pub result: Option<NastyOneResult>,
    pub bare: Option<Bare>,
    pub json: Option<AType>,
    pub record: TypeA,
    pub arguments: Option<Vec<Vec<i64>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, WipType)]
#[wip(inline)]
pub enum TypeRecordExpandXZW {
    #[wip(name = "u")]
    U,
    #[wip(name = "v")]
    V,
}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(inline)]
pub enum TypeRecordExpandX {
    #[wip(name = "y")]
    Y,
    #[wip(name = "z")]
    Z {
        w: TypeRecordExpandXZW,
    },
}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(inline)]
pub struct TypeRecordExpand {
    pub x: Option<TypeRecordExpandX>,
}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(inline)]
pub struct TypeRecord {
    pub expand: TypeRecordExpand,
}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(inline)]
pub struct TypeResultItem {
    pub at: EntryPath,
}

#[derive(Debug, Clone, PartialEq, WipType)]
#[wip(inline)]
#[wip(union)]
pub enum ObjectResult {
    Ok,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, WipType)]
#[wip(name = "Kind")]
pub enum OtherKind {
    Other,
}

/// "Quotes \" and */ and `ticks`\nand lines \u202e"
///
/// "```\nnot code\n```\n\u003cb>"
#[interface(
    name = "nasty one",
    types(Unreached, Outer, Inner, Kind, NastyOneString, NastyOneOption, Option2, NastyOneResult, NastyOneVec, NastyOneTypedObject, Bare, AType, TypeA)
)]
pub trait NastyOne {
    #[read]
    #[returns("What came.")]
    async fn echo(
        &self,
        context: &Context,
        outer: Option<Outer>,
        string: NastyOneString,
        option: Option<NastyOneOption>,
        result: Option<NastyOneResult>,
        bare: Option<Bare>,
        json: Option<AType>,
        /// "Indented:"
        ///
        /// "    code"
        record: TypeA,
        arguments: Option<Vec<Vec<i64>>>,
    ) -> Result<EchoResult, Refusal>;

    #[destructive]
    #[guarded]
    async fn r#type(
        &self,
        call_: Call,
        context: &Context,
        call: String,
        record: TypeRecord,
    ) -> Result<Done<Vec<TypeResultItem>>, Refusal>;

    #[wip(name = "self")]
    async fn self_(
        &self,
        call: Call,
        #[wip(name = "self")]
        self_: Option<String>,
    ) -> Result<Done<()>, Refusal>;

    #[idempotent]
    async fn object(
        &self,
        call: Call,
        vec: Option<NastyOneVec>,
        typed: Option<NastyOneTypedObject>,
    ) -> Result<Done<ObjectResult>, Refusal>;
}

#[interface(name = "other")]
pub trait Other {
    async fn refresh(&self, call: Call, kind: OtherKind) -> Result<Done<OtherKind>, Refusal>;
}
