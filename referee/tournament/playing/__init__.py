"""Play the matches of a tournament.

batch.py        a batch: matches for one worker, as plain data
sent_game.py    an external game, sent to a worker
task.py         the function that a worker calls with a batch
worker.py       plays a batch, and keeps bots alive between matches
dispatcher.py   gives batches to workers; finds bots that kill them
witness.py      starts a trivial program, to see if the machine stands still
late_replies.py finds bots that were late at the same time
starting.py     starts each bot once before the first match
cluster.py      workers on other machines, with Dask
on_worker.py    the code that runs on these machines
directories.py  sends the folders of bots to these machines
live.py         the record of a match while it is played
records.py      the folder of records, which belongs to one tournament
forfeits.py     matches of withdrawn bots
run.py          plays the missing matches and stores the results
check.py        checks stored matches by replaying their records or playing again
"""
