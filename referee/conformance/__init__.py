"""Conformance of bots and of other referees: their mistakes, by section of the protocol.

case.py        a case, and the cases of a game; shared-cases.json has those of every game
verdict.py     violations, results of cases, the report of a run
driver.py      trio: one case with the bot, the other seats scripted or bots as well
suite.py       trio: all cases, side by side, and which of them can be judged
causes.py      failed cases, grouped by cause
text.py        the report as text
junit.py       the report as JUnit XML
page.py        the report as a page, by page.html
referee_side/  other referees: matches with probes, and their deviations
"""
