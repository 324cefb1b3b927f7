//! The printer behind every text form: declarations in their order, with two spaces to a level.

use std::borrow::Cow;

use worldspace_model::{
    Descriptor, Documentation, EffectTable, Effects, EnumCase, Field, Object, OperationDeclaration, Type,
    TypeDeclaration, TypeKind, UnionCase,
};

use crate::layout::Layout;
use crate::{quote, reference};

/// What a piece of text is, for those who show it in colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// A word of the text form itself, the names of built-in types included.
    Keyword,
    /// The name of an operation.
    Operation,
    /// The name of a declared type.
    Type,
    /// The name of a parameter, field or case.
    Member,
    /// A quoted string or reference.
    Text,
    /// A documentation line.
    Documentation,
    /// An effect.
    Attribute,
    /// Punctuation and blank space.
    Layout,
}

/// Takes printed text piece by piece. A [`String`] takes it as it is.
pub trait Ink {
    /// Takes the next piece.
    fn put(&mut self, role: Role, text: &str);
}

impl Ink for String {
    fn put(&mut self, _: Role, text: &str) {
        self.push_str(text);
    }
}

/// How declarations are printed.
#[derive(Clone, Copy)]
pub(crate) enum Form<'f> {
    /// As the Text View has it: one member to a line, and of all documentation the summary, quoted.
    View,
    /// As [`Form::View`], without documentation.
    Bare,
    /// As an author writes it and with nothing left out, each documentation in the lines that this gives.
    Source(&'f dyn Fn(&Documentation) -> Vec<String>),
}

pub(crate) struct Printer<'a, 'f> {
    layout: Layout<'a>,
    form: Form<'f>,
}

impl<'a, 'f> Printer<'a, 'f> {
    pub(crate) fn new(form: Form<'f>) -> Self {
        Self { layout: Layout::default(), form }
    }

    pub(crate) fn finish(self, ink: &mut dyn Ink) {
        self.layout.render(ink);
    }

    fn is_source(&self) -> bool {
        matches!(self.form, Form::Source(_))
    }

    pub(crate) fn object(&mut self, object: &Object) {
        self.keyword("object");
        self.mark(" {");
        self.layout.indent();
        self.property("name");
        self.layout.text(Role::Text, quote::string(object.name.as_str()));
        self.mark(";");
        if let Some(description) = &object.description {
            self.property("description");
            self.layout.text(Role::Text, quote::string(description));
            self.mark(";");
        }
        self.property("interfaces");
        self.mark("[");
        for (at, interface) in object.interfaces.iter().enumerate() {
            if at > 0 {
                self.mark(", ");
            }
            self.layout.text(Role::Text, quote::string(&reference::write(interface)));
        }
        self.mark("];");
        self.end();
    }

    /// The interface whose name is written like this.
    pub(crate) fn interface(
        &mut self,
        (role, name): (Role, String),
        descriptor: &'a Descriptor,
        effects: Option<&EffectTable>,
    ) {
        let declaration = descriptor.declaration();
        self.documentation(declaration.documentation.as_ref());
        self.keyword("interface");
        self.mark(" ");
        self.layout.text(role, name);
        self.mark(" {");
        if self.is_source() && declaration.types.is_empty() && declaration.operations.is_empty() {
            self.mark("}");
            return self.layout.line(false);
        }
        self.layout.indent();
        // What an author writes is set apart.
        let is_source = self.is_source();
        let mut is_first = true;
        let mut apart = || is_source && !std::mem::take(&mut is_first);
        for declared in &declaration.types {
            self.layout.line(apart());
            self.named_type(declared);
        }
        for (operation, compiled) in declaration.operations.iter().zip(descriptor.operations()) {
            let effects = effects.map_or(Effects::WRITE, |effects| effects.at(&compiled));
            self.layout.line(apart());
            self.operation(operation, effects);
        }
        self.end();
    }

    fn named_type(&mut self, declared: &'a TypeDeclaration) {
        self.documentation(declared.documentation.as_ref());
        self.keyword("type");
        self.mark(" ");
        self.name(Role::Type, &declared.name);
        self.mark(" = ");
        self.ty(&declared.definition);
        self.mark(";");
    }

    /// From where the printer stands, so that a single operation can be shown by itself.
    pub(crate) fn operation(&mut self, operation: &'a OperationDeclaration, effects: Effects) {
        self.documentation(operation.documentation.as_ref());
        for effect in effects.iter() {
            self.layout.text(Role::Attribute, format!("@{}", effect.name()));
            self.layout.line(false);
        }
        self.keyword("operation");
        self.mark(" ");
        self.name(Role::Operation, &operation.name);
        self.block(["(", "", ")"], &operation.parameters, Self::field);
        let returned = self.lines(operation.returns_documentation.as_ref());
        if returned.is_empty() {
            self.mark(" ");
        } else {
            self.layout.line(false);
            self.documentation_lines(returned);
        }
        self.mark("-> ");
        self.ty(&operation.returns);
        self.mark(";");
    }

