"""Checks a spectator log of Dominion.

explanation.py  searches for courses of a turn that explain its messages
checker.py      the whole log, message by message
"""
