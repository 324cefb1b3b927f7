//! Descriptors: the same as if made by hand, and what only shows when types are put together.

use worldspace_host::model::{
    DeclarationError, Descriptor, Documentation, Effect, EntryPath, EnumCase, Field, MAX_DEPTH,
    OperationDeclaration, Type, TypeDeclaration, UnionCase,
};
use worldspace_host::{Interface, InterfaceBuilder, Offers, Refusal, TypedInterface, WipType, interface};

use crate::world::{CommentableInterface, Issue, LifecycleInterface};

fn documented(name: &str, summary: &str, definition: Type) -> TypeDeclaration {
    let documentation = (!summary.is_empty()).then(|| Documentation::summary(summary));
    TypeDeclaration { name: name.into(), documentation, definition }
}

fn built(builder: InterfaceBuilder, types: Vec<TypeDeclaration>, details: Option<&str>) -> Interface {
    let interface = builder.build().unwrap();
    let mut declaration = interface.descriptor().declaration().clone();
    declaration.types = types;
    if let Some(documentation) = &mut declaration.documentation {
        documentation.details = details.map(str::to_owned);
    }
    Interface::new(Descriptor::new(declaration).unwrap(), interface.effects().clone())
}

#[test]
fn a_trait_declares_what_one_would_have_built_by_hand() {
    let reason = Type::cases(vec![
        EnumCase { name: "done".into(), documentation: None },
        EnumCase::documented("duplicate", "It was told before."),
        EnumCase { name: "wont_fix".into(), documentation: None },
    ]);
    let dependencies = Field::required("dependencies", Type::list(Type::ENTRY)).documented("Which.");
    let close_result = Type::union([
        UnionCase::bare("closed"),
        UnionCase::carrying("blocked", Type::record([dependencies]))
            .documented("Other issues must be closed first."),
        UnionCase::carrying("refused", Type::STRING),
    ]);
    let body = Type::record([Field::required("body", Type::STRING), Field::optional("note", Type::STRING)]);
    let mut read_body = OperationDeclaration::new("read_body").documented("What is written in the issue.");
    read_body.returns_documentation = Some(Documentation::summary("The text as it is now."));
    // The types are put in afterwards: a builder's have no documentation.
    let builder = Interface::builder()
        .documented("An issue's life.")
        .ty("Reason", Type::UNIT)
        .ty("CloseResult", Type::UNIT)
        .ty("Body", Type::UNIT)
        .operation(
            OperationDeclaration::new("close")
                .documented("Closes the issue.")
                .takes([
                    Field::required("reason", Type::named("Reason")).documented("Why."),
                    Field::optional("note", Type::STRING),
                ])
                .returns(Type::named("CloseResult")),
            [Effect::Destructive, Effect::Guarded],
        )
        .read(read_body.returns(Type::named("Body")))
        .read(
            OperationDeclaration::new("related")
                .takes([Field::required("limit", Type::INTEGER)])
                .returns(Type::list(Type::ENTRY)),
        )
        .read(OperationDeclaration::new("too_large_to_read").returns(Type::INTEGER))
        .operation(
            OperationDeclaration::new("too_large_to_tell").returns(Type::INTEGER),
            [Effect::Idempotent],
        );
    let types = vec![
        documented("Reason", "Why an issue was closed.", reason),
        documented("CloseResult", "", close_result),
        documented("Body", "What is written in an issue.", body),
    ];
    let by_hand = built(builder, types, Some("Details from the second paragraph on."));
    let declared = LifecycleInterface::interface().unwrap();
    assert_eq!(declared.descriptor(), by_hand.descriptor());
    assert_eq!(declared.effects(), by_hand.effects());
}

#[test]
fn a_descriptor_is_made_once() {
    let (one, other) = (LifecycleInterface::interface().unwrap(), LifecycleInterface::interface().unwrap());
    assert!(one.descriptor().is_same(other.descriptor()));
}

#[test]
fn implementing_publishes_nothing_and_offering_does_in_its_order() {
    let names = |offers: &Offers<Issue>| format!("{offers:?}");
    assert!(!names(&Offers::new()).contains("lifecycle"));
    let offers = Offers::<Issue>::new().with(CommentableInterface).unwrap().with(LifecycleInterface).unwrap();
    let twice = offers.clone().with(CommentableInterface).unwrap_err().to_string();
    assert!(twice.starts_with("the interface `commentable` is offered already"), "{twice}");
    let shown = names(&offers);
    assert!(shown.find("commentable").unwrap() < shown.find("issue.lifecycle").unwrap(), "{shown}");
}

