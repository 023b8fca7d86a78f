"""Matches and tournaments in a browser (spec/page.md).

data.py      the data of a match page
done.py      a viewer's knowledge of the actions in the current turn
steps.py     the steps of a match; no I/O
turned.py    finds the turning points of a match in the scores of its turns
recorded.py  converts a match record or a spectator log to the data of a page
notebook.py  results in a notebook
file.py      a self-contained HTML file with matches
site.py      a tournament as a folder of pages
pages/       pages with text and tables
server/      serves folders of records and stores of tournaments
frame/       the code of the match page in the browser, without the drawings of games
"""
