"""Bots without programming: files of rules, as data (spec/rule-bots.md).

The language knows no game. A game gives its words, its `Vocabulary`, and what plays by scores.

source.py   JSON with the line and the path of each value and each mistake
reading.py  a file -> its sets of rules, or all its mistakes
scores.py   the score of a card by a file, in one decision
glossary.py a game's words, for people to look up
schema.py   the JSON Schema of a game's files
bot.py      a file as a bot
"""
