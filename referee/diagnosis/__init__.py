"""Explains a bot's mistakes to its author, for `play` and `conform`. Does no I/O.

author.py   the report that a bot's author gets after a match
reading.py  parse untrusted text without exceptions
lines.py    describe a line that is not a reply
fields.py   unread and missing fields of a reply
no_reply.py explain a missing reply by the activity of the process
ending.py   explain the exit of a process by its exit code and stderr

Explanations are guesses, and future versions may guess better. Therefore they only appear in
reports. A record contains the wording of the rules, which doesn't depend on this package.
"""
