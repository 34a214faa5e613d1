use std::time::Duration;

use reflexio_learn::builtin::{Definitions, LabelledTurn, OwnText, Window, learn};
use reflexio_types::config::{PlaybookConfig, ProfileExtractorConfig};
use reflexio_types::{Timestamp, Turn};

use crate::process::cpu_time;

/// Half of it teaches something, half is talk.
const SAID: [(&str, &str); 10] = [
    (
        "User",
        "Hi, I bought a coffee machine from your shop two weeks ago and since yesterday it leaks water from the bottom, could you please tell me how I can get it repaired or replaced?",
    ),
    (
        "Agent",
        "I am sorry to hear that. Please unplug the machine, empty the tank and check whether the seal at the bottom is in place. If it still leaks, I can start a replacement for you right away.",
    ),
    (
        "User",
        "No, I meant that I would like a repair, not a replacement. You forgot to ask for my order number, and I already told the other agent that the seal is fine and sits where it should.",
    ),
    (
        "Agent",
        "You're right, I apologise for that mistake. Could you give me the order number, so that I can look up the warranty of the machine and find a repair shop that is close to your home?",
    ),
    (
        "User",
        "It is on the invoice that I sent you by mail last week. By the way, I live in Utrecht and I work nights, so please never call me before noon, a message is always fine for me.",
    ),
    (
        "Agent",
        "Thank you. I found the order and the warranty is valid until next year. The nearest repair shop is ten minutes from the central station and takes machines from Tuesday to Saturday, without an appointment.",
    ),
    (
        "User",
        "That sounds good, though I wonder whether the shop has parking, because the machine is quite heavy and I do not want to carry it through the whole city centre on a warm afternoon.",
    ),
    (
        "Agent",
        "There is parking behind the shop for customers. Show the code that I have just sent to you at the counter, and they will check the machine while you wait or call you when it is ready.",
    ),
    (
        "User",
        "I prefer short answers with the most important thing first, your messages are very long. What do I need to bring with me, and does the repair cost anything if the warranty covers it or not?",
    ),
    (
        "Agent",
        "Bring the machine and the invoice. The repair is free under warranty. If they find damage that the warranty does not cover, they will first send you an offer that you can accept or refuse.",
    ),
];

/// How fast the built-in learner reads, on one thread.
pub(crate) struct Builtin {
    pub(crate) windows: usize,
    pub(crate) turns: usize,
    pub(crate) words: usize,
    pub(crate) items: usize,
    pub(crate) processor: Duration,
}

impl Builtin {
    pub(crate) fn per_second(&self) -> f64 {
        self.windows as f64 / self.processor.as_secs_f64().max(f64::EPSILON)
    }
}

/// Reads the same window of ten turns again and again.
pub(super) fn measure(windows: usize) -> anyhow::Result<Builtin> {
    let turns: Vec<Turn> =
        SAID.iter().map(|(role, content)| Turn::say(Timestamp(0), role, content)).collect();
    let labels: Vec<String> = (1..=turns.len()).map(|number| format!("T{number}")).collect();
    let labelled: Vec<LabelledTurn<'_>> =
        labels.iter().zip(&turns).map(|(label, turn)| LabelledTurn { label, turn }).collect();
    let (own, profile) = (OwnText::default(), ProfileExtractorConfig::default());
    let playbooks = [PlaybookConfig::general()];
    let window = Window { turns: &labelled, own: &own };
    let definitions = Definitions { profile: Some(&profile), playbooks: &playbooks };
    let before = cpu_time(std::process::id())?;
    let mut items = 0;
    for _ in 0..windows {
        let learned = learn(std::hint::black_box(&window), &definitions);
        items += learned.profiles.len() + learned.playbooks.len();
    }
    let processor = cpu_time(std::process::id())?.saturating_sub(before);
    let words = SAID.iter().map(|(_, content)| content.split_whitespace().count()).sum();
    Ok(Builtin { windows, turns: turns.len(), words, items, processor })
}
