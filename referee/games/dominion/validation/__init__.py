"""Checks a spectator log of Dominion.

explanation.py  is there a course of a turn that sends its messages?
checker.py      the whole log, message by message
"""
