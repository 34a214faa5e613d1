use reflexio_search::TextQuery;

/// What a search looks for: words, meaning, or rows that fit either.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ask {
    pub words: Option<TextQuery>,
    /// Unit vectors of the model in use, see [`crate::Vectors`]; a row is as near as the nearest of them.
    pub meaning: Vec<Vec<f32>>,
    /// How many rows words bring at most, and how many meaning brings besides.
    pub limit: usize,
    /// Which of them to read; all of them if missing.
    pub shortlist: Option<Shortlist>,
}

/// A first, cheap look at what was found: the rows with the largest `words · score + meaning · cosine` are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortlist {
    pub rows: usize,
    pub words: f64,
    pub meaning: f64,
}

impl Shortlist {
    pub fn value(&self, score: f64, cosine: Option<f64>) -> f64 {
        self.words * score + self.meaning * cosine.unwrap_or_default()
    }
}

impl Ask {
    pub fn words(query: &TextQuery, limit: usize) -> Self {
        Self { words: Some(query.clone()), limit, ..Self::default() }
    }
}

/// A row that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored<T> {
    pub row: T,
    /// How well its words fit, higher is better; 0 if only its meaning was near.
    pub score: f64,
    /// To the nearest of the asked vectors; none if the row has no vector (yet) or no meaning was asked for.
    pub cosine: Option<f64>,
}

impl<T> Scored<T> {
    /// Found by its words.
    pub fn by_words(row: T, score: f64) -> Self {
        Self { row, score, cosine: None }
    }
}
