"""The most likely mistake of a bot, in words for its author. Pure; `play` and `conform` use it.

author.py   the report for the author of a bot after a match
evidence.py the evidence for it, collected during the match
reading.py  read the text of strangers, without exceptions
names.py    the known name that is closest to a misspelt one
lines.py    describe a line that is not a reply
fields.py   unread and missing fields of a reply
no_reply.py explain a missing reply by the activity of the process
ending.py   explain the end of a process by its exit code and its stderr

These texts are guesses, as a person would make them. They appear only in reports. A record has the
rules' own words, which never change with these.
"""
