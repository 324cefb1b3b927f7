//! Type expressions flattened into an arena: names resolved and chains of names shortened, members found by table,
//! so that checking a value costs what the value holds and not what the descriptor does.

use std::collections::HashMap;

use crate::Name;
use crate::fault::{Fault, Kind, Namespace, Rule};
use crate::interface::Declaration;
use crate::table::Table;
use crate::types::{Field, Type, TypeKind};

pub(crate) struct Compiled {
    nodes: Vec<Node>,
    /// The node that each named type stands for, never a name itself.
    roots: Vec<u32>,
    operation_names: Table,
    operations: Vec<CompiledOperation>,
}

struct CompiledOperation {
    parameters: MemberTable,
    returns: u32,
}

struct Node {
    form: Form,
    holds_entry: bool,
}

enum Form {
    Unit,
    Boolean,
    Integer,
    Number,
    String,
    Bytes,
    Json,
    Entry,
    /// A name yet to be replaced by what it stands for; none is left once compiled.
    Named(usize),
    Record(MemberTable),
    List(u32),
    Enum(Table),
    Union(UnionTable),
}

struct MemberTable {
    names: Table,
    /// The type of each member, and whether it is required.
    members: Vec<(u32, bool)>,
    required: usize,
}

struct UnionTable {
    names: Table,
    payloads: Vec<Option<u32>>,
}

/// A compiled type: never a name, always what the name stands for.
#[derive(Clone, Copy)]
pub struct TypeRef<'a> {
    compiled: &'a Compiled,
    node: u32,
}

/// The form of a compiled type.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the names of SPEC 1")]
pub enum Shape<'a> {
    Unit,
    Boolean,
    Integer,
    Number,
    String,
    Bytes,
    Json,
    Entry,
    Record(Members<'a>),
    List(TypeRef<'a>),
    Enum(Cases<'a>),
    Union(UnionCases<'a>),
}

/// The fields of a record, or the parameters of an operation, in the order of their declaration.
#[derive(Clone, Copy)]
pub struct Members<'a> {
    compiled: &'a Compiled,
    table: &'a MemberTable,
}

/// One field or parameter.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    /// Its position among its siblings.
    pub index: usize,
    /// Its name.
    pub name: &'a Name,
    /// Whether it must be present.
    pub required: bool,
    /// Its type.
    pub ty: TypeRef<'a>,
}

/// The cases of an enum.
#[derive(Clone, Copy)]
pub struct Cases<'a>(&'a Table);

/// The cases of a union.
#[derive(Clone, Copy)]
pub struct UnionCases<'a> {
    compiled: &'a Compiled,
    table: &'a UnionTable,
}

/// One case of a union.
#[derive(Clone, Copy)]
pub struct UnionCaseRef<'a> {
    /// Its name.
    pub name: &'a Name,
    /// What it carries.
    pub payload: Option<TypeRef<'a>>,
}

impl Compiled {
    pub(crate) fn new(declaration: &Declaration) -> Result<Self, Fault> {
        let types = table(Namespace::Type, declaration.types.iter().map(|ty| &ty.name))
            .map_err(|fault| fault.at_member("types"))?;
        let mut compiler = Compiler { nodes: Vec::new(), types, uses: Vec::new() };
        let mut roots = Vec::with_capacity(declaration.types.len());
        let mut uses = Vec::with_capacity(declaration.types.len());
        for ty in &declaration.types {
            let root = compiler
                .add(&ty.definition)
                .map_err(|fault| fault.at_name(Namespace::Type, &ty.name).at_member("types"))?;
            roots.push(root);
            uses.push(std::mem::take(&mut compiler.uses));
        }
        let order = sort(declaration, &uses)?;
        let operation_names =
            table(Namespace::Operation, declaration.operations.iter().map(|operation| &operation.name))
                .map_err(|fault| fault.at_member("operations"))?;
        let mut operations = Vec::with_capacity(declaration.operations.len());
        for operation in &declaration.operations {
            let at =
                |fault: Fault| fault.at_name(Namespace::Operation, &operation.name).at_member("operations");
            let parameters = compiler.members(&operation.parameters, Namespace::Parameter).map_err(at)?;
            let returns = compiler.add(&operation.returns).map_err(|fault| at(fault.at_member("returns")))?;
            operations.push(CompiledOperation { parameters, returns });
        }
        let nodes = compiler.nodes;
        let mut compiled = Self { nodes, roots, operation_names, operations };
        compiled.link(&order);
        Ok(compiled)
    }

    /// Replaces names by what they stand for, and finds out which types hold entries. `order` has each named type
    /// behind those it uses.
    fn link(&mut self, order: &[usize]) {
        for declared in order {
            if let Form::Named(target) = self.nodes[self.roots[*declared] as usize].form {
                self.roots[*declared] = self.roots[target];
            }
        }
        let targets: HashMap<u32, u32> = (0u32..)
            .zip(&self.nodes)
            .filter_map(|(at, node)| match node.form {
                Form::Named(target) => Some((at, self.roots[target])),
                _ => None,
            })
            .collect();
        let resolve = |node: &mut u32| {
            if let Some(target) = targets.get(node) {
                *node = *target;
            }
        };
        for node in &mut self.nodes {
            match &mut node.form {
                Form::List(items) => resolve(items),
                Form::Record(table) => table.members.iter_mut().for_each(|(node, _)| resolve(node)),
                Form::Union(table) => table.payloads.iter_mut().flatten().for_each(resolve),
                _ => {}
            }
        }
        for operation in &mut self.operations {
            operation.parameters.members.iter_mut().for_each(|(node, _)| resolve(node));
            resolve(&mut operation.returns);
        }
        self.mark_entries();
    }

