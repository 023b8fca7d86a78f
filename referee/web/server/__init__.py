"""Serve folders of records and stores of tournaments to browsers.

library.py      the files: records, spectator logs, stores; the index of matches
matches.py      data of records and logs, cached
live.py         streams of matches in progress and of changing standings
tournaments.py  reports on stores, cached
turns.py        limits concurrent reads, so that slow pages do not block others
app.py          the routes
seat.py         human players: their seats, and the requests of their pages
games.py        games that visitors start
guard.py        checks requests, and sets security headers
listen.py       runs the application on hypercorn
"""
