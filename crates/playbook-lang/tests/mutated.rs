//! Real programs, broken in every way a hand or a crash can break them. Bounded, and the same in every run.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

/// Rounds for each program; more when `PLAYBOOK_FUZZ_ROUNDS` says so.
const ROUNDS: u64 = 40;

const SPICES: &[&str] = &[
    "{",
    "}",
    "{{",
    "$",
    "(",
    ")",
    "\"",
    "'",
    "#",
    "# ",
    "## ",
    "### Steps\n",
    "- ",
    "  - ",
    "\n",
    "\r\n",
    "\t",
    "```python\n",
    "---\n",
    "metadata:\n",
    "!import fragment.md\n",
    ":",
    "=",
    "\u{0}",
    "é",
    "🎉",
    "<!--",
    "-->",
    "If ",
    "Otherwise",
    "f'{",
    "|",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(6) {
        let (first, second) = (random.place(&text), random.place(&text));
        let (from, to) = (first.min(second), first.max(second));
        match random.below(5) {
            0 => text.replace_range(from..to.min(ceil(&text, from + 30)), ""),
            1 => text.insert_str(from, SPICES[random.below(SPICES.len())]),
            2 => {
                let copy = text[from..to.min(ceil(&text, from + 200))].to_owned();
                text.insert_str(to, &copy);
            }
            3 => {
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                let (one, other) = (random.below(lines.len()), random.below(lines.len()));
                if !lines.is_empty() {
                    lines.swap(one, other);
                }
                text = lines.concat();
            }
            _ => text.truncate(to),
        }
    }
    text
}

fn ceil(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[test]
fn broken_programs_give_trees_too() {
    let rounds =
        std::env::var("PLAYBOOK_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    for (number, file) in support::programs().iter().enumerate() {
        for round in 0..rounds {
            let seed = 0x9E37_79B9_7F4A_7C15_u64
                .wrapping_mul(round + 1)
                .wrapping_add(u64::try_from(number).unwrap())
                | 1;
            let text = mutate(&file.text, &mut Random(seed));
            let result = std::panic::catch_unwind(|| support::survives(&text));
            assert!(result.is_ok(), "{} in round {round}:\n{text}", file.name);
        }
    }
}

#[test]
fn long_and_deep_inputs_end() {
    let deep_list: String = (0..2_000).map(|depth| format!("{}- x\n", "  ".repeat(depth % 300))).collect();
    for text in [
        "- ".repeat(50_000),
        "> ".repeat(20_000),
        "[".repeat(50_000),
        "*a ".repeat(50_000),
        "`".repeat(50_000),
        "{".repeat(50_000),
        "# A\n## B\n".to_owned() + &"{ ".repeat(20_000),
        "# A\n## B\n### Steps\n- Say \"".to_owned() + &"{ ' ".repeat(20_000) + "}\"\n",
        "# A\n## B\n### Steps\n- ".to_owned() + &"$a = (".repeat(20_000),
        "# A\n## B\n### Steps\n- If ".to_owned() + &"$a is empty and ".repeat(5_000),
        "# A\n## B\n".to_owned() + &"{$a} ".repeat(2_000),
        "# A\n## B\n### Steps\n".to_owned() + &deep_list,
        "# A\n```python\nx = ".to_owned() + &"1+".repeat(100_000) + "1\n```\n",
        "# A\n## B\npublic: ".to_owned() + &"[".repeat(10_000),
        "# A\n## B(".to_owned() + &"$a,".repeat(20_000) + ")\n",
    ] {
        support::sound::check_spans(&support::parse(&text));
    }
}
