//! Parts of messages by themselves, in their shape on the wire: for documents that are no messages, such as those that
//! a command prints, and for what is to become one.

use worldspace_model::{
    Arguments, Descriptor, EffectTable, InterfaceReference, Namespace, Object, Operation, Value,
};

use crate::codec::Codec;
use crate::error::{DecodeError, EncodeError};
use crate::json::descriptor::write_descriptor;
use crate::json::object::{ReadMemo, WriteMemo, read_object, write_object, write_reference};
use crate::json::response::write_effects;
use crate::json::value::{read_members, write_value};

/// Parts of messages.
///
/// # Errors
/// As for the messages that they are parts of.
impl Codec {
    /// Reads an arguments record along the declaration of its operation.
    pub fn read_arguments(&self, body: &[u8], operation: &Operation) -> Result<Arguments, DecodeError> {
        let read = |reader: &mut _| read_members(reader, operation.parameters(), Namespace::Parameter);
        self.read_request(body, read).map(Arguments::assume_checked)
    }

    /// Reads an Object.
    pub fn read_object(&self, body: &[u8]) -> Result<Object, DecodeError> {
        self.read_response(body, |reader| read_object(reader, &mut ReadMemo::default()))
    }

    /// Writes an Object.
    pub fn write_object(&self, object: &Object) -> Result<Vec<u8>, EncodeError> {
        let limit = self.limits.response_bytes();
        self.write(limit, |writer| write_object(writer, object, &mut WriteMemo::default()))
    }

    /// Writes an interface reference.
    pub fn write_reference(&self, reference: &InterfaceReference) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| write_reference(writer, reference))
    }

    /// Writes a descriptor.
    pub fn write_descriptor(&self, descriptor: &Descriptor) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| write_descriptor(writer, descriptor))
    }

    /// Writes the effects of an interface's operations.
    pub fn write_effects(&self, effects: &EffectTable) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| write_effects(writer, effects))
    }

    /// Writes a value, of whatever type it is.
    pub fn write_value(&self, value: &Value) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| write_value(writer, value))
    }
}
