"""`packaging/run test`: the stages of a run, which of them run side by side, and what came of it.

A stage is one command with the processors it keeps busy and a time limit (`stage.py`). The
scheduler starts what fits on this machine (`scheduler.py`). Tests report through a plugin
(`recorder.py`), so that the run knows what failed, what may run a second time and what is slow
(`results.py`). `changed.py` chooses the tests that a change can break.
"""
