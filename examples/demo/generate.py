#!/usr/bin/env python3
"""Writes conversations.jsonl: the support desk of an invented shop for bicycles and parts.

Everything here was written for this project. A lesson is something that users teach the agent; each is told by several
people in their own words. Chatter teaches nothing and is there because most conversations do. The same script gives
the same file: nothing is random.
"""

import json
from pathlib import Path

VERSIONS = ["v2.0.0", "v2.1.0"]

PEOPLE = [
    ("ada", "I'm a bike courier, so my bike is my job."),
    ("ben", "I live in Utrecht and I ride to work every day."),
    ("chloe", "I'm a nurse and I work nights."),
    ("dmitri", "I prefer to be contacted by email."),
    ("elif", "I live in Izmir."),
    ("femke", "I prefer steel frames."),
    ("goran", "I'm a mechanic at a small workshop."),
    ("hana", "I don't have a car."),
    ("ivan", "I prefer evening deliveries."),
    ("jun", "I live on the fourth floor without a lift."),
    ("kofi", "I'm a teacher at a primary school."),
    ("lena", "I prefer to pay by invoice."),
    ("mateo", "I live in Seville."),
    ("nora", "I'm allergic to nickel."),
    ("oskar", "I'm training for a triathlon."),
    ("priya", "I'm a photographer."),
    ("quinn", "I work from home."),
    ("rosa", "I'm a student."),
    ("sven", "I prefer tubeless tyres."),
    ("tariq", "I live outside the city, the courier needs a gate code."),
    ("uma", "I have two small children."),
    ("viktor", "I'm a tour guide."),
    ("wen", "I prefer phone calls in the morning."),
    ("yara", "I ride a cargo bike."),
]

# What the user asks, what the agent answers at first, how the user corrects it, what the agent says then.
LESSONS = [
    {
        "source": "support_chat",
        "asks": [
            "I want a refund for a damaged parcel.",
            "I need a refund, my parcel came damaged.",
            "I want a refund for the damaged parcel that came today.",
            "I want my money back for a damaged parcel.",
            "I need a refund for a parcel that came damaged.",
            "How do I get a refund for a damaged parcel?",
        ],
        "agent": "I have started the refund for you, it takes five working days.",
        "corrections": [
            "You forgot to ask for a photo of the damaged parcel.",
            "You should have asked for a photo of the damaged parcel first.",
            "You forgot to ask for a photo of the damage.",
            "You should have asked for a photo of the damage before the refund.",
        ],
        "then": "You are right. Please send me a photo of the parcel and I will go on.",
    },
    {
        "source": "support_chat",
        "asks": [
            "I want to know where my order is.",
            "I need to know where my order is.",
            "I would like to know where my order is.",
            "I want to know when my order arrives.",
            "How do I find out where my order is?",
        ],
        "agent": "Orders usually arrive within three to five working days.",
        "corrections": [
            "You forgot to ask for my order number.",
            "You should have asked for my order number first.",
            "You forgot to ask for the order number.",
            "You should have asked for the order number.",
        ],
        "then": "Sorry about that. What is your order number?",
    },
    {
        "source": "workshop_chat",
        "asks": [
            "I need new brake pads for my bike.",
            "I want to buy brake pads for my bike.",
            "I need brake pads that fit my bike.",
            "I would like to order brake pads for my bike.",
            "I want new brake pads for my bike.",
        ],
        "agent": "The Grip 3 pads are our best seller, shall I add them to your basket?",
        "corrections": [
            "You forgot to ask for the model of the brake.",
            "You should have asked for the brake model first.",
            "You forgot to ask for the brake model.",
            "You should have asked for the model of the brake.",
        ],
        "then": "Of course. Which brake model is on your bike?",
    },
    {
        "source": "support_chat",
        "asks": [
            "I want to change the delivery address of my order.",
            "I need to change the delivery address.",
            "How do I change the delivery address of my order?",
            "I would like to change my delivery address.",
            "I need to change the delivery address of an order.",
        ],
        "agent": "I have changed the address.",
        "corrections": [
            "You forgot to confirm the new delivery address.",
            "You should have confirmed the new delivery address first.",
            "You forgot to confirm the new address.",
            "You should have confirmed the new address.",
        ],
        "then": "You are right: shall I deliver to the new address that you have just given?",
    },
    {
        "source": "support_chat",
        "asks": [
            "I want to know how the warranty on frames works.",
            "I need to know what the warranty on frames covers.",
            "How does the warranty on frames work?",
            "I would like to know how long the warranty on frames is.",
        ],
        "agent": "Our warranty is a comprehensive programme with many benefits for valued customers like you!",
        "corrections": [
            "Please keep it short.",
            "Keep your answers short, please.",
            "Please keep your answers short.",
            "Keep it short, please.",
        ],
        "then": "Five years on steel frames, two on carbon.",
    },
    {
        "source": "workshop_chat",
        "asks": [
            "I want to fix gears that skip.",
            "How do I fix gears that skip?",
            "I need to fix gears that skip under load.",
            "How do I fix skipping gears?",
        ],
        "agent": "Turn the barrel adjuster of the rear derailleur a quarter turn anticlockwise and shift through all gears.",
        "corrections": [
            "That fixed it, thank you!",
            "Great, that fixed it.",
            "That worked, thank you.",
            "That solved it, thanks.",
        ],
        "then": "Glad to hear it.",
    },
    {
        "source": "support_chat",
        "asks": [
            "I want to cancel my service plan.",
            "I need to cancel my service plan.",
            "How do I cancel the service plan?",
            "I would like to cancel the service plan.",
        ],
        "agent": "Before you go, may I offer you two months for free? You would also get a bottle!",
        "corrections": [
            "Please don't offer me discounts when I want to cancel.",
            "Don't offer me a discount when I want to cancel.",
            "Please don't offer a discount when I want to cancel.",
            "Don't offer discounts when I want to cancel.",
        ],
        "then": "Understood. The plan ends on the last day of this month, and there is nothing else to do.",
    },
    {
        "source": "workshop_chat",
        "asks": [
            "I want to book an inspection of my bike.",
            "I need to book an inspection for my bike.",
            "How do I book an inspection of my bike?",
            "I would like to book an inspection.",
        ],
        "agent": "Booked for Tuesday at nine!",
        "corrections": [
            "Please don't use exclamation marks.",
            "Stop using exclamation marks.",
            "Please stop using exclamation marks.",
            "Don't use exclamation marks, please.",
        ],
        "then": "Understood. Tuesday at nine is booked, and the inspection takes an hour.",
    },
]

