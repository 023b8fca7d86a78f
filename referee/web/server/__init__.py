"""Folders of records and stores of tournaments, in a browser.

library.py      what is there: records, spectator logs, stores; the index of matches
matches.py      what records and logs say, read once
live.py         matches that are being played, and standings that move, as streams
tournaments.py  what stores say, read once
turns.py        which request reads a file, so that none waits for a slow page of another file
links.py        the addresses that a page may link to: on a server, in a folder, or none in a file
pages.py        the pages as HTML and as JSON, by templates/; also those of files
charts.py       where the parts of charts are; drawn as SVG by templates/
app.py          the addresses
seat.py         people who play: their seats, what their pages are sent and answer
games.py        games that visitors begin
guard.py        who may ask, and what a browser may do with the answer
listen.py       the application on hypercorn
"""
