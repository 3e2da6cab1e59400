// Command own-lock is a lock of your own: SET NX PX and a script that compares the owner, with go-redis, on one server.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/lockstorm/lockstorm/kits/go/worker"
	"github.com/redis/go-redis/v9"
)

const (
	releaseScript = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
	retryAfter    = 50 * time.Millisecond
)

var capabilities = worker.Capabilities{Waits: true}

func main() {
	worker.Main(capabilities, connect)
}

func connect(environment worker.Environment) (worker.Client, error) {
	return &ownLock{redis.NewClient(&redis.Options{
		Addr: environment.Servers.Address.String(), DialTimeout: time.Second, ReadTimeout: time.Second,
		// A command whose reply was lost must not be sent again.
		MaxRetries: -1,
	})}, nil
}

// ownLock waits by trying again.
type ownLock struct{ redis *redis.Client }

// Acquire takes a fresh owner, and the time before the request, for every try.
func (l *ownLock) Acquire(ctx context.Context, key string, ttl, wait time.Duration) (worker.Grant, error) {
	for giveUpAt := time.Now().Add(wait); ; time.Sleep(retryAfter) {
		owner, sentAt := rand.Text(), worker.Now()
		taken, err := l.redis.SetNX(ctx, key, owner, ttl).Result()
		if err != nil {
			return worker.Grant{}, err
		}
		if taken {
			return worker.Grant{Owner: owner, ValidFor: ttl, SentAt: sentAt}, nil
		}
		if !time.Now().Before(giveUpAt) {
			return worker.Grant{}, fmt.Errorf("%w: another client holds the lock", worker.ErrContended)
		}
	}
}

// Release is true if the lock was still this owner's.
func (l *ownLock) Release(ctx context.Context, key, owner string) (bool, error) {
	deleted, err := l.redis.Eval(ctx, releaseScript, []string{key}, owner).Int()
	return deleted == 1, err
}

func (l *ownLock) Close() error {
	return l.redis.Close()
}