    fn mark_entries(&mut self) {
        // Upwards from the entries; what contains what is known only downwards, so turn it around first.
        let mut containers: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let mut open = Vec::new();
        for (at, node) in (0u32..).zip(&self.nodes) {
            let mut inside = |inner: u32| containers[inner as usize].push(at);
            match &node.form {
                Form::Entry => open.push(at),
                Form::List(items) => inside(*items),
                Form::Record(table) => table.members.iter().for_each(|(node, _)| inside(*node)),
                Form::Union(table) => table.payloads.iter().flatten().copied().for_each(inside),
                _ => {}
            }
        }
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut self.nodes[at as usize].holds_entry, true) {
                open.append(&mut containers[at as usize]);
            }
        }
    }

    pub(crate) fn find_operation(&self, name: &str) -> Option<usize> {
        self.operation_names.find(name)
    }

    pub(crate) fn nearest_operation(&self, name: &str) -> Option<Name> {
        self.operation_names.nearest(name)
    }

    pub(crate) fn parameters(&self, operation: usize) -> Members<'_> {
        Members { compiled: self, table: &self.operations[operation].parameters }
    }

    pub(crate) fn returns(&self, operation: usize) -> TypeRef<'_> {
        TypeRef { compiled: self, node: self.operations[operation].returns }
    }
}

struct Compiler {
    nodes: Vec<Node>,
    types: Table,
    /// The named types that the expression in hand uses.
    uses: Vec<usize>,
}

impl Compiler {
    /// Expressions are of bounded depth, so recursion is.
    fn add(&mut self, ty: &Type) -> Result<u32, Fault> {
        let form = match ty.kind() {
            TypeKind::Unit => Form::Unit,
            TypeKind::Boolean => Form::Boolean,
            TypeKind::Integer => Form::Integer,
            TypeKind::Number => Form::Number,
            TypeKind::String => Form::String,
            TypeKind::Bytes => Form::Bytes,
            TypeKind::Json => Form::Json,
            TypeKind::Entry => Form::Entry,
            TypeKind::Named(name) => match self.types.find(name) {
                Some(index) => {
                    self.uses.push(index);
                    Form::Named(index)
                }
                None => {
                    let nearest = self.types.nearest(name);
                    return Err(Fault::new(Rule::UnknownType { name: name.clone(), nearest }));
                }
            },
            TypeKind::Record(fields) => Form::Record(self.members(fields, Namespace::Field)?),
            TypeKind::List(items) => Form::List(self.add(items)?),
            TypeKind::Enum(cases) => {
                Form::Enum(table(Namespace::EnumCase, cases.iter().map(|case| &case.name))?)
            }
            TypeKind::Union(cases) => {
                let names = table(Namespace::UnionCase, cases.iter().map(|case| &case.name))?;
                let mut payloads = Vec::with_capacity(cases.len());
                for case in cases {
                    let payload = case.payload.as_ref().map(|payload| self.add(payload)).transpose();
                    payloads.push(payload.map_err(|fault| fault.at_name(Namespace::UnionCase, &case.name))?);
                }
                Form::Union(UnionTable { names, payloads })
            }
            TypeKind::TooDeep => return Err(Fault::new(Rule::TooDeep)),
        };
        // A million types of a few bytes each are beyond every body limit, four thousand million more so.
        let at = u32::try_from(self.nodes.len()).map_err(|_| Fault::new(Rule::TooDeep))?;
        self.nodes.push(Node { form, holds_entry: false });
        Ok(at)
    }

    fn members(&mut self, fields: &[Field], namespace: Namespace) -> Result<MemberTable, Fault> {
        let names = table(namespace, fields.iter().map(|field| &field.name))?;
        let mut members = Vec::with_capacity(fields.len());
        for field in fields {
            let node = self.add(&field.ty).map_err(|fault| fault.at_name(namespace, &field.name))?;
            members.push((node, field.required));
        }
        let required = fields.iter().filter(|field| field.required).count();
        Ok(MemberTable { names, members, required })
    }
}

fn table<'a>(namespace: Namespace, names: impl Iterator<Item = &'a Name> + Clone) -> Result<Table, Fault> {
    Table::new(names.clone().cloned()).map_err(|position| {
        let name = names.clone().nth(position).cloned().unwrap_or_default();
        Fault::new(Rule::DuplicateName { namespace, name })
    })
}

