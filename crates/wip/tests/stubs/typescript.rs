//! TypeScript: programs beside generated clients, compiled by tsc and run by Node.

mod live;
mod project;
mod vectors;

use worldspace_host::Interface;
use worldspace_model::{Field, InterfaceName, OperationDeclaration, Type, UnionCase};
use worldspace_projections::stubs::Source;

use crate::nasty;
use project::Project;

/// More names than a stack should be asked to follow.
const CHAIN: usize = 400;

pub(crate) fn source(name: &str, interface: &Interface) -> Source {
    let name = InterfaceName::parse(name).unwrap();
    Source::new(name, interface.descriptor().clone(), interface.effects().clone())
}

/// As most interfaces are.
pub(crate) fn lifecycle() -> Interface {
    let dependencies = Type::record([Field::required("dependencies", Type::list(Type::ENTRY))]);
    let result = Type::union([UnionCase::bare("closed"), UnionCase::carrying("blocked", dependencies)]);
    let reason = Field::required("reason", Type::named("Reason"));
    Interface::builder()
        .documented("An issue's life.")
        .ty("Reason", Type::one_of(["done", "duplicate", "wont_fix"]))
        .ty("CloseResult", result)
        .operation(
            OperationDeclaration::new("close")
                .documented("Closes the issue.")
                .takes([reason, Field::optional("note", Type::STRING).documented("Why.")])
                .returns(Type::named("CloseResult")),
            [worldspace_model::Effect::Destructive, worldspace_model::Effect::Guarded],
        )
        .write(OperationDeclaration::new("relate").takes([Field::required("to", Type::ENTRY)]))
        .read(OperationDeclaration::new("count").returns(Type::INTEGER))
        .build()
        .unwrap()
}

#[test]
fn the_text_of_a_client() {
    let files = worldspace_projections::stubs::typescript::client(
        &[source("issue.lifecycle", &lifecycle())],
        "issue",
    );
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["issue.ts", "wip_runtime.ts"]);
    assert_eq!(files[0].text, include_str!("typescript/issue.golden.ts"));
    assert!(files.iter().all(|file| worldspace_projections::stubs::is_generated(&file.text)));
}

#[test]
fn any_name_text_and_value_goes_there_and_back() {
    let Some(project) = Project::new("nasty_client", &[source("Nasty", &nasty::interface(CHAIN))]) else {
        return;
    };
    project.add("nasty.ts", include_str!("typescript/nasty.ts"));
    project.compiles();
    project.runs("nasty", &[&nasty::serve(CHAIN)]);
}

#[test]
fn a_caller_is_told_what_happened_whatever_a_peer_does() {
    let interface = lifecycle();
    let Some(project) = Project::new("issue", &[source("issue.lifecycle", &interface)]) else { return };
    project.add("lies.ts", include_str!("typescript/lies.ts"));
    project.compiles();
    // The Host declares a case more, as one does that is newer than the program.
    let descriptor = include_str!("typescript/newer.json");
    project.runs("lies", &[descriptor]);
}

#[test]
fn wrong_programs_do_not_compile() {
    let Some(project) = Project::new("issue", &[source("issue.lifecycle", &lifecycle())]) else { return };
    project.add("refused.ts", include_str!("typescript/refused.ts"));
    project.compiles();
}

#[test]
fn what_is_generated_compiles_wherever_it_is_taken_to() {
    let Some(project) = Project::new("nasty_client", &[source("Nasty", &nasty::interface(CHAIN))]) else {
        return;
    };
    project.generate("empty", &[]);
    project.generate(
        "issue",
        &[source("issue.lifecycle", &lifecycle()), source("issue.lifecycle", &lifecycle())],
    );
    project.compiles_anywhere();
}
