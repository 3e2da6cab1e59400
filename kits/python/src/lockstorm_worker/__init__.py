"""Write a lock in Python as a worker of lockstorm.

A worker is a program that holds a lock for lockstorm, which runs several of them at a time, injects faults, and judges what they
answered. Subclass ``LockClient``, and call ``serve`` with it::

    from lockstorm_worker import Grant, LockClient, serve

    class MyLock(LockClient):
        def acquire(self, key, ttl_ms, wait_ms): ...
        def release(self, key, owner): ...

    if __name__ == "__main__":
        serve(MyLock)
"""

from .client import Capabilities, Contended, Environment, Failed, Grant, Indeterminate, LockClient
from .serving import serve

__all__ = [
    "Capabilities",
    "Contended",
    "Environment",
    "Failed",
    "Grant",
    "Indeterminate",
    "LockClient",
    "serve",
]
