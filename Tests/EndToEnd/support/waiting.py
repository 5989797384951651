"""Waiting for something to become true, never for a time to pass."""

import time


def until(condition, what, seconds=5.0):
    """The first truthy value of `condition()`; fails with `what` when `seconds` pass without one."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.005)


class Stopwatch:
    """Measures a block: `with Stopwatch() as watch: ...` then `watch.seconds`."""

    def __enter__(self):
        self._start = time.monotonic()
        self.seconds = None
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self._start
