"""The locks of redis-py, python-redis-lock, pottery, sherlock and walrus, against a server that does as it is told."""

import socketserver
import threading
import time

import pytest

pytest.importorskip("redis")
pytest.importorskip("redis_lock")
pytest.importorskip("pottery")
pytest.importorskip("sherlock")
pytest.importorskip("walrus")

from lockstorm_worker import Contended, Environment, Failed, Indeterminate  # noqa: E402
from own_lock import OwnLock  # noqa: E402
from pottery_redlock import PotteryRedlock  # noqa: E402
from python_redis_lock import PythonRedisLock  # noqa: E402
from redis.backoff import ExponentialWithJitterBackoff  # noqa: E402
from redis_py import RedisPyLock  # noqa: E402
from redis_py_asyncio import RedisPyAsyncioLock  # noqa: E402
from sherlock_redis import SherlockLock  # noqa: E402
from walrus_lock import WalrusLock  # noqa: E402


class Server(socketserver.ThreadingTCPServer):
    """Answers SET from ``sets``, in order: a reply, or None, after which it breaks the connection. Scripts have ``scripts`` likewise,
    and ``any_script`` when these are used up."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.sets = []
        self.scripts = []
        self.any_script = None
        self.seen = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def reply_to(self, words):
        """The reply to a command."""
        name = words[0].upper()
        self.seen.append(words)
        if name == b"SET":
            return self.sets.pop(0)
        if name in (b"EVALSHA", b"EVAL"):
            return self.scripts.pop(0) if self.scripts else self.any_script
        if name == b"HELLO":
            return b"%1\r\n$5\r\nproto\r\n:3\r\n"
        return b"_\r\n" if name == b"GET" else b"+OK\r\n"


class Handler(socketserver.StreamRequestHandler):
    """One connection."""

    def handle(self):
        while True:
            header = self.rfile.readline()
            if not header:
                return
            words = []
            for _ in range(int(header[1:])):
                size = int(self.rfile.readline()[1:])
                words.append(self.rfile.read(size + 2)[:-2])
            reply = self.server.reply_to(words)
            if reply is None:
                return
            self.wfile.write(reply)


@pytest.fixture
def server():
    with Server() as running:
        yield running
        running.shutdown()


@pytest.fixture(autouse=True)
def no_pause_between_attempts(monkeypatch):
    monkeypatch.setattr(ExponentialWithJitterBackoff, "compute", lambda *_: 0)


@pytest.fixture(params=[RedisPyLock, RedisPyAsyncioLock, PythonRedisLock])
def client(server, request):
    host, port = server.server_address
    servers = {"kind": "single", "address": {"host": host, "port": port}}
    connected = request.param(Environment("client-0", servers, print, 0))
    yield connected
    connected.close()


HELD = b"_\r\n"
FREE = b"+OK\r\n"


def test_grants_contends_and_releases(server, client):
    server.sets = [FREE, HELD]
    grant = client.acquire("k", 2000, 0)
    assert grant.valid_for_ms == 2000
    with pytest.raises(Contended):
        client.acquire("k", 2000, 0)
    server.scripts = [b":0\r\n" if isinstance(client, PythonRedisLock) else b":1\r\n"]
    assert client.release("k", grant.owner) is True


def test_a_refusal_after_a_lost_reply_is_indeterminate(server, client):
    server.sets = [None, HELD]
    with pytest.raises(Indeterminate):
        client.acquire("k", 2000, 0)


def test_a_release_that_is_refused_is_certain_unless_it_was_sent_again(server, client):
    refusal = b":1\r\n" if isinstance(client, PythonRedisLock) else b":0\r\n"
    server.sets = [FREE, FREE]
    first, second = client.acquire("k", 2000, 0), client.acquire("k", 2000, 0)
    server.scripts = [refusal, None, refusal]
    assert client.release("k", first.owner) is False
    with pytest.raises(Indeterminate):
        client.release("k", second.owner)


def test_the_example_grants_contends_and_releases(server):
    host, port = server.server_address
    servers = {"kind": "single", "address": {"host": host, "port": port}}
    client = OwnLock(Environment("client-0", servers, print, 0))
    server.sets = [FREE, HELD]
    grant = client.acquire("k", 900, 0)
    assert grant.valid_for_ms == 900
    with pytest.raises(Contended):
        client.acquire("k", 900, 0)
    server.scripts = [b":1\r\n", b":0\r\n"]
    assert [client.release("k", grant.owner), client.release("k", grant.owner)] == [True, False]


def test_python_redis_lock_has_whole_seconds(server):
    host, port = server.server_address
    servers = {"kind": "single", "address": {"host": host, "port": port}}
    client = PythonRedisLock(Environment("client-0", servers, print, 0))
    server.sets = [FREE]
    assert client.acquire("k", 2900, 0).valid_for_ms == 2000
    with pytest.raises(Failed):
        client.acquire("k", 900, 0)


@pytest.fixture
def redlock(server):
    host, port = server.server_address
    address = {"host": host, "port": port}
    connected = PotteryRedlock(Environment("client-0", {"kind": "redlock", "nodes": [address] * 3}, print, 0))
    yield connected
    connected.close()


def test_pottery_counts_on_what_is_left_after_drift_from_before_it_asked(server, redlock):
    server.sets = [FREE] * 3
    before = time.monotonic_ns()
    grant = redlock.acquire("k", 2000, 0)
    assert grant.valid_for_ms == 1978
    assert before <= grant.sent_at_ns <= time.monotonic_ns()
    server.any_script = b":1\r\n"
    assert redlock.release("k", grant.owner) is True


def test_pottery_is_contended_where_a_majority_says_so(server, redlock):
    server.sets, server.any_script = [HELD] * 3, b":0\r\n"
    with pytest.raises(Contended):
        redlock.acquire("k", 2000, 0)


def test_pottery_does_not_know_where_the_refusals_are_too_few(server, redlock):
    server.sets, server.any_script = [b"-OOM\r\n", b"-OOM\r\n", HELD], b":0\r\n"
    with pytest.raises(Indeterminate):
        redlock.acquire("k", 2000, 0)


def test_pottery_extends_three_times_and_says_when_its_lease_is_gone(server, redlock):
    server.sets = [FREE] * 3
    grant = redlock.acquire("k", 2000, 0)
    server.any_script = b":1\r\n"
    for _ in range(3):
        assert redlock.extend("k", grant.owner, 500).valid_for_ms == 1978
    with pytest.raises(Failed):
        redlock.extend("k", grant.owner, 500)
    server.any_script = b":0\r\n"
    assert redlock.release("k", grant.owner) is False


@pytest.fixture(params=[SherlockLock, WalrusLock])
def scripted(server, request):
    host, port = server.server_address
    servers = {"kind": "single", "address": {"host": host, "port": port}}
    connected = request.param(Environment("client-0", servers, print, 0))
    yield connected
    connected.close()


YES = b":1\r\n"
NO = b":0\r\n"


def test_locks_that_are_taken_by_scripts_grant_contend_and_release(server, scripted):
    server.scripts = [YES, NO, YES]
    before = time.monotonic_ns()
    grant = scripted.acquire("k", 2000, 0)
    assert grant.valid_for_ms == 2000
    assert before <= grant.sent_at_ns <= time.monotonic_ns()
    with pytest.raises(Contended):
        scripted.acquire("k", 2000, 0)
    assert scripted.release("k", grant.owner) is True


def test_they_wait_by_trying_again_and_the_lease_counts_from_the_try_that_took_it(server, scripted):
    server.scripts = [NO, NO, YES]
    before = time.monotonic_ns()
    assert scripted.acquire("k", 2000, 5000).sent_at_ns >= before + 100_000_000


def test_a_refusal_of_theirs_after_a_lost_reply_is_indeterminate(server, scripted):
    server.scripts = [None, NO]
    with pytest.raises(Indeterminate):
        scripted.acquire("k", 2000, 0)


def test_a_release_of_theirs_that_is_refused_is_certain_unless_it_was_sent_again(server, scripted):
    # A lock of sherlock that could not be released tries again when it is collected.
    collected = [NO] if isinstance(scripted, SherlockLock) else []
    server.scripts, server.any_script = [YES, YES, NO, *collected, None, NO], NO
    first, second = scripted.acquire("k", 2000, 0), scripted.acquire("k", 2000, 0)
    assert scripted.release("k", first.owner) is False
    with pytest.raises(Indeterminate):
        scripted.release("k", second.owner)


def test_sherlock_has_whole_seconds_and_renews(server):
    host, port = server.server_address
    servers = {"kind": "single", "address": {"host": host, "port": port}}
    client = SherlockLock(Environment("client-0", servers, print, 0))
    with pytest.raises(Failed):
        client.acquire("k", 900, 0)
    server.scripts = [YES, YES, NO]
    grant = client.acquire("k", 2900, 0)
    assert grant.valid_for_ms == 2000
    assert client.extend("k", grant.owner, 2900).valid_for_ms == 2000
    with pytest.raises(Contended):
        client.extend("k", grant.owner, 2900)
