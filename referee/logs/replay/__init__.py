"""A log for people (`referee replay`).

reader.py    a match record or a spectator log -> its start, turns, end
terminal.py  those as text
"""
