"""The matches of a tournament, played.

batch.py        a batch: matches for a worker, as plain data
sent_game.py    a game from outside, on its way to a worker
task.py         the function that a worker calls with a batch
worker.py       plays a batch, and keeps the bots that wait for another match
dispatcher.py   gives batches to workers; finds bots that kill them
starting.py     starts each bot once before the first match
cluster.py      workers on other machines, by Dask
on_worker.py    what runs there
directories.py  bots' directories, sent there
live.py         the record of a match while it is played
records.py      the folder of the records, which belongs to one tournament
forfeits.py     matches of bots that are withdrawn
run.py          what is missing is played, and comes into the store
check.py        matches of a store, run or played again
"""
