package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockstorm/lockstorm/kits/go/worker"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

// keyValidity is the lease of rueidislock, which all locks of a Locker share and which it renews every half of it: 5 s by
// default, and less here, whatever lease is asked for.
const keyValidity = 1500 * time.Millisecond

// rueidislockLock holds one key of rueidislock, KeyMajority 1. Nothing can be extended from outside.
func rueidislockLock() lock {
	return lock{
		capabilities: worker.Capabilities{Waits: true},
		connect: func(environment worker.Environment) (worker.Client, error) {
			client := &rueidislockClient{environment: environment, held: map[string]*rueidisHold{}}
			client.scripts = &scriptClient{owners: map[string]*sentScripts{}, onProlonged: client.prolonged}
			option, err := rueidisOptions(environment.Servers, &client.broken)
			if err != nil {
				return nil, err
			}
			client.locker, err = rueidislock.NewLocker(rueidislock.LockerOption{
				ClientOption: option, KeyMajority: 1, KeyValidity: keyValidity,
				// The time that a try may take: 20 ms by default, less than a round trip may be here.
				TryNextAfter: timeout,
				ClientBuilder: func(option rueidis.ClientOption) (rueidis.Client, error) {
					client.scripts.Client, err = rueidis.NewClient(option)
					return client.scripts, err
				},
			})
			return client, err
		},
	}
}

// rueidislockClient holds locks of rueidislock on one server, or on the master that Sentinels name.
type rueidislockClient struct {
	environment worker.Environment
	broken      atomic.Int64
	scripts     *scriptClient
	locker      rueidislock.Locker
	mutex       sync.Mutex
	held        map[string]*rueidisHold
}

type rueidisHold struct {
	key     string
	release func()
}

// Acquire bounds the wait by a context that has no deadline: with one, the library ends the lease there.
func (c *rueidislockClient) Acquire(ctx context.Context, key string, _, wait time.Duration) (worker.Grant, error) {
	before := c.broken.Load()
	c.scripts.begin()
	held, release, err := c.take(ctx, key, wait)
	value, scripts := c.scripts.newest()
	if err != nil {
		c.scripts.forget(value)
		isRefused := errors.Is(err, rueidislock.ErrNotLocked) || errors.Is(err, context.Canceled)
		if isRefused && scripts.answer == no && scripts.end.unixMs == 0 && c.broken.Load() == before {
			return worker.Grant{}, fmt.Errorf("%w: %w", worker.ErrContended, err)
		}
		return worker.Grant{}, err
	}
	owner := hex.EncodeToString([]byte(value))
	c.mutex.Lock()
	c.held[owner] = &rueidisHold{key, release}
	c.mutex.Unlock()
	// The library ends the holder's context when it has lost the lock.
	context.AfterFunc(held, func() {
		if c.hold(owner) != nil {
			c.environment.Lost(key, owner)
		}
	})
	return worker.Grant{Owner: owner, ValidFor: scripts.end.validFor, SentAt: scripts.end.sentAt}, nil
}

func (c *rueidislockClient) take(ctx context.Context, key string, wait time.Duration) (context.Context, func(), error) {
	if wait == 0 {
		return c.locker.TryWithContext(ctx, key)
	}
	ctx, giveUp := context.WithCancel(ctx)
	timer := time.AfterFunc(wait, giveUp)
	held, release, err := c.locker.WithContext(ctx, key)
	if isInTime := timer.Stop(); err == nil && isInTime {
		return held, func() { release(); giveUp() }, nil
	} else if err == nil {
		release()
		err = errors.New("it was granted as the wait ended, and given back")
	}
	giveUp()
	return nil, nil, err
}

// Release awaits what the library sends, whose answer it does not tell.
func (c *rueidislockClient) Release(_ context.Context, _, owner string) (bool, error) {
	before, hold := c.broken.Load(), c.hold(owner)
	value, _ := hex.DecodeString(owner)
	c.mutex.Lock()
	delete(c.held, owner)
	c.mutex.Unlock()
	if hold == nil {
		return false, nil
	}
	hold.release()
	scripts := c.scripts.last(string(value))
	c.scripts.forget(string(value))
	if scripts.answer == open || c.broken.Load() != before {
		return false, errors.New("nobody knows whether it was released: a script was not answered, or sent again")
	}
	return scripts.answer == yes, nil
}

func (c *rueidislockClient) Close() error {
	c.locker.Close()
	return nil
}

func (c *rueidislockClient) hold(owner string) *rueidisHold {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.held[owner]
}

func (c *rueidislockClient) prolonged(value string, end leaseEnd) {
	owner := hex.EncodeToString([]byte(value))
	if hold := c.hold(owner); hold != nil {
		c.environment.Renewed(hold.key, owner, end.validFor, end.sentAt)
	}
}
