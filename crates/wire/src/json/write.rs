//! A writer of one JSON text, which stops as soon as it would exceed a limit.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::EncodeError;

pub(crate) type Written = Result<(), EncodeError>;

pub(crate) struct Writer {
    out: Vec<u8>,
    bytes: usize,
    depth: usize,
    nesting: usize,
}

impl Writer {
    pub(crate) fn new(bytes: usize, nesting: usize) -> Self {
        Self { out: Vec::new(), bytes, depth: 0, nesting }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.out
    }

    /// How many bytes have been written.
    pub(crate) fn offset(&self) -> usize {
        self.out.len()
    }

    fn take(&self, bytes: usize) -> Written {
        if bytes > self.bytes - self.out.len() {
            return Err(EncodeError::TooLarge { limit: self.bytes });
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Written {
        self.take(bytes.len())?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Text of JSON as it stands.
    pub(crate) fn raw(&mut self, text: &str) -> Written {
        self.put(text.as_bytes())
    }

    /// Writes again what stands between two places: one value with containers `depth` deep.
    pub(crate) fn repeat(&mut self, from: usize, to: usize, depth: usize) -> Written {
        self.check_depth(depth)?;
        self.take(to - from)?;
        self.out.extend_from_within(from..to);
        Ok(())
    }

    fn check_depth(&self, more: usize) -> Written {
        if more > self.nesting - self.depth {
            return Err(EncodeError::TooDeep { limit: self.nesting });
        }
        Ok(())
    }

    fn open(&mut self, bracket: u8) -> Written {
        self.check_depth(1)?;
        self.depth += 1;
        self.put(&[bracket])
    }

    fn close(&mut self, bracket: u8) -> Written {
        self.depth -= 1;
        self.put(&[bracket])
    }

    pub(crate) fn open_object(&mut self) -> Written {
        self.open(b'{')
    }

    pub(crate) fn close_object(&mut self) -> Written {
        self.close(b'}')
    }

    pub(crate) fn open_list(&mut self) -> Written {
        self.open(b'[')
    }

    pub(crate) fn close_list(&mut self) -> Written {
        self.close(b']')
    }

    pub(crate) fn object(&mut self, write: impl FnOnce(&mut Self) -> Written) -> Written {
        self.open_object()?;
        write(self)?;
        self.close_object()
    }

    pub(crate) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Written,
    ) -> Written {
        self.open_list()?;
        for item in items {
            self.separate()?;
            write(self, item)?;
        }
        self.close_list()
    }

    /// A comma, unless the container has just been opened: no value ends with one of these two.
    pub(crate) fn separate(&mut self) -> Written {
        if matches!(self.out.last(), Some(b'{' | b'[')) { Ok(()) } else { self.put(b",") }
    }

    /// The name of a member of the protocol, which needs no escapes.
    pub(crate) fn member(&mut self, name: &'static str) -> Written {
        self.separate()?;
        self.put(b"\"")?;
        self.raw(name)?;
        self.put(b"\":")
    }

    /// A member of the protocol that holds a string.
    pub(crate) fn text_member(&mut self, name: &'static str, text: &str) -> Written {
        self.member(name)?;
        self.string(text)
    }

    /// The name of a member that an application chose.
    pub(crate) fn name(&mut self, name: &str) -> Written {
        self.separate()?;
        self.string(name)?;
        self.put(b":")
    }

    pub(crate) fn null(&mut self) -> Written {
        self.raw("null")
    }

    pub(crate) fn boolean(&mut self, value: bool) -> Written {
        self.raw(if value { "true" } else { "false" })
    }

    pub(crate) fn integer(&mut self, value: impl itoa::Integer) -> Written {
        self.raw(itoa::Buffer::new().format(value))
    }

    /// The shortest text that reads back as the same bits, always with a fraction or an exponent, so that it is never
    /// taken for an integer.
    pub(crate) fn number(&mut self, value: f64) -> Written {
        self.raw(zmij::Buffer::new().format_finite(value))
    }

    pub(crate) fn string(&mut self, text: &str) -> Written {
        // Checked as a whole, so that a text that is far too long is not copied first.
        self.take(text.len() + 2)?;
        self.out.push(b'"');
        let bytes = text.as_bytes();
        let mut run = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if matches!(byte, 0..=0x1f | b'"' | b'\\') {
                self.put(&bytes[run..at])?;
                self.escape(*byte)?;
                run = at + 1;
            }
        }
        self.put(&bytes[run..])?;
        self.put(b"\"")
    }

    fn escape(&mut self, byte: u8) -> Written {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        match byte {
            b'"' => self.put(b"\\\""),
            b'\\' => self.put(b"\\\\"),
            b'\n' => self.put(b"\\n"),
            b'\r' => self.put(b"\\r"),
            b'\t' => self.put(b"\\t"),
            _ => {
                let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
                self.put(&[b'\\', b'u', b'0', b'0', digits[0], digits[1]])
            }
        }
    }

    pub(crate) fn base64(&mut self, bytes: &[u8]) -> Written {
        // Four characters for three bytes; a length that overflows is beyond every limit.
        let length = bytes.len().div_ceil(3).saturating_mul(4);
        self.take(length.saturating_add(2))?;
        self.out.push(b'"');
        let start = self.out.len();
        self.out.resize(start + length, 0);
        let written = STANDARD.encode_slice(bytes, &mut self.out[start..]);
        debug_assert_eq!(written, Ok(length));
        self.out.push(b'"');
        Ok(())
    }
}
