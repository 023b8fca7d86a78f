"""The thirty mistakes of beginners: how each changes a correct bot, and how we recognise its cause.

To write the correct bots, `right_bot.py` and `right_bot.js`, we only used the README and the
protocol. A mistake replaces some of their text, so it's the only mistake in the bot.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

HERE = Path(__file__).parent
# Pairs of a text in the correct bot and its replacement. All occurrences are replaced.
Changes: TypeAlias = Sequence[tuple[str, str]]

# A placeholder for a time that's longer than the time limit.
SECONDS = "{seconds}"
NO_FLUSH = "flush"
STREAM = "(stderr|standard error|standard output|stdout)"


class Language(NamedTuple):
    """A programming language in which we have a correct bot.

    Attributes:
        right: the file of the correct bot.
        file: the name that a beginner gives it.
        bot: the BOT argument for this file.
    """

    right: Path
    file: str
    bot: str


LANGUAGES = {
    "python": Language(HERE / "right_bot.py", "my_bot.py", "./my_bot.py"),
    "node": Language(HERE / "right_bot.js", "my_bot.js", "node my_bot.js"),
}


class Mistake(NamedTuple):
    """One mistake.

    Attributes:
        number: 1 to 30; 0 is a bot without mistakes.
        what: the description of the mistake.
        changes: by language; without an entry, the mistake does not exist in a language.
        says: a regular expression for words that name the cause for a beginner. In the text that it
            matches, white space is one space, and lines are not wrapped.
        misleads: a regular expression for misleading words, which must be absent.
        form: distinguishes mistakes with the same number.
        opponent: the bot in seat 1.
    """

    number: int
    what: str
    changes: dict[str, Changes]
    says: str
    form: str = ""
    misleads: str = ""
    opponent: str = "big_money"

    @property
    def name(self) -> str:
        return f"{self.number}{self.form}"


def together(first: str, second: str, gap: int = 150) -> str:
    return f"(?:{first}).{{0,{gap}}}(?:{second})|(?:{second}).{{0,{gap}}}(?:{first})"


def source(mistake: Mistake, language: str, seconds: float) -> str:
    """Return the text of a bot with this mistake.

    Args:
        seconds: for a move that takes too long.

    Raises:
        ValueError: the correct bot does not contain a text to replace.
    """
    text = LANGUAGES[language].right.read_text()
    for old, new in mistake.changes[language]:
        if old not in text:
            raise ValueError(f"mistake {mistake.name}: {language} bot does not have {old!r}")
        text = text.replace(old, new.replace(SECONDS, f"{seconds:g}"))
    return text


# --- Parts of the correct bots that several mistakes change ---------------------------------------

PYTHON_LOOP = """\
    for line in sys.stdin:
        message = json.loads(line)
"""
PYTHON_HAND = """\
    hand = message["hand"]
"""
PYTHON_SEND = "print(json.dumps(reply), flush=True)"
PYTHON_ATTACK = """\
        elif kind == "attack-request":
            attacked(message)
"""
PYTHON_NOTHING_FITS = """\
        if best is None:
            break
"""
PYTHON_CLEANUP = """\
    if message["buys"] == 0:
        # nothing left to buy
        reply = {"type": "play-reply", "phase": "cleanup"}
        if message["cards_played"]:
            reply["top_discard"] = message["cards_played"][0]
        send(reply)
        return
"""
PYTHON_CHOOSE = """\
def choose_cards(money, buys):
    cards = []
