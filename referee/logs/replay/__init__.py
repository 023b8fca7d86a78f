"""Shows a log to people (`referee replay`).

reader.py    parses a match record or a spectator log into turns
terminal.py  formats turns as text
"""
