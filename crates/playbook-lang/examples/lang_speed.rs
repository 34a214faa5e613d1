//! How long parsing and checking a 1 MB program takes: `cargo run --release -p playbook-lang --example lang_speed`.
#![expect(clippy::print_stdout, reason = "it is a program for a terminal")]

use std::time::{Duration, Instant};

use playbook_lang::placeholder::{Host, Limits, evaluate};
use playbook_lang::{Program, SourceFile, Value, format};

/// The same allocator as the server's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Written like the programs people write: one step in six is native, the rest are words.
const PLAYBOOK: &str = "\
## Handle request NUMBER($customer, $order_id: str = \"none\")
public: true
Handles request NUMBER of {$customer} with care.
Status: {\"late\" if $order_id else \"new\"}

### Triggers
- When the user asks about request NUMBER
- When $attempts exceeds 3

### Steps
- Greet the user and ask for their order number
- $status = LookUpNUMBER($order_id, detail=True)
- If $status is empty
  - Ask the user for $order_id again
  - Tell the user \"We could not find $order_id, sorry.\"
- If the user is not satisfied
  - Offer a discount and explain the conditions of the offer in two sentences
  - Ask if they want to speak with a manager
- Otherwise
  - Thank them for their feedback
- For each $line in $status
  - Check the line against the policy of the shop and note what is missing
- While $attempts < 3
  - $attempts = $attempts + 1
  - Extract $relevant_info from the search results
- Return $status

### Notes
- Maintain a professional tone throughout the conversation
- If the user mentions a competitor, highlight our unique advantages

## LookUpNUMBER($id, $detail: bool = False) -> dict
Finds order {$id}.

### Steps
- Find the order in the database
- Return {\"id\": $id, \"detail\": $detail}

";

fn program(bytes: usize) -> String {
    let mut text = String::from("# Support desk\nAnswers customers.\n\n");
    let mut number = 0;
    while text.len() < bytes {
        number += 1;
        text.push_str(&PLAYBOOK.replace("NUMBER", &number.to_string()));
    }
    text
}

/// The best time of some runs; copying the input and dropping the result do not count.
fn best_of<I: Clone, O>(runs: usize, input: &I, mut work: impl FnMut(I) -> O) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..runs {
        let input = input.clone();
        let start = Instant::now();
        let result = work(input);
        best = best.min(start.elapsed());
        drop(result);
    }
    best
}

struct State;

impl Host for State {
    fn variable(&mut self, name: &str) -> Option<Value> {
        match name {
            "score" => Some(Value::Float(0.8734)),
            "items" => Some(Value::List(vec![
                Value::Dict(vec![("active".to_owned(), Value::Bool(true))]),
                Value::Dict(vec![("active".to_owned(), Value::Bool(false))]),
            ])),
            _ => None,
        }
    }
}

fn main() {
    let text = program(1 << 20);
    let files = vec![SourceFile::new("large.pb", text.clone())];
    let parsed = Program::parse(files.clone());
    let steps: usize =
        parsed.agents.iter().flat_map(|agent| &agent.playbooks).map(|found| found.all_steps().count()).sum();
    println!("{} bytes, {steps} steps, {} diagnostics", text.len(), parsed.diagnostics().len());
    println!("parse and check: {:?} (best of 20)", best_of(20, &files, Program::parse));
    // For profilers.
    if std::env::args().nth(1).as_deref() == Some("parse") {
        return;
    }
    println!("format: {:?} (best of 3)", best_of(3, &(), |()| format(&text)));
    let expressions = [
        "$score",
        "round($score * 100, 2)",
        "\"Good\" if $score > 0.8 else \"Needs Improvement\"",
        "len([x for x in $items if x.active])",
    ];
    for source in expressions {
        let total = best_of(5, &(), |()| {
            for _ in 0..1_000 {
                let _ = evaluate(source, &mut State, &Limits::default());
            }
        });
        println!("placeholder {source}: {:?} each", total / 1_000);
    }
}
