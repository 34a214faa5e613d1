//! The model file: everything the forward pass needs, in the order and layout in which it is used.
//!
//! Little endian. Magic, version, precision and shape; word table, positions, norms and layers; the vocabulary; and a
//! BLAKE3 checksum of all that at the end. A file is read as a whole or refused with a reason.

use super::weights::{Layer, Linear, Norm, Precision, Shape, Table, Weights};
use crate::kernels::LANES;
use crate::kernels::attention::HEAD;
use crate::kernels::matrix::{FloatLine, FloatMatrix, Int8Line, Int8Matrix, QUAD};

const MAGIC: &[u8; 8] = b"RFXMODEL";
/// Raised when the layout or the meaning of the numbers changes: vectors of two versions are not comparable.
pub(crate) const VERSION: u32 = 1;
const CHECKSUM: usize = 32;
/// No size in a file is larger: keeps arithmetic on sizes from overflowing.
const LARGEST: usize = 1 << 20;

/// What a file holds.
#[derive(Debug, PartialEq)]
pub(crate) struct Contents {
    pub(crate) precision: Precision,
    pub(crate) weights: Weights,
    pub(crate) vocabulary: Vec<String>,
}

/// Reads a file; the error says what is wrong with it.
pub(crate) fn read(bytes: &[u8]) -> Result<Contents, String> {
    if !bytes.starts_with(MAGIC) {
        return Err("it is not a Reflexio model".to_owned());
    }
    let (body, checksum) =
        bytes.split_at_checked(bytes.len().saturating_sub(CHECKSUM)).ok_or("it is too short")?;
    let mut reader = Reader { rest: body.get(MAGIC.len()..).ok_or("it is too short")? };
    let version = reader.number()?;
    if version != VERSION as usize {
        return Err(format!("its format has version {version}, this program reads version {VERSION}"));
    }
    if blake3::hash(body).as_bytes() != checksum {
        return Err("its checksum is wrong, it is cut short or damaged".to_owned());
    }
    let precision = match reader.number()? {
        1 => Precision::Int8,
        2 => Precision::F32,
        other => return Err(format!("its precision `{other}` is unknown")),
    };
    let shape = reader.shape()?;
    let weights = reader.weights(precision, shape)?;
    let vocabulary = (0..shape.vocabulary).map(|_| reader.word()).collect::<Result<_, _>>()?;
    if !reader.rest.is_empty() {
        return Err("it is longer than it says".to_owned());
    }
    Ok(Contents { precision, weights, vocabulary })
}

