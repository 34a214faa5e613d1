//! The real model against vectors that numpy made from the same weights (`fixtures/make.py`).
//!
//! Needs the model files in `REFLEXIO_MODEL_DIR` or `target/models`; `make model` fetches them.

#![expect(clippy::expect_used, clippy::print_stderr, reason = "helpers of tests fail or skip loudly")]

use std::path::PathBuf;

use reflexio_embed::{Isa, MiniLm, Precision};

const DIMENSION: usize = 384;

/// The model, or a loud note that it is not there.
fn model(precision: Precision) -> Option<MiniLm> {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
    let folder = std::env::var_os("REFLEXIO_MODEL_DIR").map_or(workspace, PathBuf::from);
    let path = folder.join(MiniLm::file_name(precision));
    if !path.exists() {
        eprintln!("SKIPPED: `{}` is missing; `make model` fetches it", path.display());
        return None;
    }
    Some(MiniLm::open(&path).expect("a whole model"))
}

fn sentences() -> Vec<String> {
    serde_json::from_str(include_str!("../fixtures/sentences.json")).expect("sentences")
}

fn reference() -> Vec<Vec<f32>> {
    let numbers: Vec<f32> =
        include_bytes!("../fixtures/vectors.bin").as_chunks::<2>().0.iter().map(half).collect();
    numbers.chunks_exact(DIMENSION).map(<[f32]>::to_vec).collect()
}

/// A half-precision number; the fixture has no infinities.
fn half(bytes: &[u8; 2]) -> f32 {
    let bits = u16::from_le_bytes(*bytes);
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    let size =
        if exponent == 0 { fraction * 2f32.powi(-14) } else { (1.0 + fraction) * 2f32.powi(exponent - 15) };
    if bits >> 15 == 1 { -size } else { size }
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Checks every sentence; returns the mean and the smallest cosine.
fn compare(model: &MiniLm, at_least: f64) -> (f64, f64) {
    let (sentences, reference) = (sentences(), reference());
    assert!(sentences.len() >= 200 && sentences.len() == reference.len());
    let vectors = model.encode(&sentences);
    let mut cosines: Vec<f64> = Vec::new();
    for ((sentence, vector), reference) in sentences.iter().zip(&vectors).zip(&reference) {
        let cosine = cosine(vector, reference);
        assert!(cosine >= at_least, "{cosine} for {sentence:?}");
        cosines.push(cosine);
    }
    let smallest = cosines.iter().copied().fold(1.0, f64::min);
    (cosines.iter().sum::<f64>() / cosines.len() as f64, smallest)
}

fn check_values(model: &MiniLm) -> [f64; 3] {
    let vectors =
        model.encode(&["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]);
    [(0, 1), (0, 2), (1, 2)].map(|(a, b)| cosine(&vectors[a], &vectors[b]))
}

#[test]
fn f32_vectors_are_the_references() {
    let Some(model) = model(Precision::F32) else { return };
    println!("f32: mean and smallest cosine {:?}", compare(&model, 0.9999));
    for (got, expected) in check_values(&model).into_iter().zip([0.6660, 0.1046, 0.1411]) {
        assert!((got - expected).abs() < 1e-4, "{got} for {expected}");
    }
}

#[test]
fn int8_vectors_are_close_to_the_references() {
    let Some(model) = model(Precision::Int8) else { return };
    println!("int8: mean and smallest cosine {:?}", compare(&model, 0.99));
    for (got, expected) in check_values(&model).into_iter().zip([0.6660, 0.1046, 0.1411]) {
        assert!((got - expected).abs() < 0.02, "{got} for {expected}");
    }
}

#[test]
fn the_real_model_gives_the_same_bits_on_every_instruction_set() {
    for precision in [Precision::Int8, Precision::F32] {
        let Some(model) = model(precision) else { continue };
        let texts: Vec<String> = sentences().into_iter().step_by(29).collect();
        let portable = model.clone().with_isa(Isa::PORTABLE).encode(&texts);
        for isa in Isa::all() {
            assert_eq!(
                model.clone().with_isa(isa).with_threads(2).encode(&texts),
                portable,
                "{}",
                isa.name()
            );
        }
    }
}

#[test]
fn int8_finds_most_of_what_f32_finds() {
    let (Some(int8), Some(f32)) = (model(Precision::Int8), model(Precision::F32)) else { return };
    let sentences = sentences();
    let best = |model: &MiniLm| -> Vec<Vec<usize>> {
        let vectors = model.encode(&sentences);
        let nearest = |query: &Vec<f32>| {
            let mut order: Vec<usize> = (0..vectors.len()).collect();
            order.sort_by(|a, b| cosine(query, &vectors[*b]).total_cmp(&cosine(query, &vectors[*a])));
            order.truncate(11);
            order
        };
        vectors.iter().map(nearest).collect()
    };
    let (int8, f32) = (best(&int8), best(&f32));
    let shared =
        |(a, b): (&Vec<usize>, &Vec<usize>)| a[1..].iter().filter(|place| b[1..].contains(place)).count();
    let kept = int8.iter().zip(&f32).map(shared).sum::<usize>() as f64 / (10 * sentences.len()) as f64;
    println!("int8 keeps {kept:.3} of the best ten");
    assert!(kept > 0.85, "{kept}");
}
