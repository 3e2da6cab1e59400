"""The worker for tests, with a child and a process whose parent is gone. None of them heeds SIGTERM or SIGHUP."""

import os
import runpy
import signal
import time
from pathlib import Path

for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)


def sleep_apart():
    """Sleeps, without anything that the worker has open."""
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    time.sleep(600)
    os._exit(0)


if os.fork() == 0:
    sleep_apart()
middle = os.fork()
if middle == 0:
    if os.fork() == 0:
        sleep_apart()
    os._exit(0)
os.waitpid(middle, 0)

runpy.run_path(str(Path(__file__).with_name("worker.py")))