/// The named types, each behind those it uses; refused where they contain each other.
///
/// Own stack instead of recursion: a chain of names is as long as the body allows.
fn sort(declaration: &Declaration, uses: &[Vec<usize>]) -> Result<Vec<usize>, Fault> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; uses.len()];
    let mut order = Vec::with_capacity(uses.len());
    for start in 0..uses.len() {
        if state[start] != State::New {
            continue;
        }
        state[start] = State::Open;
        let mut open = vec![(start, 0)];
        while let Some((at, next)) = open.last_mut() {
            let Some(used) = uses[*at].get(*next).copied() else {
                state[*at] = State::Done;
                order.push(*at);
                open.pop();
                continue;
            };
            *next += 1;
            match state[used] {
                State::Done => {}
                State::New => {
                    state[used] = State::Open;
                    open.push((used, 0));
                }
                State::Open => {
                    let name = |at: usize| declaration.types[at].name.clone();
                    let cycle =
                        open.iter().map(|(at, _)| *at).skip_while(|at| *at != used).map(name).collect();
                    return Err(Fault::new(Rule::RecursiveType { cycle })
                        .at_name(Namespace::Type, &name(used))
                        .at_member("types"));
                }
            }
        }
    }
    Ok(order)
}

impl<'a> TypeRef<'a> {
    fn node(self) -> &'a Node {
        &self.compiled.nodes[self.node as usize]
    }

    /// The form of the type.
    pub fn shape(self) -> Shape<'a> {
        let compiled = self.compiled;
        match &self.node().form {
            Form::Unit => Shape::Unit,
            Form::Boolean => Shape::Boolean,
            Form::Integer => Shape::Integer,
            Form::Number => Shape::Number,
            Form::String => Shape::String,
            Form::Bytes => Shape::Bytes,
            Form::Json => Shape::Json,
            Form::Entry => Shape::Entry,
            Form::Named(target) => Self { compiled, node: compiled.roots[*target] }.shape(),
            Form::Record(table) => Shape::Record(Members { compiled, table }),
            Form::List(items) => Shape::List(Self { compiled, node: *items }),
            Form::Enum(table) => Shape::Enum(Cases(table)),
            Form::Union(table) => Shape::Union(UnionCases { compiled, table }),
        }
    }

    /// Whether a value of this type can name an entry.
    pub fn holds_entry(self) -> bool {
        self.node().holds_entry
    }

    /// What values of this type are.
    pub fn kind(self) -> Kind {
        match self.shape() {
            Shape::Unit => Kind::Unit,
            Shape::Boolean => Kind::Boolean,
            Shape::Integer => Kind::Integer,
            Shape::Number => Kind::Number,
            Shape::String => Kind::String,
            Shape::Bytes => Kind::Bytes,
            Shape::Json => Kind::Json,
            Shape::Entry => Kind::Entry,
            Shape::Record(_) => Kind::Record,
            Shape::List(_) => Kind::List,
            Shape::Enum(_) => Kind::Enum,
            Shape::Union(_) => Kind::Union,
        }
    }
}

impl<'a> Members<'a> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.table.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.table.members.is_empty()
    }

    /// How many of them must be present.
    pub fn required(self) -> usize {
        self.table.required
    }

    /// The member at that position.
    ///
    /// # Panics
    /// Behind the last one.
    pub fn at(self, index: usize) -> Member<'a> {
        let (node, required) = self.table.members[index];
        let ty = TypeRef { compiled: self.compiled, node };
        Member { index, name: &self.table.names.names()[index], required, ty }
    }

    /// The member of that name.
    pub fn find(self, name: &str) -> Option<Member<'a>> {
        self.table.names.find(name).map(|index| self.at(index))
    }

    /// All of them in their order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Member<'a>> {
        (0..self.len()).map(move |index| self.at(index))
    }

    /// A name that `wanted` may be a slip of.
    pub fn nearest(self, wanted: &str) -> Option<Name> {
        self.table.names.nearest(wanted)
    }
}

impl<'a> Cases<'a> {
    /// The shared name of that case.
    pub fn find(self, name: &str) -> Option<&'a Name> {
        self.0.find(name).map(|index| &self.0.names()[index])
    }

    /// All names in their order.
    pub fn names(self) -> &'a [Name] {
        self.0.names()
    }

    /// The fault of a case that is not declared.
    pub fn unknown(self, name: &str) -> Fault {
        Fault::new(Rule::UnknownCase { name: name.into(), nearest: self.0.nearest(name) })
    }
}

impl<'a> UnionCases<'a> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.table.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    fn at(self, index: usize) -> UnionCaseRef<'a> {
        let compiled = self.compiled;
        let payload = self.table.payloads[index].map(|node| TypeRef { compiled, node });
        UnionCaseRef { name: &self.table.names.names()[index], payload }
    }

    /// The case of that name.
    pub fn find(self, name: &str) -> Option<UnionCaseRef<'a>> {
        self.table.names.find(name).map(|index| self.at(index))
    }

    /// All of them in their order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = UnionCaseRef<'a>> {
        (0..self.len()).map(move |index| self.at(index))
    }

    /// The fault of a case that is not declared.
    pub fn unknown(self, name: &str) -> Fault {
        Fault::new(Rule::UnknownCase { name: name.into(), nearest: self.table.names.nearest(name) })
    }
}
