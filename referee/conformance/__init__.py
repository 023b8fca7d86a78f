"""Test bots and other referees: report their mistakes by section of the protocol.

case.py        a case, and the cases of a game; shared-cases.json has cases of all games
verdict.py     violations, results of cases, the report of a run
driver.py      trio: runs one case with the bot; other seats are scripted or bots
suite.py       trio: runs all cases in parallel and decides which can be judged
causes.py      groups failed cases by cause
text.py        the report as text
junit.py       the report as JUnit XML
page.py        the report as a page, from page.html
referee_side/  tests other referees
"""
