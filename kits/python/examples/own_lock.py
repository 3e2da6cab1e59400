"""A lock of your own: SET NX PX and a script that compares the owner, with redis-py, on one server."""

import time
import uuid

import redis
from lockstorm_worker import Capabilities, Contended, Grant, LockClient, serve

RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
RETRY_AFTER_S = 0.05


class OwnLock(LockClient):
    """Waits by trying again."""

    capabilities = Capabilities(waits=True)

    def __init__(self, environment):
        super().__init__(environment)
        # A command whose reply was lost must not be sent again.
        self.redis = redis.Redis(**environment.servers["address"], socket_timeout=1, retry=None)

    def acquire(self, key, ttl_ms, wait_ms):
        """Fresh owner, and the time before the request, for every try."""
        give_up_at = time.monotonic() + wait_ms / 1000
        while True:
            owner, sent_at_ns = uuid.uuid4().hex, time.monotonic_ns()
            if self.redis.set(key, owner, nx=True, px=ttl_ms):
                return Grant(owner, ttl_ms, sent_at_ns)
            if time.monotonic() >= give_up_at:
                raise Contended("another client holds the lock")
            time.sleep(RETRY_AFTER_S)

    def release(self, key, owner):
        """True if it was still this owner's."""
        return self.redis.eval(RELEASE, 1, key, owner) == 1


if __name__ == "__main__":
    serve(OwnLock)
