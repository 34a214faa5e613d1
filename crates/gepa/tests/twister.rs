//! Our generator against draws written by CPython (`cases/cpython-draws.txt`: seed, n, then the draws in order).
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use gepa::{Mt19937, Random};

fn list(text: &str) -> Vec<usize> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_draw_is_the_one_cpython_makes() {
    let mut current: Option<(u64, Mt19937)> = None;
    for line in include_str!("cases/cpython-draws.txt").lines() {
        let [seed, n, draws] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (seed, n): (u64, usize) = (seed.parse().unwrap(), n.parse().unwrap());
        if current.as_ref().is_none_or(|(of, _)| *of != seed) {
            current = Some((seed, Mt19937::new(seed)));
        }
        let (_, random) = current.as_mut().unwrap();
        let [unit, choice, shuffled, sample, weighted, replaced, up_to] =
            draws.split(';').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let range = |n: usize| (0..n).collect::<Vec<_>>();
        assert_eq!(random.unit(), unit.parse::<f64>().unwrap(), "{line}");
        assert_eq!(random.choice(&range(n + 1)), choice.parse::<usize>().unwrap(), "{line}");
        assert_eq!(random.shuffle(range(n)), list(shuffled), "{line}");
        assert_eq!(random.sample(&range(30 + n), n.min(30)), list(sample), "{line}");
        let weights = [0.5, 0.0, 0.25, 1.75 + n as f64];
        assert_eq!(random.weighted(&range(4), &weights), weighted.parse::<usize>().unwrap(), "{line}");
        assert_eq!(random.with_replacement(&range(n + 1), 3), list(replaced), "{line}");
        assert_eq!(random.up_to(n * 1000), up_to.parse::<usize>().unwrap(), "{line}");
    }
}

#[test]
fn a_restored_stream_goes_on_where_it_was() {
    let mut random = Mt19937::new(5);
    assert!((0..1000).all(|_| random.unit() < 1.0));
    let mut restored: Mt19937 = serde_json::from_str(&serde_json::to_string(&random).unwrap()).unwrap();
    assert!((0..2000).all(|_| random.unit() == restored.unit()));
    assert!(serde_json::from_str::<Mt19937>(r#"{"words":[1,2],"next":0}"#).is_err());
}
