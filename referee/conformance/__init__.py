"""Conformance of bots: what a bot does wrong, by section of the protocol.

case.py     a case, and the cases of spec/vectors
verdict.py  what was found: violations, results of cases, the report of a run
driver.py   trio: one case with the bot as a process, the other seats scripted or bots as well
suite.py    trio: all cases, side by side, and which of them can be judged
report.py   the report as text, JSON, JUnit XML and HTML
"""
