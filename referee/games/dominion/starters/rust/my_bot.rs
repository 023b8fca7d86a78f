// A bot for Dominion that buys provinces, gold and silver. README.md says how to play it.

use std::collections::HashMap;
use std::io::stdin;

const NAME: &str = "My Bot";
const COSTS: [(&str, u32); 3] = [("province", 8), ("gold", 6), ("silver", 3)]; // best first

fn worth(card: &str) -> u32 {
    match card {
        "copper" => 1,
        "silver" => 2,
        "gold" => 3,
        _ => 0,
    }
}

/// Card -> how many are left.
type Supply = HashMap<String, u32>;

/// The cards to buy: one at most.
fn choose(money: u32, supply: &Supply) -> Vec<&'static str> {
    for (card, cost) in COSTS {
        if cost <= money && supply.get(card) > Some(&0) {
            return vec![card];
        }
    }
    vec![]
}

/// Your turn: play a card, buy, or end the turn. You are asked until you end it.
fn play_turn(turn: &str, supply: &Supply) -> String {
    if number(turn, "buys") == 0 {
        return r#"{"type":"play-reply","phase":"cleanup"}"#.to_string();
    }
    let hand = cards(turn, "hand");
    let treasures: Vec<&str> = hand.into_iter().filter(|card| worth(card) > 0).collect();
    let mut money = number(turn, "extra_money");
    for card in &treasures {
        money += worth(card);
    }
    format!(
        r#"{{"type":"play-reply","phase":"buy","played_treasures":{:?},"cards_to_buy":{:?}}}"#,
        treasures,
        choose(money, supply)
    )
}

/// Another player's militia: discard so many cards of your hand.
fn discard(mut options: Vec<&str>, count: usize) -> String {
    options.truncate(count);
    format!(r#"{{"type":"attack-reply","discard":{options:?}}}"#)
}

fn main() {
    let mut supply = Supply::new();
    let mut message = String::new();
    // A line that is cut off in the middle is no message: the referee is gone.
    while stdin().read_line(&mut message).is_ok() && message.ends_with('\n') {
        match text(field(&message, "type")) {
            // A match begins; it may not be the first.
            "player-name-request" => println!(
                r#"{{"type":"player-name-reply","player_number":{},"name":{:?},"version":1,"keep_alive":true}}"#,
                field(&message, "player_number"),
                NAME
            ),
            "supply-info" => {
                for pile in parts(field(&message, "cards")) {
                    supply.insert(text(field(pile, "card")).to_string(), number(pile, "count"));
                }
            }
            "play-turn" => println!("{}", play_turn(&message, &supply)),
            "attack-request" => {
                let count = number(&message, "discard") as usize;
                println!("{}", discard(cards(&message, "options"), count));
            }
            _ => {} // news about the game, or newer than this bot: not an error
        }
        message.clear();
    }
}

// Rust comes without JSON. This reads what the referee sends: compact, one object a line.
// If you use a library instead, such as serde_json, all that follows can go.

/// The members of an object, or the entries of a list, each as JSON.
fn parts(json: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 1);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false, // whatever it is, it ends no string
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth -= 1,
            _ => {}
        }
        if !quoted && (depth == 0 || depth == 1 && byte == b',') {
            if at > start {
                parts.push(&json[start..at]);
            }
            start = at + 1;
        }
    }
    parts
}

/// A field's value as JSON; empty if it is missing.
fn field<'a>(object: &'a str, name: &str) -> &'a str {
    let start = format!("\"{name}\":");
    let found = parts(object)
        .into_iter()
        .find_map(|part| part.strip_prefix(&start));
    found.unwrap_or("")
}

fn text(json: &str) -> &str {
    json.trim_matches('"') // types and cards have no escapes
}

fn number(object: &str, name: &str) -> u32 {
    field(object, name).parse().unwrap_or(0)
}

fn cards<'a>(object: &'a str, name: &str) -> Vec<&'a str> {
    parts(field(object, name)).into_iter().map(text).collect()
}
