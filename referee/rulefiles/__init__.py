"""Lets people write bots as data, without programming (spec/rule-bots.md).

The language of rule files doesn't know about any game. A game supplies its words, a `Vocabulary`,
and the code that plays by scores.

source.py   JSON with the line and path of each value
reading.py  parses a file into its sets of rules, or reports all its mistakes
scores.py   computes the scores of cards for a decision
glossary.py lists a game's words, for people
schema.py   the JSON Schema of a game's files
bot.py      a rule file as a bot
"""
