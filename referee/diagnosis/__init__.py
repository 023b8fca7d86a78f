"""What a bot's mistake most likely is, in words for its author. Pure; `play` and `conform` use it.

lines.py    a line that is no reply: what it is instead
fields.py   fields that a reply has and nobody reads, or that it lacks
silence.py  a reply that did not come: what the process was doing
ending.py   a process that ended: what its exit code and its stderr say
traces.py   a long stderr: the lines that its author needs

What is said here is a guess of a person's kind. It stands in reports alone: a record holds the
rules' own words, which never change with these.
"""