# What the user asks, what was answered, what an expert would have said, and an alternative that was not shown.
EXPERT = [
    (
        "How do I return my order?",
        "Just send it back to us.",
        "Send it back within 30 days. Print the return label from your account first.",
        "Print the return label from your account first, then send it back within 30 days.",
    ),
    (
        "I want to return my order.",
        "You can return it by post.",
        "Send it back within 30 days. Print the return label from your account first.",
        "Send it back within 30 days, and print the return label from your account first.",
    ),
    (
        "I need to return an order.",
        "Our couriers take it back.",
        "Print the return label from your account first. Send it back within 30 days.",
        "Print the return label from your account first.",
    ),
    (
        "I would like to return my order.",
        "Send it back within 30 days.",
        "Send it back within 30 days. Print the return label from your account first.",
        "Our couriers take it back.",
    ),
]

# Ordinary conversations: they teach nothing.
CHATTER = [
    ("Are you open on Saturday?", "Yes, from ten to four.", "Good to know."),
    ("Do you sell gift cards?", "Yes, from 20 to 200 euros.", "Lovely."),
    ("How many spokes does the City 28 wheel have?", "Thirty-six.", "Thanks."),
    ("Is the blue rain jacket back in stock?", "Yes, in M and L.", "Great."),
    ("What does a chain cost?", "Between 15 and 40 euros.", "Okay."),
    ("Can I pay in the shop?", "Yes, by card or in cash.", "Thanks a lot."),
    ("Do you ship to Norway?", "Yes, in about six working days.", "Perfect."),
    ("Is there parking at the shop?", "There is a car park behind the building.", "Thank you."),
    ("Can I bring my dog into the shop?", "Dogs are welcome.", "Great, see you."),
    ("Which size is the medium frame?", "It fits people from 168 to 178 centimetres.", "That fits."),
    ("Do you have a newsletter?", "Yes, once a month.", "Fine."),
    ("When does the spring sale start?", "On the first of March.", "Thanks."),
]

ORDERS = iter(range(40117, 99999, 37))


def turn(role, content, **more):
    return {"role": role, "content": content, **more}


def requests():
    number = 0

    def request(person, version, source, turns):
        nonlocal number
        number += 1
        return {
            "request_id": f"demo-{number:03}",
            "session_id": f"demo-session-{number:03}",
            "user_id": person,
            "agent_version": version,
            "source": source,
            "interaction_data_list": turns,
        }

    people = [name for name, _ in PEOPLE]
    for index, (name, fact) in enumerate(PEOPLE):
        ask, answer, thanks = CHATTER[index % len(CHATTER)]
        turns = [turn("User", f"Hello! {fact} {ask}"), turn("Agent", answer), turn("User", thanks)]
        yield request(name, VERSIONS[index % 2], "support_chat", turns)
    for at, lesson in enumerate(LESSONS):
        for index in range(18 if at < 5 else 14):
            asks, corrections = lesson["asks"], lesson["corrections"]
            turns = [
                turn("User", asks[index % len(asks)]),
                turn("Agent", lesson["agent"]),
                turn("User", corrections[(index + index // len(asks)) % len(corrections)]),
                turn("Agent", lesson["then"]),
                turn("User", f"Thanks. My order is {next(ORDERS)}." if index % 3 == 0 else "Thank you."),
            ]
            person = people[(index * 5 + at * 3) % len(people)]
            yield request(person, VERSIONS[0 if index % 3 == 0 else 1], lesson["source"], turns)
    for index in range(20):
        ask, answer, expert, shadow = EXPERT[index % len(EXPERT)]
        turns = [
            turn("User", ask),
            turn("Agent", answer, expert_content=expert, shadow_content=shadow),
        ]
        yield request(people[(index * 7) % len(people)], VERSIONS[index % 2], "support_chat", turns)
    for index in range(100):
        ask, answer, thanks = CHATTER[(index * 5 + index // 12) % len(CHATTER)]
        turns = [turn("User", ask), turn("Agent", answer), turn("User", thanks)]
        yield request(people[(index * 11) % len(people)], VERSIONS[index % 2], "support_chat", turns)


def main():
    lines = [json.dumps(request, ensure_ascii=False) for request in requests()]
    Path(__file__).with_name("conversations.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} conversations")


if __name__ == "__main__":
    main()