mod elsewhere {
    #[derive(super::WipType)]
    pub struct Point {
        pub across: u16,
    }
}

#[derive(WipType)]
struct Point {
    across: u16,
    same: elsewhere::Point,
}

#[interface(name = "points")]
trait Points {
    #[read]
    async fn point(&self) -> Result<Point, Refusal>;
}

#[derive(WipType)]
struct Chicken {
    eggs: Vec<Egg>,
}

#[derive(WipType)]
#[wip(inline)]
enum Egg {
    Laid(Chicken),
}

#[interface(name = "chickens")]
trait Chickens {
    #[read]
    async fn first(&self) -> Result<Egg, Refusal>;
}

#[interface(name = "listed", types(Egged))]
trait Listed {}

#[derive(WipType)]
#[wip(inline)]
struct Egged {
    egg: EntryPath,
}

/// So many lists around `T`.
struct Nest<T, const DEPTH: usize>(T);

impl<T: worldspace_host::model::WipType, const DEPTH: usize> worldspace_host::model::WipType
    for Nest<T, DEPTH>
{
    fn describe(types: &mut worldspace_host::model::TypeDeclarations) -> Type {
        (0..DEPTH).fold(T::describe(types), |inner, _| Type::list(inner))
    }

    fn into_value(self) -> Result<worldspace_host::model::Value, worldspace_host::model::Fault> {
        self.0.into_value()
    }

    fn from_value(value: &worldspace_host::model::Value) -> Result<Self, worldspace_host::model::Fault> {
        T::from_value(value).map(Self)
    }
}

#[interface(name = "deep")]
trait Deep {
    #[read]
    async fn bottom(&self) -> Result<Nest<bool, { MAX_DEPTH as usize }>, Refusal>;
}

/**
 * In a block.
 *
 * Where:
 *   - indented
 */
#[interface(name = "documented")]
trait Documented {
    #[doc = include_str!("said.md")]
    #[read]
    #[returns("\"one\\ntwo\"")]
    async fn read(
        &self,
        /** In one line. */
        one: bool,
        #[doc = "As an attribute."] other: bool,
    ) -> Result<bool, Refusal>;
}

#[test]
fn documentation_may_be_written_in_any_way_that_rust_has() {
    let interface = DocumentedInterface::interface().unwrap();
    let declaration = interface.descriptor().declaration();
    let said = |summary: &str, details: Option<&str>| {
        Some(Documentation { summary: summary.to_owned(), details: details.map(str::to_owned) })
    };
    assert_eq!(declaration.documentation, said("In a block.", Some("Where:\n  - indented")));
    let operation = &declaration.operations[0];
    assert_eq!(operation.documentation, said("From a file.", Some("It has\ndetails.")));
    assert_eq!(operation.returns_documentation, said("one\ntwo", None));
    assert_eq!(operation.parameters[0].documentation, said("In one line.", None));
    assert_eq!(operation.parameters[1].documentation, said("As an attribute.", None));
}

#[interface(name = "nothing", client)]
trait Nothing {}

#[test]
fn an_interface_may_have_no_operation_yet() {
    assert_eq!(NothingInterface::interface().unwrap().descriptor().operations().len(), 0);
}

#[test]
fn what_only_shows_when_types_are_put_together_is_told_by_the_interface() {
    let told = |error: DeclarationError| error.to_string();
    let same = told(PointsInterface::interface().unwrap_err());
    assert!(same.contains("elsewhere::Point") && same.contains("both named `Point`"), "{same}");
    let recursive = told(ChickensInterface::interface().unwrap_err());
    assert!(recursive.contains("Egg → ") && recursive.contains("Chicken → "), "{recursive}");
    let unnamed = told(ListedInterface::interface().unwrap_err());
    assert!(unnamed.contains("Egged is listed"), "{unnamed}");
    let deep = told(DeepInterface::interface().unwrap_err());
    assert!(deep.contains("deep") && deep.contains("bottom"), "{deep}");
}
