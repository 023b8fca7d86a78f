"""Bots without programming: files of rules, as data (spec/rule-bots.md).

The language knows no game. A game gives its words, its `Vocabulary`, and what plays by scores.

source.py   JSON with the line and the path of each value, and of what is wrong
reading.py  a file -> its sets of rules, or all that is wrong with it
book.py     what a file says of a card, in one decision
words.py    a game's words, for people to look up
schema.py   the JSON Schema of a game's files
bot.py      a file as a bot
"""
