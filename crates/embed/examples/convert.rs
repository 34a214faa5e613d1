//! Makes a model file: `convert <model.safetensors> <tokenizer.json> <int8|f32> <out.rfxm>`. Used by `tools/model.sh`.

use std::path::PathBuf;
use std::{env, fs};

use reflexio_embed::{Precision, convert};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [weights, tokenizer, precision, out] = arguments.as_slice() else {
        return Err("usage: convert <model.safetensors> <tokenizer.json> <int8|f32> <out.rfxm>".to_owned());
    };
    let precision = match precision.as_str() {
        "int8" => Precision::Int8,
        "f32" => Precision::F32,
        other => return Err(format!("`{other}` is neither int8 nor f32")),
    };
    let read = |path: &String| fs::read(path).map_err(|error| format!("`{path}` cannot be read: {error}"));
    let file = convert(&read(weights)?, &read(tokenizer)?, precision)?;
    let out = PathBuf::from(out);
    // Readers see the old file or the new one, never half of it.
    let part = out.with_extension("part");
    fs::write(&part, file)
        .and_then(|()| fs::rename(&part, &out))
        .map_err(|error| format!("`{}` cannot be written: {error}", out.display()))
}