/// The bytes of a file.
pub(crate) fn write(contents: &Contents) -> Vec<u8> {
    let Contents { precision, weights, vocabulary } = contents;
    let mut writer = Writer { bytes: MAGIC.to_vec() };
    let Shape { layers, width, heads, inner, vocabulary: entries, window } = weights.shape;
    let code = match precision {
        Precision::Int8 => 1,
        Precision::F32 => 2,
    };
    for number in [VERSION as usize, code, layers, width, heads, inner, entries, window] {
        writer.bytes.extend((number as u32).to_le_bytes());
    }
    writer.table(&weights.words);
    writer.floats(&weights.positions);
    writer.norm(&weights.norm);
    for layer in &weights.layers {
        writer.linear(&layer.mix);
        writer.linear(&layer.join);
        writer.norm(&layer.join_norm);
        writer.linear(&layer.widen);
        writer.linear(&layer.narrow);
        writer.norm(&layer.narrow_norm);
    }
    for word in vocabulary {
        writer.bytes.extend((word.len() as u16).to_le_bytes());
        writer.bytes.extend(word.as_bytes());
    }
    let checksum = blake3::hash(&writer.bytes);
    writer.bytes.extend(checksum.as_bytes());
    writer.bytes
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or("it is shorter than it says")?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<usize, String> {
        let bytes = self.take(4)?.first_chunk().copied().unwrap_or_default();
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, String> {
        let bytes = self.take(count * 4)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn codes(&mut self, count: usize) -> Result<Vec<i8>, String> {
        Ok(self.take(count)?.iter().map(|byte| i8::from_le_bytes([*byte])).collect())
    }

    fn word(&mut self) -> Result<String, String> {
        let length = u16::from_le_bytes(self.take(2)?.first_chunk().copied().unwrap_or_default());
        let bytes = self.take(usize::from(length))?;
        String::from_utf8(bytes.to_vec()).map_err(|_| "its vocabulary is not text".to_owned())
    }

    /// The sizes, checked against what the kernels can take.
    fn shape(&mut self) -> Result<Shape, String> {
        let mut next = || match self.number()? {
            size @ 1..=LARGEST => Ok(size),
            other => Err(format!("its size `{other}` is out of range")),
        };
        let shape = Shape {
            layers: next()?,
            width: next()?,
            heads: next()?,
            inner: next()?,
            vocabulary: next()?,
            window: next()?,
        };
        let fits =
            shape.width == shape.heads * HEAD && shape.inner.is_multiple_of(LANES) && shape.window >= 2;
        if fits { Ok(shape) } else { Err(format!("its sizes do not fit each other: {shape:?}")) }
    }

    fn weights(&mut self, precision: Precision, shape: Shape) -> Result<Weights, String> {
        let Shape { width, inner, .. } = shape;
        let words = match precision {
            Precision::F32 => Table::F32(self.floats(shape.vocabulary * width)?),
            Precision::Int8 => Table::Int8 {
                scales: self.floats(shape.vocabulary)?,
                codes: self.codes(shape.vocabulary * width)?,
            },
        };
        let positions = self.floats(shape.window * width)?;
        let norm = self.norm(width)?;
        let mut layer = || -> Result<Layer, String> {
            Ok(Layer {
                mix: self.linear(precision, width, 3 * width)?,
                join: self.linear(precision, width, width)?,
                join_norm: self.norm(width)?,
                widen: self.linear(precision, width, inner)?,
                narrow: self.linear(precision, inner, width)?,
                narrow_norm: self.norm(width)?,
            })
        };
        let layers = (0..shape.layers).map(|_| layer()).collect::<Result<_, _>>()?;
        Ok(Weights { shape, words, positions, norm, layers })
    }

    fn norm(&mut self, width: usize) -> Result<Norm, String> {
        Ok(Norm { gain: self.floats(width)?, shift: self.floats(width)? })
    }

    fn linear(&mut self, precision: Precision, inputs: usize, channels: usize) -> Result<Linear, String> {
        let bias = self.floats(channels)?;
        Ok(match precision {
            Precision::F32 => {
                let lines = self.floats(channels * inputs)?;
                let lines = lines.as_chunks::<LANES>().0.iter().map(|line| FloatLine(*line)).collect();
                Linear::F32(FloatMatrix { inputs, lines, bias })
            }
            Precision::Int8 => {
                let scales = self.floats(channels)?;
                let lines = self.take(channels * inputs)?.as_chunks::<{ LANES * QUAD }>().0;
                let lines = lines.iter().map(|line| Int8Line(line.map(|byte| byte as i8))).collect();
                Linear::Int8(Int8Matrix::from_lines(inputs / QUAD, lines, scales, bias))
            }
        })
    }
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn floats(&mut self, values: &[f32]) {
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    fn norm(&mut self, norm: &Norm) {
        self.floats(&norm.gain);
        self.floats(&norm.shift);
    }

    fn table(&mut self, table: &Table) {
        match table {
            Table::F32(rows) => self.floats(rows),
            Table::Int8 { codes, scales } => {
                self.floats(scales);
                self.bytes.extend(codes.iter().map(|code| *code as u8));
            }
        }
    }

    fn linear(&mut self, linear: &Linear) {
        match linear {
            Linear::F32(matrix) => {
                self.floats(&matrix.bias);
                matrix.lines.iter().for_each(|line| self.floats(&line.0));
            }
            Linear::Int8(matrix) => {
                self.floats(&matrix.bias);
                self.floats(&matrix.scales);
                self.bytes.extend(matrix.lines.iter().flat_map(|line| line.0.map(|code| code as u8)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tiny;

    #[test]
    fn what_was_written_is_read_back() {
        for precision in [Precision::Int8, Precision::F32] {
            let contents = tiny::contents(precision);
            assert_eq!(read(&write(&contents)), Ok(contents));
        }
    }

    #[test]
    fn a_file_cut_anywhere_or_with_any_bit_turned_is_refused() {
        let bytes = write(&tiny::contents(Precision::Int8));
        for length in (0..bytes.len()).step_by(97) {
            assert!(read(&bytes[..length]).is_err(), "cut to {length}");
        }
        for place in (0..bytes.len()).step_by(101) {
            let mut turned = bytes.clone();
            turned[place] ^= 0x10;
            assert!(read(&turned).is_err(), "bit turned at {place}");
        }
    }

    #[test]
    fn another_version_and_another_file_are_named() {
        let mut bytes = write(&tiny::contents(Precision::Int8));
        bytes[8] = 9;
        assert!(read(&bytes).is_err_and(|reason| reason.contains("version 9")));
        assert!(read(b"GGUF and so on").is_err_and(|reason| reason.contains("not a Reflexio model")));
    }

    #[test]
    fn sizes_that_lie_are_refused_even_with_a_right_checksum() {
        let bytes = write(&tiny::contents(Precision::Int8));
        let body = bytes.len() - CHECKSUM;
        for field in 0..6 {
            for value in [0u32, 3, u32::MAX] {
                let mut lying = bytes[..body].to_vec();
                lying[16 + field * 4..][..4].copy_from_slice(&value.to_le_bytes());
                lying.extend(blake3::hash(&lying).as_bytes());
                assert!(read(&lying).is_err(), "field {field} as {value}");
            }
        }
    }
}
