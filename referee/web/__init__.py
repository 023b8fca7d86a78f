"""Matches and tournaments in a browser (spec/page.md).

data.py      what a page has of a match
done.py      what each viewer knows of the turn that is going on
steps.py     the steps of a match; pure
turned.py    how a match turned, from the scores of its turns
recorded.py  a match record or a spectator log -> header, steps, lines
notebook.py  results as a notebook shows them
file.py      one HTML file of them that needs nothing else
site.py      a tournament as a folder of pages
server/      folders of records and stores of tournaments, served
frame/       what the browser loads: the match page without its game's drawing
"""
