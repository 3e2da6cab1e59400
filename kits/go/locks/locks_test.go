package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/lockstorm/lockstorm/kits/go/worker"
)

const (
	ok      = "+OK\r\n"
	null    = "_\r\n"
	one     = ":1\r\n"
	zero    = ":0\r\n"
	gone    = ":-1\r\n"
	ttl     = time.Second
	waiting = 600 * time.Millisecond
)

// client is a client of the named lock on these servers.
func client(t *testing.T, name string, servers ...*server) worker.Client {
	t.Helper()
	places := worker.Servers{Kind: "single", Address: servers[0].address}
	if len(servers) > 1 {
		places = worker.Servers{Kind: "redlock"}
		for _, server := range servers {
			places.Nodes = append(places.Nodes, server.address)
		}
	}
	connected, err := locks[name].connect(worker.Environment{Client: "client-1", Servers: places})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connected.(io.Closer).Close() })
	return connected
}

func acquired(t *testing.T, client worker.Client, wait time.Duration) worker.Grant {
	t.Helper()
	grant, err := client.Acquire(t.Context(), "k", ttl, wait)
	if err != nil {
		t.Fatal(err)
	}
	return grant
}

func refused(t *testing.T, client worker.Client, certainly bool) {
	t.Helper()
	if _, err := client.Acquire(t.Context(), "k", ttl, 0); err == nil || errors.Is(err, worker.ErrContended) != certainly {
		t.Errorf("got %v, which is to be certain: %v", err, certainly)
	}
}

// What each library's server answers.
var dialects = map[string]struct{ granted, taken, done, notHeld string }{
	"redsync":   {granted: ok, taken: null, done: one, notHeld: gone},
	"redislock": {granted: ok, taken: null, done: ok, notHeld: null},
}

func eachLibrary(t *testing.T, test func(t *testing.T, name string)) {
	for name := range dialects {
		t.Run(name, func(t *testing.T) { test(t, name) })
	}
}

func TestGrantsExtendsAndReleases(t *testing.T) {
	eachLibrary(t, func(t *testing.T, name string) {
		says := dialects[name]
		client := client(t, name, listen(t, says.granted, says.done, says.done, says.notHeld))
		before := worker.Now()
		grant := acquired(t, client, 0)
		if grant.Owner == "" || grant.SentAt < before || grant.SentAt > worker.Now() {
			t.Errorf("granted %+v", grant)
		}
		if grant.ValidFor > ttl || grant.ValidFor < ttl-ttl/50 {
			t.Errorf("the lease is %v", grant.ValidFor)
		}
		extended, err := client.(worker.Extender).Extend(t.Context(), "k", grant.Owner, ttl)
		if err != nil || extended.Owner != grant.Owner || extended.SentAt <= grant.SentAt {
			t.Errorf("extended %+v: %v", extended, err)
		}
		if released, err := client.Release(t.Context(), "k", grant.Owner); !released || err != nil {
			t.Errorf("released: %v, %v", released, err)
		}
	})
}

func TestEachAcquisitionHasAnOwnerOfItsOwn(t *testing.T) {
	for name := range locks {
		t.Run(name, func(t *testing.T) {
			first, second := client(t, name, listen(t, ok, ok)), client(t, name, listen(t, ok))
			owners := map[string]bool{}
			for _, client := range []worker.Client{first, first, second} {
				owners[acquired(t, client, 0).Owner] = true
			}
			if len(owners) != 3 || owners[""] {
				t.Errorf("owners %v", owners)
			}
		})
	}
}

func TestALeaseThatWasWaitedForCountsFromTheTryThatSucceeded(t *testing.T) {
	eachLibrary(t, func(t *testing.T, name string) {
		says := dialects[name]
		refusals := map[string][]string{"redsync": {says.taken, zero}, "redislock": {says.taken}}[name]
		client := client(t, name, listen(t, append(refusals, says.granted)...))
		before := worker.Now()
		grant := acquired(t, client, waiting)
		// Both libraries pause for 50 ms at least.
		if grant.SentAt.Sub(before) < 50*time.Millisecond {
			t.Errorf("the lease counts from %v after the call", grant.SentAt.Sub(before))
		}
	})
}

func TestARefusalIsCertain(t *testing.T) {
	eachLibrary(t, func(t *testing.T, name string) {
		refused(t, client(t, name, listen(t, dialects[name].taken, zero)), true)
	})
}

func TestARefusalAfterALostReplyIsIndeterminate(t *testing.T) {
	eachLibrary(t, func(t *testing.T, name string) {
		refused(t, client(t, name, listen(t, broken, dialects[name].taken, zero)), false)
	})
}

func TestAnExtensionThatIsRefusedIsCertainUnlessItWasSentAgain(t *testing.T) {
	eachLibrary(t, func(t *testing.T, name string) {
		says := dialects[name]
		no := map[string]string{"redsync": zero, "redislock": null}[name]
		client := client(t, name, listen(t, says.granted, no, broken, no))
		grant := acquired(t, client, 0)
		for _, certainly := range []bool{true, false} {
			_, err := client.(worker.Extender).Extend(t.Context(), "k", grant.Owner, ttl)
			if err == nil || errors.Is(err, worker.ErrContended) != certainly {
				t.Errorf("got %v, which is to be certain: %v", err, certainly)
			}
		}
	})
}

func TestAReleaseThatIsRefusedIsCertainUnlessItWasSentAgain(t *testing.T) {
	eachLibrary(t, func(t *testing.T, name string) {
		says := dialects[name]
		client := client(t, name, listen(t, says.granted, says.granted, says.notHeld, broken, says.notHeld))
		first, second := acquired(t, client, 0), acquired(t, client, 0)
		if released, err := client.Release(t.Context(), "k", first.Owner); released || err != nil {
			t.Errorf("released: %v, %v", released, err)
		}
		if _, err := client.Release(t.Context(), "k", second.Owner); err == nil {
			t.Error("nobody knows whether the first command released it")
		}
	})
}

func TestRedsyncIsTakenWhenAMajorityOfServersSaysSo(t *testing.T) {
	servers := []*server{
		listen(t, null, zero), listen(t, null, zero), listen(t, null, zero), listen(t, ok, one), listen(t, broken, ok, one),
	}
	refused(t, client(t, "redsync", servers...), true)
	servers = []*server{
		listen(t, null, zero), listen(t, null, zero), listen(t, broken, null, zero), listen(t, ok, one), listen(t, ok, one),
	}
	refused(t, client(t, "redsync", servers...), false)
}

func TestOnlySetNXOnExtendTakesALockBack(t *testing.T) {
	for name, option := range map[string]int{"redsync": 0, "redsync-setnx-on-extend": 1} {
		server := listen(t, ok, "-NOSCRIPT no script\r\n", one)
		client := client(t, name, server)
		grant := acquired(t, client, 0)
		if _, err := client.(worker.Extender).Extend(t.Context(), "k", grant.Owner, ttl); err != nil {
			t.Fatal(err)
		}
		script := server.scripts[0]
		if strings.Count(script, `"NX"`) != option {
			t.Errorf("%s extends by %s", name, script)
		}
	}
}

func TestNamesBeginAlike(t *testing.T) {
	first, second := nameAsToken("client-0"), nameAsToken("client-1")
	if first.Token != "worker-1" || second.Token != "worker-10" {
		t.Errorf("%q and %q", first.Token, second.Token)
	}
}
