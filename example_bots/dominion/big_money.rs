// Big Money in Rust: a template for a bot that only needs the standard library.
//
// Build: rustc -O big_money.rs    (Rust 1.63 or newer)
// Run:   referee play ./big_money big_money
//
// It makes the same decisions as big_money.py: it buys provinces, gold and silver, never actions.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

/// Cards to buy and their costs, best first.
const PRICES: [(&str, f64); 3] = [("province", 8.0), ("gold", 6.0), ("silver", 3.0)];

fn worth(card: &str) -> Option<f64> {
    match card {
        "copper" => Some(1.0),
        "silver" => Some(2.0),
        "gold" => Some(3.0),
        _ => None,
    }
}

/// If the bot is attacked, it discards cards with low numbers first.
fn keep(card: &str) -> u8 {
    match card {
        "curse" | "estate" | "duchy" | "province" => 0,
        "copper" => 1,
        "silver" => 3,
        "gold" => 4,
        _ => 2,
    }
}

#[derive(Default)]
struct Bot {
    supply: HashMap<String, f64>,
}

impl Bot {
    /// Handles one message. Returns the reply, or None if the message needs none.
    fn handle(&mut self, message: &Json) -> Option<String> {
        match message.text("type") {
            "player-name-request" => Some(format!(
                r#"{{"type":"player-name-reply","player_number":{},"name":"Big Money (Rust)","version":1,"keep_alive":true}}"#,
                quoted(message.text("player_number"))
            )),
            "supply-info" => {
                self.supply.clear();
                for pile in message.list("cards") {
                    self.supply.insert(pile.text("card").to_string(), pile.number("count"));
                }
                None
            }
            "play-turn" => Some(self.play_turn(message)),
            "attack-request" => Some(attack_reply(message)),
            _ => None, // news, or a type that is newer than this bot
        }
    }

    fn play_turn(&self, message: &Json) -> String {
        let buys = message.number("buys");
        if buys <= 0.0 {
            return r#"{"type":"play-reply","phase":"cleanup"}"#.to_string();
        }
        let mut money = message.number("extra_money");
        let mut treasures = Vec::new();
        for card in message.texts("hand") {
            if let Some(worth) = worth(card) {
                treasures.push(card);
                money += worth;
            }
        }
        format!(
            r#"{{"type":"play-reply","phase":"buy","played_treasures":{},"cards_to_buy":{}}}"#,
            quoted_list(&treasures),
            quoted_list(&self.choose_buys(money, buys))
        )
    }

    /// Returns the cards to buy. Each buy goes to the best card that is still affordable.
    fn choose_buys(&self, mut money: f64, mut buys: f64) -> Vec<&'static str> {
        let mut left = self.supply.clone();
        let mut bought = Vec::new();
        while buys > 0.0 {
            let affordable = |&&(card, cost): &&(&str, f64)| {
                cost <= money && left.get(card) > Some(&0.0)
            };
            let (card, cost) = match PRICES.iter().find(affordable) {
                Some(&best) => best,
                None => break,
            };
            bought.push(card);
            money -= cost;
            buys -= 1.0;
            *left.entry(card.to_string()).or_insert(0.0) -= 1.0;
        }
        bought
    }
}

