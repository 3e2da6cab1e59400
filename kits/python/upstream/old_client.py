"""A client of redis-py of any version, without retries, so that an answer is about the command that was sent."""

from __future__ import annotations

import redis

TIMEOUT_S = 3


def connect(environment):
    """A client of the one server."""
    return redis.StrictRedis(**environment.servers["address"], socket_timeout=TIMEOUT_S)
