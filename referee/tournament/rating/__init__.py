"""Computes ratings, and how certain they are.

These are pure functions of numpy arrays, without any I/O.

deals.py      results as arrays of numbers
intervals.py  confidence intervals of shares
tallies.py    wins, draws and losses, head-to-head results, advantage of seats
ratings.py    ratings with confidence intervals over deals
sprt.py       the sequential test of two bots
"""
