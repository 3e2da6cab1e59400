package main

import (
	"testing"
	"time"

	"github.com/lockstorm/lockstorm/kits/go/worker"
)

const rueidislockName = "rueidislock"

func TestRueidislockGrantsTheLeaseOfItsLockerAndReleases(t *testing.T) {
	server := listen(t, ok, one, ok, zero)
	client := client(t, rueidislockName, server)
	for _, mine := range []bool{true, false} {
		before := worker.Now()
		grant := acquired(t, client, 0)
		if grant.SentAt < before || grant.SentAt > worker.Now() {
			t.Errorf("granted %+v, asked at %v", grant, before)
		}
		if grant.ValidFor > keyValidity || grant.ValidFor < keyValidity-time.Second {
			t.Errorf("the lease is %v", grant.ValidFor)
		}
		if released, err := client.Release(t.Context(), "k", grant.Owner); released != mine || err != nil {
			t.Errorf("released: %v, %v", released, err)
		}
	}
}

func TestRueidislockIsRefusedForCertainUnlessItWasSentAgain(t *testing.T) {
	refused(t, client(t, rueidislockName, listen(t, null)), true)
	refused(t, client(t, rueidislockName, listen(t, broken, null)), false)
	refused(t, client(t, rueidislockName, listen(t, null, null)), true)
}

func TestARefusalOfRueidislockLeavesWhatIsHeldAlone(t *testing.T) {
	client := client(t, rueidislockName, listen(t, ok, null, one))
	grant := acquired(t, client, 0)
	refused(t, client, true)
	if released, err := client.Release(t.Context(), "k", grant.Owner); !released || err != nil {
		t.Errorf("released: %v, %v", released, err)
	}
}

func TestAReleaseOfRueidislockThatWasSentAgainIsIndeterminate(t *testing.T) {
	client := client(t, rueidislockName, listen(t, ok, broken, zero))
	grant := acquired(t, client, 0)
	if released, err := client.Release(t.Context(), "k", grant.Owner); err == nil {
		t.Errorf("released: %v", released)
	}
}

func TestRueidislockWaitsAsLongAsItIsToldAndHoldsForLonger(t *testing.T) {
	server := listen(t, null, ok, one)
	client := client(t, rueidislockName, server)
	began := time.Now()
	refusedAfter := 50 * time.Millisecond
	if _, err := client.Acquire(t.Context(), "k", ttl, refusedAfter); err == nil || time.Since(began) < refusedAfter {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	grant := acquired(t, client, time.Minute)
	if released, err := client.Release(t.Context(), "k", grant.Owner); !released || err != nil {
		t.Errorf("released: %v, %v", released, err)
	}
}

func TestWhatRueidislockRenewsIsTold(t *testing.T) {
	told := make(chan leaseEnd, 1)
	scripts := &scriptClient{owners: map[string]*sentScripts{}, onProlonged: func(_ string, end leaseEnd) { told <- end }}
	scripts.sent("v")
	scripts.answered("v", leaseEnd{unixMs: 1000}, yes)
	scripts.answered("v", leaseEnd{unixMs: 1000}, yes)
	scripts.answered("v", leaseEnd{unixMs: 2000}, no)
	scripts.answered("v", leaseEnd{unixMs: 1500}, yes)
	if end := <-told; end.unixMs != 1500 || len(told) > 0 {
		t.Errorf("told %v, and %d more", end, len(told))
	}
}
