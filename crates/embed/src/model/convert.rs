//! Published weights into a model file, once.

use std::collections::HashMap;

use serde::Deserialize;

use super::file::{self, Contents};
use super::weights::{Layer, Linear, Norm, Precision, Shape, Table, Weights};
use crate::kernels::attention::HEAD;
use crate::kernels::matrix::{FloatMatrix, Int8Matrix};

/// The longest text of all-MiniLM-L6-v2 in tokens, as its authors configured it.
const WINDOW: usize = 256;

/// Makes a model file from `model.safetensors` and `tokenizer.json`; the error says what is wrong with them.
pub fn convert(safetensors: &[u8], tokenizer: &[u8], precision: Precision) -> Result<Vec<u8>, String> {
    let tensors = Tensors::parse(safetensors)?;
    let vocabulary = vocabulary(tokenizer)?;
    let weights = Converter { tensors, precision }.weights(vocabulary.len())?;
    Ok(file::write(&Contents { precision, weights, vocabulary }))
}

#[derive(Deserialize)]
struct TokenizerFile {
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct TokenizerModel {
    vocab: HashMap<String, usize>,
}

fn vocabulary(tokenizer: &[u8]) -> Result<Vec<String>, String> {
    let file: TokenizerFile = serde_json::from_slice(tokenizer)
        .map_err(|error| format!("the tokenizer cannot be read: {error}"))?;
    let mut entries = vec![None; file.model.vocab.len()];
    for (word, id) in file.model.vocab {
        match entries.get_mut(id) {
            Some(entry) => *entry = Some(word),
            None => return Err(format!("entry `{word}` has the number {id}, which is too large")),
        }
    }
    entries
        .into_iter()
        .collect::<Option<_>>()
        .ok_or_else(|| "two vocabulary entries have one number".to_owned())
}

/// The tensors of a safetensors file: a JSON header with places, then the numbers.
struct Tensors<'a> {
    header: HashMap<String, serde_json::Value>,
    data: &'a [u8],
}

#[derive(Deserialize)]
struct Place {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl<'a> Tensors<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let short = || "the weights are cut short".to_owned();
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(short)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| short())?;
        let (header, data) = rest.split_at_checked(length).ok_or_else(short)?;
        let header = serde_json::from_slice(header)
            .map_err(|error| format!("the header of the weights cannot be read: {error}"))?;
        Ok(Self { header, data })
    }

    fn get(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), String> {
        let place = self.header.get(name).ok_or_else(|| format!("tensor `{name}` is missing"))?;
        let place: Place =
            serde_json::from_value(place.clone()).map_err(|error| format!("tensor `{name}`: {error}"))?;
        let (start, end) = place.data_offsets;
        let bytes = self.data.get(start..end).ok_or_else(|| format!("tensor `{name}` is cut short"))?;
        if place.dtype != "F32" || bytes.len() != place.shape.iter().product::<usize>() * 4 {
            return Err(format!("tensor `{name}` is not plain f32"));
        }
        Ok((place.shape, bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()))
    }
}

struct Converter<'a> {
    tensors: Tensors<'a>,
    precision: Precision,
}

