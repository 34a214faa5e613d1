use std::path::PathBuf;

use clap::Args;
use reflexio_cluster::{Features, Score, Statement, Veto, near_duplicate};
use serde::Deserialize;
use serde_json::{Value, json};

use super::lines;
use super::vectors::ModelArgs;
use crate::context::Context;

/// Arguments of `dev duplicates`.
#[derive(Debug, Args)]
pub(crate) struct Duplicates {
    /// JSON lines with `a` and `b`, or - for standard input.
    file: PathBuf,
    /// Print what the decision looked at, too.
    #[arg(long)]
    features: bool,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Debug, Deserialize)]
struct Line {
    a: String,
    b: String,
}

impl Duplicates {
    pub(super) fn run(&self, context: &Context) -> anyhow::Result<()> {
        let pairs: Vec<Line> = lines::read(&self.file)?;
        let texts: Vec<&str> = pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
        let vectors = self.model.vectors(&texts, context)?;
        let vector = |at: usize| vectors.as_ref().and_then(|all| all.get(at)).map(Vec::as_slice);
        lines::write(pairs.iter().enumerate().map(|(at, pair)| {
            let a = Statement::new(&pair.a, vector(2 * at));
            let b = Statement::new(&pair.b, vector(2 * at + 1));
            self.answer(&a, &b)
        }))
    }

    fn answer(&self, a: &Statement, b: &Statement) -> Value {
        let score = near_duplicate(a, b);
        let mut answer = json!({ "same": score.same(), "score": score.probability });
        if let Value::Object(fields) = &mut answer {
            fields.extend(veto(score).map(|name| ("veto".to_owned(), name.into())));
            if self.features {
                fields.insert("features".to_owned(), features(&Features::of(a, b)));
            }
        }
        answer
    }
}

fn veto(score: Score) -> Option<&'static str> {
    Some(match score.veto? {
        Veto::Negation => "negation",
        Veto::Numbers => "numbers",
        Veto::Names => "names",
    })
}

fn features(features: &Features) -> Value {
    let Features { cosine, trigrams, order, length, extra, numbers } = features;
    json!({
        "cosine": cosine, "trigrams": trigrams, "order": order,
        "length": length, "extra": extra, "numbers": numbers,
    })
}
