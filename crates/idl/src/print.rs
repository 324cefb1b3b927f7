//! The printer behind every text form: declarations in their order, with two spaces to a level.

use worldspace_model::{
    Descriptor, Documentation, Effects, EnumCase, Field, InterfaceReference, Object, OperationDeclaration,
    Type, TypeDeclaration, TypeKind, UnionCase,
};

use crate::text_view::Options;
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

pub(crate) struct Printer<'a> {
    ink: &'a mut dyn Ink,
    level: usize,
    options: Options<'a>,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(ink: &'a mut dyn Ink, options: Options<'a>) -> Self {
        Self { ink, level: 0, options }
    }

    pub(crate) fn object(&mut self, object: &Object) {
        self.keyword("object");
        self.layout(" {");
        self.level += 1;
        self.property("name");
        self.text(object.name.as_str());
        self.layout(";");
        if let Some(description) = &object.description {
            self.property("description");
            self.text(description);
            self.layout(";");
        }
        self.property("interfaces");
        self.layout("[");
        for (at, interface) in object.interfaces.iter().enumerate() {
            if at > 0 {
                self.layout(", ");
            }
            self.text(&reference::write(interface));
        }
        self.layout("];");
        self.close("}\n");
    }

    pub(crate) fn interface(&mut self, reference: &InterfaceReference, descriptor: &Descriptor) {
        let declaration = descriptor.declaration();
        if let Some(summary) = self.summary(declaration.documentation.as_ref()) {
            self.documentation_line(summary);
            self.layout("\n");
        }
        self.keyword("interface");
        self.layout(" ");
        self.text(&reference::write(reference));
        self.layout(" {");
        self.level += 1;
        declaration.types.iter().for_each(|ty| self.named_type(ty));
        declaration.operations.iter().for_each(|operation| {
            self.line();
            self.operation(operation);
        });
        self.close("}\n");
    }

    fn named_type(&mut self, declared: &TypeDeclaration) {
        self.documentation(declared.documentation.as_ref());
        self.line();
        self.keyword("type");
        self.layout(" ");
        self.name(Role::Type, &declared.name);
        self.layout(" = ");
        self.ty(&declared.definition);
        self.layout(";");
    }

    /// From where the printer stands, so that a single operation can be shown by itself.
    pub(crate) fn operation(&mut self, operation: &OperationDeclaration) {
        if let Some(summary) = self.summary(operation.documentation.as_ref()) {
            self.documentation_line(summary);
            self.line();
        }
        let effects = self.options.effects.map_or(Effects::WRITE, |effects| effects.of(&operation.name));
        for effect in effects.iter() {
            self.ink.put(Role::Attribute, &format!("@{}", effect.name()));
            self.line();
        }
        self.keyword("operation");
        self.layout(" ");
        self.name(Role::Operation, &operation.name);
        self.block("(", ")", &operation.parameters, Self::field);
        if let Some(summary) = self.summary(operation.returns_documentation.as_ref()) {
            self.line();
            self.documentation_line(summary);
            self.line();
        } else {
            self.layout(" ");
        }
        self.layout("-> ");
        self.ty(&operation.returns);
        self.layout(";");
    }

    /// Expressions are of bounded depth, so recursion is.
    fn ty(&mut self, ty: &Type) {
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
            TypeKind::Record(fields) => self.block("{", "}", fields, Self::field),
            TypeKind::List(items) => {
                self.layout("[");
                self.ty(items);
                self.layout("]");
            }
            TypeKind::Enum(cases) => {
                self.keyword("enum");
                self.block(" {", "}", cases, Self::enum_case);
            }
            TypeKind::Union(cases) => {
                self.keyword("union");
                self.block(" {", "}", cases, Self::union_case);
            }
            // No descriptor holds one.
            TypeKind::TooDeep => self.layout("…"),
        }
    }

    /// From where the printer stands, as an operation is.
    pub(crate) fn field_alone(&mut self, field: &Field) {
        if let Some(summary) = self.summary(field.documentation.as_ref()) {
            self.documentation_line(summary);
            self.line();
        }
        self.declared(field);
    }

    fn field(&mut self, field: &Field) {
        self.documentation(field.documentation.as_ref());
        self.line();
        self.declared(field);
    }

    fn declared(&mut self, field: &Field) {
        self.name(Role::Member, &field.name);
        self.layout(if field.required { ": " } else { "?: " });
        self.ty(&field.ty);
    }

    fn enum_case(&mut self, case: &EnumCase) {
        self.documentation(case.documentation.as_ref());
        self.line();
        self.name(Role::Member, &case.name);
    }

    fn union_case(&mut self, case: &UnionCase) {
        self.documentation(case.documentation.as_ref());
        self.line();
        self.name(Role::Member, &case.name);
        if let Some(payload) = &case.payload {
            self.layout("(");
            self.ty(payload);
            self.layout(")");
        }
    }

    /// One member to a line with a comma behind each; none at all stay on the line.
    fn block<T>(&mut self, open: &str, close: &str, members: &[T], member: impl Fn(&mut Self, &T)) {
        self.layout(open);
        if members.is_empty() {
            return self.layout(close);
        }
        self.level += 1;
        for each in members {
            member(self, each);
            self.layout(",");
        }
        self.close(close);
    }

    fn close(&mut self, close: &str) {
        self.level -= 1;
        self.line();
        self.layout(close);
    }

    fn documentation(&mut self, documentation: Option<&Documentation>) {
        if let Some(summary) = self.summary(documentation) {
            self.line();
            self.documentation_line(summary);
        }
    }

    fn summary<'d>(&self, documentation: Option<&'d Documentation>) -> Option<&'d str> {
        documentation
            .filter(|_| !self.options.undocumented)
            .map(|documentation| documentation.summary.as_str())
    }

    fn documentation_line(&mut self, summary: &str) {
        self.ink.put(Role::Documentation, &format!("/// {}", quote::string(summary)));
    }

    fn property(&mut self, name: &str) {
        self.line();
        self.keyword(name);
        self.layout(": ");
    }

    fn name(&mut self, role: Role, name: &str) {
        self.ink.put(role, &quote::identifier(name));
    }

    fn text(&mut self, text: &str) {
        self.ink.put(Role::Text, &quote::string(text));
    }

    fn keyword(&mut self, word: &str) {
        self.ink.put(Role::Keyword, word);
    }

    fn layout(&mut self, text: &str) {
        self.ink.put(Role::Layout, text);
    }

    fn line(&mut self) {
        self.layout("\n");
        for _ in 0..self.level {
            self.layout("  ");
        }
    }
}
