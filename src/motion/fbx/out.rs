//! Nodes and their attributes, on the writer of `fbxcel`.

use fbxcel::low::FbxVersion;
use fbxcel::writer::v7400::binary::{AttributesWriter, FbxFooter, Result, Writer};
use std::io::Cursor;

/// One attribute of a node.
pub(super) enum Value<'a> {
    I32(i32),
    I64(i64),
    F64(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
    I32s(Vec<i32>),
    I64s(Vec<i64>),
    F32s(Vec<f32>),
    F64s(Vec<f64>),
}

/// The file being written.
pub(super) struct Out {
    writer: Writer<Cursor<Vec<u8>>>,
}

/// End of every file that programs other than Autodesk's write.
const FOOTER: [u8; 16] = *b"\xfa\xbc\xab\x09\xd0\xc8\xd4\x66\xb1\x76\xfb\x83\x1c\xf7\x26\x7e";

impl Out {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { writer: Writer::new(Cursor::new(Vec::new()), FbxVersion::V7_4)? })
    }

    /// Writes a node with its children.
    pub(super) fn node(
        &mut self,
        name: &str,
        values: &[Value],
        children: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut attributes = self.writer.new_node(name)?;
        for value in values {
            append(&mut attributes, value)?;
        }
        children(self)?;
        self.writer.close_node()
    }

    /// Writes a node without children.
    pub(super) fn leaf(&mut self, name: &str, values: &[Value]) -> Result<()> {
        self.node(name, values, |_| Ok(()))
    }

    /// Writes an entry of a list of properties. `kind`: its type and label; `flag`: "A" if it can be animated.
    pub(super) fn property(&mut self, name: &str, kind: [&str; 2], flag: &str, values: Vec<Value>) -> Result<()> {
        let mut all = vec![Value::Text(name), Value::Text(kind[0]), Value::Text(kind[1]), Value::Text(flag)];
        all.extend(values);
        self.leaf("P", &all)
    }

    /// Writes a property of three numbers.
    pub(super) fn vector(&mut self, name: &str, kind: &str, flag: &str, vector: [f64; 3]) -> Result<()> {
        self.property(name, [kind, ""], flag, vector.map(Value::F64).into())
    }

    /// Writes a property of one whole number.
    pub(super) fn integer(&mut self, name: &str, value: i32) -> Result<()> {
        self.property(name, ["int", "Integer"], "", vec![Value::I32(value)])
    }

    /// Writes a property of one number.
    pub(super) fn number(&mut self, name: &str, value: f64) -> Result<()> {
        self.property(name, ["double", "Number"], "", vec![Value::F64(value)])
    }

    /// Writes a property of a choice.
    pub(super) fn choice(&mut self, name: &str, value: i32) -> Result<()> {
        self.property(name, ["enum", ""], "", vec![Value::I32(value)])
    }

    /// Writes a property of a time, in units of the format.
    pub(super) fn time(&mut self, name: &str, ticks: i64) -> Result<()> {
        self.property(name, ["KTime", "Time"], "", vec![Value::I64(ticks)])
    }

    pub(super) fn finish(self) -> Result<Vec<u8>> {
        let footer = FbxFooter { unknown1: Some(&FOOTER), ..FbxFooter::default() };
        Ok(self.writer.finalize_and_flush(&footer)?.into_inner())
    }
}

fn append(attributes: &mut AttributesWriter<Cursor<Vec<u8>>>, value: &Value) -> Result<()> {
    match value {
        Value::I32(value) => attributes.append_i32(*value),
        Value::I64(value) => attributes.append_i64(*value),
        Value::F64(value) => attributes.append_f64(*value),
        Value::Text(text) => attributes.append_string_direct(text),
        Value::Bytes(bytes) => attributes.append_binary_direct(bytes),
        Value::I32s(values) => attributes.append_arr_i32_from_iter(None, values.iter().copied()),
        Value::I64s(values) => attributes.append_arr_i64_from_iter(None, values.iter().copied()),
        Value::F32s(values) => attributes.append_arr_f32_from_iter(None, values.iter().copied()),
        Value::F64s(values) => attributes.append_arr_f64_from_iter(None, values.iter().copied()),
    }
}

/// Returns the name of an object as the format stores it: the name and its class.
pub(super) fn object_name(name: &str, class: &str) -> String {
    // A zero byte would end the name.
    format!("{}\0\u{1}{class}", name.replace(['\0', '\u{1}'], "_"))
}
