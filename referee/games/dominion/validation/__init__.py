"""Checks a spectator log of Dominion.

reading.py      what a spectator knows of a game in the middle of it
explanation.py  is there a course of a turn that sends its messages?
checker.py      the whole log, message by message
"""
