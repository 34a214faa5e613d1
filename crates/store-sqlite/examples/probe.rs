#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::allow_attributes, clippy::expect_used)]
use rusqlite::Connection;
use std::time::Instant;
fn main() {
    let c = Connection::open(std::env::args().nth(1).unwrap()).unwrap();
    c.pragma_update(None, "cache_size", -16384).unwrap();
    let tok = |kind: &str, s: &str| format!("{kind}{}", &blake3::hash(s.as_bytes()).to_hex()[..16]);
    let u = tok("u", "default\0user-7");
    let o = tok("o", "default");
    let words: Vec<String> = c
        .prepare("SELECT content FROM interactions WHERE id % 997 = 5 LIMIT 40")
        .unwrap()
        .query_map([], |r| r.get::<_, String>(0))
        .unwrap()
        .map(|r| r.unwrap())
        .collect();
    let words: Vec<String> = words.iter().map(|t| reflexio_search::terms(t)[3].clone()).collect();
    let texts: Vec<String> = c.prepare("SELECT content FROM interactions LIMIT 2000").unwrap().query_map([], |r| r.get::<_, String>(0)).unwrap().map(|r| r.unwrap()).collect();
    let s = Instant::now(); let docs: Vec<Vec<String>> = texts.iter().map(|t| reflexio_search::terms(t)).collect();
    println!("terms: {:?} per doc, {} terms per doc", s.elapsed() / 2000, docs.iter().map(Vec::len).sum::<usize>() / 2000);
    for q in ["kare", "kare mito fun", "kare mito fun dalo pevi order antel shipka"] { let q = reflexio_search::TextQuery::parse(q); let s = Instant::now(); let r = reflexio_search::rank(&q, &docs[..1000]); println!("rank 1000: {:?} {}", s.elapsed(), r[0]); }
    let time = |name: &str, sql: &str, f: &dyn Fn(&str) -> String| {
        let mut times = Vec::new();
        let mut n = 0i64;
        let mut st = c.prepare(sql).unwrap();
        for w in &words {
            let s = Instant::now();
            n += st.query_row([f(w)], |r| r.get::<_, i64>(0)).unwrap();
            times.push(s.elapsed());
        }
        times.sort();
        println!("{name}: p50 {:?} p95 {:?} n={n}", times[times.len() / 2], times[times.len() * 95 / 100]);
    };
    let cnt =
        "SELECT count(*) FROM (SELECT rowid FROM interactions_fts WHERE interactions_fts MATCH ? LIMIT 1001)";
    let cntj = "SELECT count(content) FROM (SELECT t.content FROM interactions_fts f CROSS JOIN interactions t JOIN requests r ON r.key=t.request_key WHERE f.interactions_fts MATCH ? AND t.id=f.rowid AND t.org_id='default' LIMIT 1001)";
    for _ in 0..2 {
        time("user only", cnt, &|_| format!("scope:\"{u}\""));
        time("user+term", cnt, &|w| format!("scope:\"{u}\" AND body:(\"{w}\")"));
        time("term+user", cnt, &|w| format!("body:(\"{w}\") AND scope:\"{u}\""));
        time("user+prefix", cnt, &|w| format!("scope:\"{u}\" AND body:(\"{w}\" *)"));
        time("user+prefix4", cnt, &|w| format!("scope:\"{u}\" AND body:(\"{}\" *)", &w[..4.min(w.len())]));
        time("org+term", cnt, &|w| format!("scope:\"{o}\" AND body:(\"{w}\")"));
        time("term", cnt, &|w| format!("body:(\"{w}\")"));
        time("org+prefix", cnt, &|w| format!("scope:\"{o}\" AND body:(\"{w}\" *)"));
        time("user+term join", cntj, &|w| format!("scope:\"{u}\" AND body:(\"{w}\")"));
        time("org+term join", cntj, &|w| format!("scope:\"{o}\" AND body:(\"{w}\")"));
        time(
            "org+term bm25",
            "SELECT count(*) FROM (SELECT rowid FROM interactions_fts WHERE interactions_fts MATCH ? ORDER BY bm25(interactions_fts,0.0,1.0) LIMIT 10)",
            &|w| format!("scope:\"{o}\" AND body:(\"{w}\")"),
        );
        time(
            "term rank",
            "SELECT count(*) FROM (SELECT rowid FROM interactions_fts WHERE interactions_fts MATCH ? ORDER BY rank LIMIT 10)",
            &|w| format!("body:(\"{w}\")"),
        );
        time("org+term all", "SELECT count(*) FROM interactions_fts WHERE interactions_fts MATCH ?", &|w| {
            format!("scope:\"{o}\" AND body:(\"{w}\")")
        });
        println!();
    }
    let segs: i64 =
        c.query_row("SELECT count(DISTINCT segid) FROM interactions_fts_idx", [], |r| r.get(0)).unwrap();
    println!("segments {segs}");
    for r in c
        .prepare("SELECT name, sum(pgsize)/1024/1024.0 FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 16")
        .and_then(|mut s| {
            s.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, f64>(1)?)))?
                .collect::<Result<Vec<_>, _>>()
        })
        .unwrap_or_default()
    {
        println!("{r:?}");
    }
}
