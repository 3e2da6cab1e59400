// Command redsync-4.0 holds mutexes of redsync 4.0 on one server, which had another Eval and no Until.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v8"
	"github.com/lockstorm/lockstorm/kits/go/worker"
)

const (
	// driftFactor is the library's own.
	driftFactor = 0.01
	retryAfter  = 50 * time.Millisecond
)

func main() {
	worker.Main(worker.Capabilities{Extend: worker.ExtendSame, Waits: true}, func(environment worker.Environment) (worker.Client, error) {
		server := redis.NewClient(&redis.Options{Addr: environment.Servers.Address.String(), MaxRetries: -1})
		return &client{redsync.New(goredis.NewPool(server)), map[string]held{}}, nil
	})
}

type client struct {
	redsync *redsync.Redsync
	held    map[string]held
}

type held struct {
	mutex *redsync.Mutex
	ttl   time.Duration
}

// Acquire tries again itself, because a mutex of 4.0 does not say which of its tries succeeded. Without retries of the
// client's, an error is all that is uncertain.
func (c *client) Acquire(ctx context.Context, key string, ttl, wait time.Duration) (worker.Grant, error) {
	for giveUpAt := time.Now().Add(wait); ; time.Sleep(retryAfter) {
		owner, sentAt := rand.Text(), worker.Now()
		value := redsync.WithGenValueFunc(func() (string, error) { return owner, nil })
		taken := held{c.redsync.NewMutex(key, redsync.WithExpiry(ttl), redsync.WithTries(1), value), ttl}
		err := taken.mutex.LockContext(ctx)
		if err == nil {
			c.held[owner] = taken
			return taken.grant(owner, sentAt), nil
		}
		if !errors.Is(err, redsync.ErrFailed) {
			return worker.Grant{}, err
		}
		if !time.Now().Before(giveUpAt) {
			return worker.Grant{}, errors.Join(worker.ErrContended, err)
		}
	}
}

func (c *client) Extend(ctx context.Context, _, owner string, _ time.Duration) (worker.Grant, error) {
	held, sentAt := c.held[owner], worker.Now()
	if extended, err := held.mutex.ExtendContext(ctx); err != nil {
		return worker.Grant{}, err
	} else if !extended {
		return worker.Grant{}, errors.Join(worker.ErrContended, redsync.ErrFailed)
	}
	return held.grant(owner, sentAt), nil
}

func (c *client) Release(ctx context.Context, _, owner string) (bool, error) {
	return c.held[owner].mutex.UnlockContext(ctx)
}

func (h held) grant(owner string, sentAt worker.Instant) worker.Grant {
	return worker.Grant{Owner: owner, ValidFor: h.ttl - time.Duration(float64(h.ttl)*driftFactor), SentAt: sentAt}
}