"""
NODE_LOOP = """\
rl.on("line", (line) => {
  const message = JSON.parse(line);
"""
NODE_READLINE = "const rl = readline.createInterface({ input: process.stdin });\n"
NODE_HAND = """\
  const hand = message.hand;
"""
NODE_SEND = "console.log(JSON.stringify(reply));"
NODE_ATTACK = """\
  } else if (message.type === "attack-request") {
    attacked(message);
  }
"""
NODE_CLEANUP = """\
  if (message.buys === 0) {
    // nothing left to buy
    const reply = { type: "play-reply", phase: "cleanup" };
    if (message.cards_played.length > 0) {
      reply.top_discard = message.cards_played[0];
    }
    send(reply);
    return;
  }
"""
NODE_CHOOSE = """\
function chooseCards(money, buys) {
  const cards = [];
"""


def after(text: str, *lines: str) -> tuple[str, str]:
    return text, text + "".join(f"{line}\n" for line in lines)


RIGHT = Mistake(0, "none: the right bot", {"python": [], "node": []}, "")

MISTAKES = [
    Mistake(
        1,
        "a debug print in the turn",
        {
            "python": [after(PYTHON_HAND, '    print("my hand is", hand)')],
            "node": [after(NODE_HAND, '  console.log("my hand is", hand);')],
        },
        together("my hand is", STREAM),
    ),
    Mistake(
        2,
        "a banner at the start",
        {
            "python": [("    for line in", '    print("Big Money Bot 1.0")\n    for line in')],
            "node": [after(NODE_READLINE, 'console.log("Big Money Bot 1.0");')],
        },
        together(r"Big Money Bot 1\.0", STREAM),
    ),
    Mistake(
        3,
        "a print for every message",
        {
            "python": [after(PYTHON_LOOP, '        print("received:", message)')],
            "node": [after(NODE_LOOP, '  console.log("received:", message.type);')],
        },
        together("received:", STREAM),
    ),
    Mistake(
        4,
        "no flush",
        {
            "python": [(PYTHON_SEND, "print(json.dumps(reply))")],
            "node": [
                ("function send", 'let output = "";\n\nfunction send'),
                (NODE_SEND, 'output += JSON.stringify(reply) + "\\n";'),
                (NODE_LOOP, 'rl.on("close", () => process.stdout.write(output));\n\n' + NODE_LOOP),
            ],
        },
        NO_FLUSH,
    ),
    Mistake(
        5,
        "no line end",
        {
            "python": [
                (PYTHON_SEND, "sys.stdout.write(json.dumps(reply))\n    sys.stdout.flush()")
            ],
            "node": [(NODE_SEND, "process.stdout.write(JSON.stringify(reply));")],
        },
        r"line end|end of (the|its|a) line|newline|line break|\\n",
        misleads=NO_FLUSH,
    ),
    Mistake(
        6,
        "a crash at an unknown message",
        {
            "python": [
                after(
                    PYTHON_ATTACK,
                    "        elif kind not in NEWS:",
                    '            raise ValueError("unknown message " + kind)',
                ),
                (
                    "supply = {}\n",
                    'NEWS = ["player-name", "game-info", "player-played", '
                    '"player-top-discard", "game-end"]\n\nsupply = {}\n',
                ),
            ],
            "node": [
                (
                    NODE_ATTACK,
                    NODE_ATTACK[:-2]
                    + """\
} else if (!NEWS.includes(message.type)) {
    throw new Error("unknown message " + message.type);
  }
""",
                ),
                (
                    "const supply = {};\n",
                    'const NEWS = ["player-name", "game-info", "player-played", '
                    '"player-top-discard", "game-end"];\n\nconst supply = {};\n',
                ),
            ],
        },
        "Error: unknown message|ignores unknown message types",
    ),
    Mistake(
        7,
        "a crash late in the game",
        {
            "python": [
                after(
                    PYTHON_CHOOSE,
                    "    # duchies near the end",
                    '    if supply["province"] <= 4 and money >= COSTS["duchy"]:',
                    '        return ["duchy"]',
                )
            ],
            "node": [
                after(
                    NODE_CHOOSE,
                    "  // duchies near the end",
                    "  if (supply.province <= 4 && supply.piles.duchy > 0 && money >= 5) {",
                    '    return ["duchy"];',
                    "  }",
                )
            ],
        },
        r"KeyError: 'duchy'|TypeError: Cannot read properties of undefined \(reading 'duchy'\)",
    ),
    Mistake(
        8,
        "a syntax error",
        {
            "python": [("def choose_cards(money, buys):", "def choose_cards(money, buys)")],
            "node": [("if (best === null) break;", "if (best === null break;")],
        },
        "SyntaxError",
    ),
    Mistake(
        9,
        "a missing module",
        {
            "python": [("import json\n", "import simplejson as json\n")],
            "node": [('require("readline")', 'require("readline-sync")')],
        },
        "No module named 'simplejson'|Cannot find module 'readline-sync'",
        form="a",
    ),
    Mistake(
        9,
        "a missing import",
        {
            "python": [("import json\n", "")],
            "node": [('const readline = require("readline");\n', "")],
        },
        "name 'json' is not defined|readline is not defined",
        form="b",
    ),
    Mistake(
        10,
        "exit(0) in the middle",
        {
            "python": [
                after(
                    PYTHON_HAND,
                    '    if supply["province"] < 6:',
                    "        # the game is as good as over",
                    "        sys.exit(0)",
                )
            ],
            "node": [
                after(
                    NODE_HAND,
                    "  if (supply.province < 6) {",
                    "    // the game is as good as over",
                    "    process.exit(0);",
                    "  }",
                )
            ],
        },
        r"(exit|end)(s|ed)? .{0,60}\b(code|status) 0",
    ),
    Mistake(
        11,
        "buys too dear",
        {
            "python": [('"gold": 6', '"gold": 5')],
            "node": [("gold: 6", "gold: 5")],
        },
        "gold.{0,40}costs 6.{0,40}5",
    ),
    Mistake(
        12,
        "cards_to_buy misspelt",
        {
            "python": [('"cards_to_buy"', '"cards_bought"')],
            "node": [("cards_to_buy:", "cardsToBuy:")],
        },
        together(r"cards_bought|cardsToBuy", "cards_to_buy"),
    ),
    Mistake(
        13,
        "played_treasures misspelt",
        {
            "python": [('"played_treasures"', '"treasures_played"')],
            "node": [("played_treasures:", "playedTreasures:")],
        },
        together("treasures_played|playedTreasures", "played_treasures"),
    ),
    Mistake(
        14,
        "phase misspelt as a key",
        {
            "python": [('"phase"', '"turn_phase"')],
            "node": [("phase:", "Phase:")],
        },
        together(r"\bphase\b", r"missing|turn_phase|Phase\b", 60),
    ),
    Mistake(
        15,
        'phase "clean-up"',
        {
            "python": [('"cleanup"', '"clean-up"')],
            "node": [('"cleanup"', '"clean-up"')],
        },
        together("[\"'`]clean-up[\"'`]", r"\bcleanup\b"),
    ),
    Mistake(
        16,
        "wrong type in answer to play-turn",
        {
            "python": [('"play-reply"', '"play-turn-reply"')],
            "node": [('"play-reply"', '"play-turn-reply"')],
        },
        together("play-turn-reply", r"\bplay-reply"),
    ),
    Mistake(
        17,
        "a string where a list of cards belongs",
        {
            "python": [
                (
                    'choose_cards(money, message["buys"])',
                    '", ".join(choose_cards(money, message["buys"]))',
                )
            ],
            "node": [
                ("chooseCards(money, message.buys)", "chooseCards(money, message.buys).join()")
            ],
        },
        r"cards_to_buy\b.{0,80}\blist\b",
        form="a",
    ),
    Mistake(
        17,
        "objects where cards belong",
        {
            "python": [
                (
                    'choose_cards(money, message["buys"])',
                    '[{"card": card} for card in choose_cards(money, message["buys"])]',
                )
            ],
            "node": [
                (
                    "chooseCards(money, message.buys)",
                    "chooseCards(money, message.buys).map((card) => ({ card }))",
                )
            ],
        },
        r"cards_to_buy\b.{0,80}(\bobject\b|\bid\b|\bstring\b)",
        form="b",
    ),
    Mistake(
        18,
        "attack: discards what it should keep",
        {
            "python": [('cards[: message["discard"]]', 'cards[message["discard"] :]')],
            "node": [("cards.slice(0, message.discard)", "cards.slice(message.discard)")],
        },
        r"discards? .{0,40}\b(3|three)\b.{0,60}\b(2|two)\b",
        opponent="militia_money",
    ),
    Mistake(
        19,
        "attack: one card named twice, held once",
        {
            "python": [('cards[: message["discard"]]', 'cards[:1] * message["discard"]')],
            "node": [
                ("cards.slice(0, message.discard)", "Array(message.discard).fill(cards[0])"),
            ],
        },
        r"discards? .{0,80}(more often|\btwice\b|(?<!\()\b(2|two) times\b|\bonly one\b|\bonce\b)",
        opponent="militia_money",
    ),
    Mistake(
        20,
        "attack: wrong reply type",
        {
            "python": [('"attack-reply"', '"discard-reply"')],
            "node": [('"attack-reply"', '"discard-reply"')],
        },
        together("discard-reply", r"\battack-reply"),
        opponent="militia_money",
    ),
    Mistake(
        21,
        "attack: no answer",
        {
            "python": [(PYTHON_ATTACK, "")],
            "node": [(NODE_ATTACK, "  }\n")],
        },
        together("attack-request", "no reply|no answer|not answer|never answer|nothing", 100),
        misleads=NO_FLUSH,
        opponent="militia_money",
    ),
    Mistake(
        22,
        "an endless loop",
        {
            "python": [(PYTHON_NOTHING_FITS, PYTHON_NOTHING_FITS.replace("break", "continue"))],
            "node": [("if (best === null) break;", "if (best === null) continue;")],
        },
        r"\bCPU\b|\bbusy\b|\bloop\b|computing",
        misleads=NO_FLUSH,
    ),
    Mistake(
        23,
        "12 s a move",
        {
            "python": [
                ("import sys\n", "import random\nimport sys\nimport time\n"),
                after(
                    PYTHON_HAND,
                    "    # think ahead",
                    "    start = time.time()",
                    f"    while time.time() - start < {SECONDS}:",
                    "        random.shuffle(hand)",
                ),
            ],
            "node": [
                after(
                    NODE_HAND,
                    "  // think ahead",
                    "  const start = Date.now();",
                    f"  while (Date.now() - start < {SECONDS} * 1000) {{",
                    "    hand.sort(() => Math.random() - 0.5);",
                    "  }",
                )
            ],
        },
        r"\b(within|limit of|limit is|longer than|more than|in time)\b.{0,20}\d s\b",
        misleads=NO_FLUSH,
    ),
    Mistake(
        24,
        "input() and EOFError at the end",
        {
            "python": [
                (PYTHON_LOOP, "    while True:\n        message = json.loads(input())\n"),
                ("import sys\n", ""),
            ],
            "node": [
                (
                    NODE_LOOP,
                    """\
const lines = rl[Symbol.asyncIterator]();

async function main() {
  while (true) {
    const line = (await lines.next()).value;
    handle(JSON.parse(line));
  }
}

function handle(message) {
""",
                ),
                (
                    "    attacked(message);\n  }\n});\n",
                    "    attacked(message);\n  }\n}\n\nmain();\n",
                ),
            ],
        },
        r"EOFError|end of (the|its) input|input (has )?(ended|ends)|input is closed",
    ),
    Mistake(
        25,
        "pretty-printed JSON over several lines",
        {
            "python": [("json.dumps(reply)", "json.dumps(reply, indent=4)")],
            "node": [("JSON.stringify(reply)", "JSON.stringify(reply, null, 2)")],
        },
        r"\bone line\b|single line|several lines|more than one line",
        form="a",
        misleads="lone surrogate",
    ),
    Mistake(
        25,
        "console.log(object)",
        {"node": [(NODE_SEND, "console.log(reply);")]},
        r"\bone line\b|single line|several lines|JSON\.stringify|console\.log|\{ type:",
        form="b",
        misleads="lone surrogate",
    ),
    Mistake(
        26,
        "the language's own text of an object instead of JSON",
        {
            "python": [(PYTHON_SEND, "print(reply, flush=True)")],
            "node": [(NODE_SEND, 'process.stdout.write(reply + "\\n");')],
        },
        r"json\.dumps|\brepr\b|(single|double) quotes|\[object Object\]",
    ),
    Mistake(
        27,
        "a second buy instead of clean-up",
        {
            "python": [(PYTHON_CLEANUP, "")],
            "node": [(NODE_CLEANUP, "")],
        },
        together(r"\b(buy|buys)\b", r"\bcleanup\b|\bclean-up\b"),
    ),
    Mistake(
        28,
        '"player1" hard-coded',
        {
            "python": [('"player_number": me', '"player_number": "player1"')],
            "node": [("player_number: me", 'player_number: "player1"')],
        },
        r"player_number\b.{0,60}" + f"({together('player1', 'player[234]', 60)})"
        r"|player1\b.{0,40}\b(but|not)\b.{0,40}player[234]",
    ),
    Mistake(
        29,
        "answers news too",
        {
            "python": [after(PYTHON_ATTACK, "        else:", '            send({"type": "ok"})')],
            "node": [
                (NODE_ATTACK, NODE_ATTACK[:-2] + '} else {\n    send({ type: "ok" });\n  }\n')
            ],
        },
        r"nobody asked|not asked|unasked|no request|answers? (no )?news|was asked for|one behind",
        form="a",
    ),
    Mistake(
        29,
        "answers its turns twice",
        {
            "python": [
                ("            play_turn(message)\n", "            play_turn(message)\n" * 2),
            ],
            "node": [("    playTurn(message);\n", "    playTurn(message);\n" * 2)],
        },
        r"without a request|an extra line after the last request",
        form="b",
        # This line is about a later request.
        misleads=r"of the match, request \d+ a (buy|cleanup) reply with no",
    ),
    Mistake(
        30,
        "parameters for additional_parameters",
        {
            "python": [('"additional_parameters"', '"parameters"')],
            "node": [("additional_parameters:", "parameters:")],
        },
        together(r"(?<![\w-])parameters\b", "additional_parameters"),
        form="a",
    ),
    Mistake(
        30,
        "topdiscard for top_discard",
        {
            "python": [('"top_discard"', '"topdiscard"')],
            "node": [("reply.top_discard", "reply.topdiscard")],
        },
        together("topdiscard", "top_discard"),
        form="b",
    ),
]
