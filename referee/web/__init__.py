"""Matches and tournaments in a browser (spec/page.md).

steps.py     a match as the steps that a page shows; pure
recorded.py  a match record or a spectator log -> header, steps, lines
notebook.py  results as a notebook shows them
file.py      one HTML file of them that needs nothing else
server/      folders of records and stores of tournaments, served
frame/       what the browser loads: the match page without its game's drawing
"""
