"""What a bot's mistake most likely is, in words for its author. Pure; `play` and `conform` use it.

author.py   all that there is to tell the author of a bot after a match
evidence.py what is kept of a match for that, while it is played
reading.py  reading what a stranger wrote, without exceptions
names.py    the known name that a misspelt one is nearest to
lines.py    a line that is no reply: what it is instead
fields.py   fields that a reply has and nobody reads, or that it lacks
silence.py  a reply that did not come: what the process was doing
ending.py   a process that ended: what its exit code and its stderr say

What is said here is a guess of a person's kind. It stands in reports alone: a record holds the
rules' own words, which never change with these.
"""