fn attack_reply(message: &Json) -> String {
    let mut by_use = message.texts("options");
    by_use.sort_by_key(|card| keep(card)); // stable, so equal cards keep their order
    by_use.truncate(message.number("discard") as usize);
    format!(r#"{{"type":"attack-reply","discard":{}}}"#, quoted_list(&by_use))
}

fn quoted_list(cards: &[&str]) -> String {
    let items: Vec<String> = cards.iter().map(|card| quoted(card)).collect();
    format!("[{}]", items.join(","))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A JSON value. The parser accepts all of JSON, even if the bot does not use it.
enum Json {
    Other, // true, false and null
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Finds a member of an object. If a key is repeated, the last one counts.
    fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => {
                let found = members.iter().rev().find(|(name, _)| name == key);
                found.map(|(_, value)| value)
            }
            _ => None,
        }
    }

    fn text(&self, key: &str) -> &str {
        match self.get(key) {
            Some(Json::Text(text)) => text,
            _ => "",
        }
    }

    fn number(&self, key: &str) -> f64 {
        match self.get(key) {
            Some(Json::Number(number)) => *number,
            _ => 0.0,
        }
    }

    fn list(&self, key: &str) -> &[Json] {
        match self.get(key) {
            Some(Json::List(items)) => items,
            _ => &[],
        }
    }

    /// Returns the strings in a list, without its other items.
    fn texts(&self, key: &str) -> Vec<&str> {
        let mut texts = Vec::new();
        for item in self.list(key) {
            if let Json::Text(text) = item {
                texts.push(text.as_str());
            }
        }
        texts
    }
}

/// Deeper nesting is an error, because the parser is recursive and could overflow the stack.
const MAX_DEPTH: usize = 500;

/// A parser for one JSON text. Its functions return None if the text is not valid.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn read(bytes: &[u8]) -> Option<Json> {
        let mut reader = Reader { bytes, at: 0 };
        let value = reader.value(0)?;
        reader.skip_space();
        (reader.at == bytes.len()).then_some(value)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        self.skip_space();
        if self.peek()? != wanted {
            return None;
        }
        self.at += 1;
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' => self.string().map(Json::Text),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<Json> {
        if !self.bytes[self.at..].starts_with(word) {
            return None;
        }
        self.at += word.len();
        Some(Json::Other)
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        let mut members = Vec::new();
        self.take(b'{')?;
        if self.take(b'}').is_some() {
            return Some(Json::Object(members));
        }
        loop {
            self.skip_space();
            let key = self.string()?;
            self.take(b':')?;
            members.push((key, self.value(depth + 1)?));
            if self.take(b',').is_none() {
                self.take(b'}')?;
                return Some(Json::Object(members));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Json> {
        let mut items = Vec::new();
        self.take(b'[')?;
        if self.take(b']').is_some() {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b',').is_none() {
                self.take(b']')?;
                return Some(Json::List(items));
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return Some(String::from_utf8_lossy(&out).into_owned()),
                b'\\' => {
                    let c = self.escaped()?;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                0..=31 => return None,
                _ => out.push(byte),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b'"' | b'\\' | b'/' => Some(byte as char),
            b'b' => Some('\u{8}'),
            b'f' => Some('\u{c}'),
            b'n' => Some('\n'),
            b'r' => Some('\r'),
            b't' => Some('\t'),
            b'u' => self.unicode(),
            _ => None,
        }
    }

    fn unicode(&mut self) -> Option<char> {
        let mut code = self.hex()?;
        if (0xD800..0xDC00).contains(&code) && self.bytes[self.at..].starts_with(b"\\u") {
            let before = self.at;
            self.at += 2;
            match self.hex()? {
                low @ 0xDC00..=0xDFFF => code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00),
                _ => self.at = before, // the second escape is not part of a pair
            }
        }
        // Half of a surrogate pair is not a character.
        Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Option<u32> {
        let mut code = 0;
        for _ in 0..4 {
            code = code * 16 + (self.peek()? as char).to_digit(16)?;
            self.at += 1;
        }
        Some(code)
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
        text.parse().ok().map(Json::Number)
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}

fn main() {
    let mut bot = Bot::default();
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    // We read bytes, because `lines()` would end the game over one invalid UTF-8 character.
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).unwrap_or(0) > 0 {
        let message = Reader::read(&line).unwrap_or(Json::Other);
        line.clear();
        if let Some(reply) = bot.handle(&message) {
            // `println!` would panic if the referee is gone.
            if writeln!(output, "{reply}").and_then(|()| output.flush()).is_err() {
                break;
            }
        }
    }
}
