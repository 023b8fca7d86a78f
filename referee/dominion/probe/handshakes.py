"""Replies to a name request, by their names in a plan."""

from replies import encode


def legal_name(bot):
    return {
        "type": "player-name-reply",
        "player_number": bot.number,
        "name": bot.plan["name"],
        "version": 1,
    }


def changed(**changes):
    """A handshake with other fields; None takes one out."""

    def reply(bot):
        fields = {**legal_name(bot), **changes}
        return {name: value for name, value in fields.items() if value is not None}

    return reply


def long_name(bot):
    return {**legal_name(bot), "name": "\x07" + "N\u00e4me \U0001f0cf" * 40}


def side_by_side(bot):
    bot.await_other(b'"player-name-request"', 1)
    return legal_name(bot)


def wrong_number(bot):
    other = "player2" if bot.number == "player1" else "player1"
    return {**legal_name(bot), "player_number": other}


HANDSHAKES = {
    "": legal_name,
    "control": lambda bot: {**legal_name(bot), "name": "A\x00\tB\x1f\x7f\x9fC\n"},
    "long": long_name,
    "empty": lambda bot: {**legal_name(bot), "name": ""},
    "spaces": lambda bot: {**legal_name(bot), "name": "  two  words \u00a0 "},
    "json": lambda bot: b"Hello\n",
    "type": lambda bot: {**legal_name(bot), "type": "hello"},
    "no-name": changed(name=None),
    "bad-name": changed(name=7),
    "no-number": changed(player_number=None),
    "bad-number": wrong_number,
    "no-version": changed(version=None),
    "version-float": lambda bot: encode(legal_name(bot)).replace(b'"version":1', b'"version":1.0'),
    "version-2": changed(version=2, name=None),
    "version-string": changed(version="1"),
    "version-true": changed(version=True),
    "version-null": lambda bot: {**legal_name(bot), "version": None},
    "exit": lambda bot: bot.leave(),
    "side-by-side": side_by_side,
}