    /// Expressions are of bounded depth, so recursion is.
    fn ty(&mut self, ty: &'a Type) {
        match ty.kind() {
            TypeKind::Unit => self.keyword("unit"),
            TypeKind::Boolean => self.keyword("boolean"),
            TypeKind::Integer => self.keyword("integer"),
            TypeKind::Number => self.keyword("number"),
            TypeKind::String => self.keyword("string"),
            TypeKind::Bytes => self.keyword("bytes"),
            TypeKind::Json => self.keyword("json"),
            TypeKind::Entry => self.keyword("entry"),
            TypeKind::Named(name) => self.name(Role::Type, name),
            TypeKind::Record(fields) => self.block(["{", " ", "}"], fields, Self::field),
            TypeKind::List(items) => {
                self.mark("[");
                self.ty(items);
                self.mark("]");
            }
            TypeKind::Enum(cases) => {
                self.keyword("enum");
                self.mark(" ");
                self.block(["{", " ", "}"], cases, Self::enum_case);
            }
            TypeKind::Union(cases) => {
                self.keyword("union");
                self.mark(" ");
                self.block(["{", " ", "}"], cases, Self::union_case);
            }
            // No descriptor holds one.
            TypeKind::TooDeep => self.mark("…"),
        }
    }

    pub(crate) fn field(&mut self, field: &'a Field) {
        self.documentation(field.documentation.as_ref());
        self.name(Role::Member, &field.name);
        self.mark(if field.required { ": " } else { "?: " });
        self.ty(&field.ty);
    }

    fn enum_case(&mut self, case: &'a EnumCase) {
        self.documentation(case.documentation.as_ref());
        self.name(Role::Member, &case.name);
    }

    fn union_case(&mut self, case: &'a UnionCase) {
        self.documentation(case.documentation.as_ref());
        self.name(Role::Member, &case.name);
        if let Some(payload) = &case.payload {
            self.mark("(");
            self.ty(payload);
            self.mark(")");
        }
    }

    /// Members on one line, with blanks within the brackets, or one to a line with a comma behind each.
    fn block<T>(
        &mut self,
        [open, blank, close]: [&'static str; 3],
        members: &'a [T],
        member: impl Fn(&mut Self, &'a T),
    ) {
        if members.is_empty() {
            self.mark(open);
            return self.mark(close);
        }
        self.layout.open();
        if !self.is_source() {
            self.layout.breaks();
        }
        self.mark(open);
        self.layout.indent();
        for (at, each) in members.iter().enumerate() {
            if at > 0 {
                self.mark(",");
            }
            self.layout.break_or(if at > 0 { " " } else { blank }, false);
            member(self, each);
        }
        self.layout.comma();
        self.layout.dedent();
        self.layout.break_or(blank, false);
        self.mark(close);
        self.layout.close();
    }

    /// Ends what stands in braces on lines of its own.
    fn end(&mut self) {
        self.layout.dedent();
        self.layout.line(false);
        self.mark("}");
        self.layout.line(false);
    }

    fn documentation(&mut self, documentation: Option<&Documentation>) {
        let lines = self.lines(documentation);
        self.documentation_lines(lines);
    }

    fn documentation_lines(&mut self, lines: Vec<String>) {
        for line in lines {
            self.layout.text(Role::Documentation, line);
            self.layout.line(false);
        }
    }

    fn lines(&self, documentation: Option<&Documentation>) -> Vec<String> {
        match (documentation, self.form) {
            (None, _) | (_, Form::Bare) => Vec::new(),
            (Some(documentation), Form::View) => {
                vec![format!("/// {}", quote::string(&documentation.summary))]
            }
            (Some(documentation), Form::Source(lines)) => lines(documentation),
        }
    }

    fn property(&mut self, name: &'static str) {
        self.layout.line(false);
        self.keyword(name);
        self.mark(": ");
    }

    fn name(&mut self, role: Role, name: &'a str) {
        self.layout.text(role, quote::identifier(name));
    }

    fn keyword(&mut self, word: &'static str) {
        self.layout.text(Role::Keyword, Cow::Borrowed(word));
    }

    fn mark(&mut self, text: &'static str) {
        self.layout.text(Role::Layout, Cow::Borrowed(text));
    }
}
