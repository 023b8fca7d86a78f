"""Checks whether a spectator log of Dominion follows the rules.

explanation.py  explains the messages of a single turn
checker.py      checks the whole log, message by message
"""
