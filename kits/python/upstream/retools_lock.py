"""``retools.lock.Lock``, which says nothing when it is released. Leases are whole seconds."""

from __future__ import annotations

import time
import uuid

from lockstorm_worker import Capabilities, Contended, Grant, LockClient, serve
from lockstorm_worker.client import now_ns
from old_client import connect
from retools.lock import Lock, LockTimeout

RETRY_AFTER_S = 0.05


class RetoolsLock(LockClient):
    """A lock object for each acquisition, which tries once."""

    capabilities = Capabilities(ttl_granularity_ms=1000, waits=True)

    def __init__(self, environment):
        super().__init__(environment)
        self._redis = connect(environment)
        self._held = {}

    def acquire(self, key, ttl_ms, wait_ms):
        give_up_at = time.monotonic() + wait_ms / 1000
        while True:
            lock = Lock(key, expires=ttl_ms // 1000, timeout=0, redis=self._redis)
            sent_at_ns = now_ns()
            try:
                lock.__enter__()
                break
            except LockTimeout as error:
                if time.monotonic() >= give_up_at:
                    raise Contended(str(error)) from error
            time.sleep(RETRY_AFTER_S)
        owner = uuid.uuid4().hex
        self._held[owner] = lock
        return Grant(owner, ttl_ms, sent_at_ns)

    def release(self, key, owner):
        self._held.pop(owner).__exit__(None, None, None)
        raise RuntimeError("it does not say whether it was still held")


if __name__ == "__main__":
    serve(RetoolsLock)