impl Converter<'_> {
    fn weights(&self, entries: usize) -> Result<Weights, String> {
        let (shape, words) = self.tensors.get("embeddings.word_embeddings.weight")?;
        let &[vocabulary, width] = shape.as_slice() else {
            return Err("the word table has no two dimensions".to_owned());
        };
        if vocabulary != entries {
            return Err(format!("{entries} vocabulary entries for {vocabulary} rows of the word table"));
        }
        let layers = (0..).map(|layer| format!("encoder.layer.{layer}"));
        let known = |layer: &String| {
            self.tensors.header.contains_key(&format!("{layer}.attention.self.query.weight"))
        };
        let layers = layers.take_while(known).map(|name| self.layer(&name)).collect::<Result<Vec<_>, _>>()?;
        let inner = layers.first().map_or(0, |layer| layer.widen.channels());
        let shape =
            Shape { layers: layers.len(), width, heads: width / HEAD, inner, vocabulary, window: WINDOW };
        let words = match self.precision {
            Precision::Int8 => Table::quantize(&words, width),
            Precision::F32 => Table::F32(words),
        };
        let (positions, norm) = (self.positions(width)?, self.norm("embeddings.LayerNorm")?);
        Ok(Weights { shape, words, positions, norm, layers })
    }

    /// The rows of the window; there is one text only, so its segment's vector is always added.
    fn positions(&self, width: usize) -> Result<Vec<f32>, String> {
        let (_, mut rows) = self.tensors.get("embeddings.position_embeddings.weight")?;
        let (_, segments) = self.tensors.get("embeddings.token_type_embeddings.weight")?;
        if rows.len() < WINDOW * width || segments.len() < width {
            return Err("the position or segment table is too small".to_owned());
        }
        rows.truncate(WINDOW * width);
        for row in rows.chunks_exact_mut(width) {
            for (value, segment) in row.iter_mut().zip(&segments) {
                *value += segment;
            }
        }
        Ok(rows)
    }

    fn layer(&self, name: &str) -> Result<Layer, String> {
        let heads = ["query", "key", "value"].map(|part| format!("{name}.attention.self.{part}"));
        Ok(Layer {
            mix: self.linear(&heads)?,
            join: self.linear(&[format!("{name}.attention.output.dense")])?,
            join_norm: self.norm(&format!("{name}.attention.output.LayerNorm"))?,
            widen: self.linear(&[format!("{name}.intermediate.dense")])?,
            narrow: self.linear(&[format!("{name}.output.dense")])?,
            narrow_norm: self.norm(&format!("{name}.output.LayerNorm"))?,
        })
    }

    /// Linear layers with the same inputs as one.
    fn linear(&self, names: &[String]) -> Result<Linear, String> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weights.extend(self.tensors.get(&format!("{name}.weight"))?.1);
            bias.extend(self.tensors.get(&format!("{name}.bias"))?.1);
        }
        let inputs = weights.len().checked_div(bias.len()).unwrap_or_default();
        if inputs == 0 || weights.len() != inputs * bias.len() {
            return Err(format!("the sizes of `{}` do not fit each other", names.concat()));
        }
        Ok(match self.precision {
            Precision::Int8 => Linear::Int8(Int8Matrix::quantize(&weights, inputs, &bias)),
            Precision::F32 => Linear::F32(FloatMatrix::pack(&weights, inputs, &bias)),
        })
    }

    fn norm(&self, name: &str) -> Result<Norm, String> {
        let (_, gain) = self.tensors.get(&format!("{name}.weight"))?;
        let (_, shift) = self.tensors.get(&format!("{name}.bias"))?;
        Ok(Norm { gain, shift })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_weights_are_refused_with_a_reason() {
        let tokenizer = br#"{"model":{"vocab":{"[CLS]":0}}}"#;
        let refused = |safetensors: &[u8], reason: &str| {
            let result = convert(safetensors, tokenizer, Precision::Int8);
            assert!(result.as_ref().is_err_and(|error| error.contains(reason)), "{result:?}");
        };
        refused(b"", "cut short");
        refused(&u64::MAX.to_le_bytes(), "cut short");
        let mut empty = 2u64.to_le_bytes().to_vec();
        empty.extend(b"{}");
        refused(&empty, "`embeddings.word_embeddings.weight` is missing");
    }

    #[test]
    fn a_vocabulary_with_a_hole_is_refused() {
        assert!(vocabulary(br#"{"model":{"vocab":{"a":0,"b":7}}}"#).is_err());
        assert!(vocabulary(br#"{"model":{"vocab":{"a":0,"b":0}}}"#).is_err());
        assert_eq!(
            vocabulary(br#"{"model":{"vocab":{"b":1,"a":0}}}"#),
            Ok(vec!["a".to_owned(), "b".to_owned()])
        );
    }
}
