//! English sentences as people write them to a shop's support, and queries over them, from a seed.
//!
//! Words differ in frequency as in real text: a few stand in every third turn (`order`), some in one of a
//! hundred (a city), and many nearly nowhere (a surname, an order number).

use crate::random::Random;

const USER: [&str; 20] = [
    "Where is my order {order}? The tracking page has not changed since {day}.",
    "I bought a {product} in {month} and the {part} is {fault}.",
    "Can I get a refund for the {product}, please? It arrived {fault}.",
    "My account shows the {plan} plan but the invoice says {amount} dollars.",
    "The app says {error} whenever I open {feature}.",
    "I never got the password reset mail at my {surname} address.",
    "Please send the {product} to {city} instead, I moved there last {month}.",
    "Your courier {carrier} left the package with somebody called {surname}.",
    "How do I cancel my subscription before {day}?",
    "I was charged twice, {amount} dollars each time, for order {order}.",
    "It worked until the update on {day}, now {feature} is {fault}.",
    "Thank you, that helped, but the {part} still looks {fault} to me.",
    "Do you have the {product} in {color}, and does it ship to {city}?",
    "I would like to talk to a person about invoice {order}.",
    "The discount code for the {product} does not work at checkout.",
    "I want to exchange the {color} {product} for a {color} one.",
    "Why was my payment declined? The card works everywhere else.",
    "The serial number is {serial} and the warranty should still hold.",
    "Nobody answered my mail of {day} about the missing {part}.",
    "Could you explain what the {plan} plan includes for {feature}?",
];

const AGENT: [&str; 20] = [
    "I am sorry about that. I have checked order {order} and {carrier} will deliver it on {day}.",
    "A refund of {amount} dollars is on its way to your card and should arrive by {day}.",
    "Please restart the {product}, then open {feature} and try again.",
    "I have changed the delivery address to {city} and sent you a confirmation.",
    "Your warranty covers the {part}, so we will send a new one free of charge.",
    "The {plan} plan includes {feature}; you can change it in your account settings.",
    "That error, {error}, means the session expired. Please sign in again.",
    "I have opened a ticket, number {order}, and my colleague {surname} will call you on {day}.",
    "We have the {product} in {color} and in {color}; both ship from {city}.",
    "I have reset your password and sent a link that is valid for one hour.",
    "To return the {product}, print the label and bring the package to any {carrier} shop.",
    "I can see two charges of {amount} dollars; the second one will be reversed.",
    "Could you tell me the serial number? It is printed below the {part}.",
    "Thank you, {serial} is registered in your name since {month}.",
    "The discount applies to orders above {amount} dollars only.",
    "Your subscription ends on {day} and no further invoice will be sent.",
    "The engineers know about the problem with {feature} and expect a fix in {month}.",
    "May I ask when you first saw that the {part} was {fault}?",
    "I have added a note for {carrier} to ring the bell at {surname}.",
    "Is there anything else I can do about your {product}?",
];

const PRODUCTS: [&str; 28] = [
    "headset",
    "laptop",
    "phone",
    "router",
    "keyboard",
    "monitor",
    "printer",
    "camera",
    "tablet",
    "charger",
    "speaker",
    "kettle",
    "blender",
    "backpack",
    "jacket",
    "bicycle",
    "lamp",
    "mattress",
    "drone",
    "projector",
    "thermostat",
    "telescope",
    "hammock",
    "turntable",
    "dehumidifier",
    "snowboard",
    "accordion",
    "barometer",
];
const PARTS: [&str; 14] = [
    "screen", "battery", "cable", "box", "button", "hinge", "strap", "adapter", "manual", "lens", "zipper",
    "filter", "gasket", "valve",
];
const FAULTS: [&str; 14] = [
    "broken",
    "damaged",
    "missing",
    "slow",
    "scratched",
    "loose",
    "empty",
    "noisy",
    "frozen",
    "cracked",
    "leaking",
    "mislabelled",
    "corroded",
    "warped",
];
const FEATURES: [&str; 14] = [
    "settings",
    "the dashboard",
    "billing",
    "notifications",
    "calendar sync",
    "dark mode",
    "export",
    "two factor login",
    "voice control",
    "offline maps",
    "parental controls",
    "screen sharing",
    "invoice templates",
    "webhooks",
];
const PLANS: [&str; 5] = ["basic", "family", "business", "student", "enterprise"];
const CARRIERS: [&str; 6] = ["Northpost", "Swiftline", "Parcelo", "Bluevan", "Cargonaut", "Pigeonix"];
const COLORS: [&str; 10] =
    ["black", "white", "blue", "red", "green", "grey", "yellow", "purple", "turquoise", "maroon"];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Friday", "Thursday", "Wednesday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "March",
    "May",
    "June",
    "July",
    "April",
    "August",
    "September",
    "October",
    "November",
    "December",
    "January",
    "February",
];
const CITIES: [&str; 24] = [
    "Berlin", "London", "Paris", "Madrid", "Vienna", "Lisbon", "Dublin", "Prague", "Oslo", "Warsaw",
    "Athens", "Helsinki", "Toronto", "Denver", "Osaka", "Nairobi", "Lima", "Quito", "Perth", "Bergen",
    "Tartu", "Ghent", "Graz", "Split",
];
const FIRST_SYLLABLES: [&str; 18] = [
    "Kar", "Mel", "Tor", "Ban", "Sel", "Vin", "Dor", "Hal", "Ros", "Win", "Gar", "Lin", "Par", "Fen", "Nor",
    "Wes", "Cal", "Bru",
];
const MIDDLE_SYLLABLES: [&str; 16] =
    ["a", "en", "i", "os", "ing", "el", "ar", "um", "eri", "ov", "and", "ist", "or", "ath", "usk", "em"];
