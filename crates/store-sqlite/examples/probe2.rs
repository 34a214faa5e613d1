#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::allow_attributes, clippy::expect_used)]
use std::time::Instant;
use std::collections::HashMap;
fn main() {
    let words = ["where","is","my","order","tracking","page","has","not","changed","since","monday","refund","please","arrived","damaged","subscription","cancel","notifications"];
    let text: String = (0..29).map(|i| words[(i * 7) % words.len()]).collect::<Vec<_>>().join(" ");
    let digits: String = (0..29).map(|i| format!("{}1", words[(i * 7) % words.len()])).collect::<Vec<_>>().join(" ");
    for (n, t) in [("letters", &text), ("digits (no stem)", &digits)] {
        let s = Instant::now(); let mut k = 0; for _ in 0..20000 { k += reflexio_search::terms(t).len(); }
        println!("{n}: {:?} {k}", s.elapsed() / 20000);
    }
    let mut cache: HashMap<String, Vec<String>> = HashMap::new();
    let s = Instant::now(); let mut k = 0;
    for _ in 0..20000 { let mut out: Vec<String> = Vec::new(); for w in text.split_ascii_whitespace() { if let Some(c) = cache.get(w) { out.extend_from_slice(c); } else { let c = reflexio_search::terms(w); out.extend_from_slice(&c); cache.insert(w.to_owned(), c); } } k += out.len(); }
    println!("memo: {:?} {k}", s.elapsed() / 20000);
}