const LAST_SYLLABLES: [&str; 16] = [
    "son", "ford", "berg", "ton", "ski", "well", "dale", "man", "ley", "sen", "worth", "ini", "escu",
    "quist", "bach", "vic",
];
/// Words that many turns hold.
const COMMON: [&str; 12] = [
    "order",
    "refund",
    "account",
    "invoice",
    "password",
    "subscription",
    "warranty",
    "payment",
    "delivery",
    "package",
    "serial",
    "discount",
];
/// What people put before what they look for; always shorter than a query.
const STOP_WORDS: [&str; 10] =
    ["where is my", "how do i", "the", "for", "with the", "is", "what about", "to", "my", "when will"];
const MOST_QUERY_WORDS: u64 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Agent,
}

/// One turn: one to three sentences.
pub(crate) fn turn(random: &mut Random, speaker: Speaker) -> String {
    let sentences: &[&str] = match speaker {
        Speaker::User => &USER,
        Speaker::Agent => &AGENT,
    };
    let mut text = String::with_capacity(240);
    for number in 0..=random.below(3) {
        if number > 0 {
            text.push(' ');
        }
        fill(&mut text, random.favour(sentences), random);
    }
    text
}

/// One to four words to search for: common and rare ones, every third time behind stop words.
pub(crate) fn query(random: &mut Random) -> String {
    let opening = if random.one_in(3) { random.pick(&STOP_WORDS) } else { "" };
    let mut words: Vec<String> = opening.split_ascii_whitespace().map(str::to_owned).collect();
    let room = MOST_QUERY_WORDS.saturating_sub(words.len() as u64);
    for _ in 0..=random.below(room) {
        words.push(search_word(random));
    }
    words.join(" ")
}

fn search_word(random: &mut Random) -> String {
    match random.below(10) {
        0..4 => random.favour(&COMMON).to_owned(),
        4..6 => random.favour(&PRODUCTS).to_owned(),
        6 => random.favour(&FAULTS).to_owned(),
        7 => random.favour(&CITIES).to_owned(),
        8 => slot("surname", random),
        _ => slot("order", random),
    }
}

/// Replaces `{names}` by words.
fn fill(text: &mut String, template: &str, random: &mut Random) {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (name, behind) = after.split_once('}').unwrap_or((after, ""));
        text.push_str(&slot(name, random));
        rest = behind;
    }
    text.push_str(rest);
}

fn slot(name: &str, random: &mut Random) -> String {
    let words: &[&str] = match name {
        "product" => &PRODUCTS,
        "part" => &PARTS,
        "fault" => &FAULTS,
        "feature" => &FEATURES,
        "plan" => &PLANS,
        "carrier" => &CARRIERS,
        "color" => &COLORS,
        "day" => &DAYS,
        "month" => &MONTHS,
        "city" => &CITIES,
        "surname" => return surname(random),
        "amount" => return format!("{}", 5 + random.below(495)),
        "order" => return format!("{}", 100_000 + random.below(900_000)),
        "serial" => return format!("sn{:05x}", random.below(1 << 20)),
        _ => return format!("E{}", 100 + random.below(400)),
    };
    random.favour(words).to_owned()
}

fn surname(random: &mut Random) -> String {
    let (first, middle) = (random.pick(&FIRST_SYLLABLES), random.pick(&MIDDLE_SYLLABLES));
    format!("{first}{middle}{}", random.pick(&LAST_SYLLABLES))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_slot_of_every_sentence_is_filled() {
        for template in USER.iter().chain(&AGENT) {
            let mut text = String::new();
            fill(&mut text, template, &mut Random::stream(1, 1));
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }

    #[test]
    fn turns_differ_and_come_again_from_the_same_seed() {
        let turns = |seed| -> Vec<String> {
            (0..1_000).map(|index| turn(&mut Random::stream(seed, index), Speaker::User)).collect()
        };
        assert_eq!(turns(1), turns(1));
        let different: HashSet<String> = turns(1).into_iter().collect();
        assert!(different.len() > 950, "{}", different.len());
    }

    #[test]
    fn queries_have_one_to_four_words() {
        let lengths: HashSet<usize> =
            (0..1_000).map(|index| query(&mut Random::stream(3, index)).split(' ').count()).collect();
        assert_eq!(lengths, HashSet::from([1, 2, 3, 4]));
    }
}
