// Command go-zero-1.2 holds locks of go-zero 1.2, as a program does that takes a lock again while it has it, and gives that back.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/lockstorm/lockstorm/kits/go/worker"
	"github.com/tal-tech/go-zero/core/logx"
	"github.com/tal-tech/go-zero/core/stores/redis"
)

const retryAfter = 50 * time.Millisecond

func main() {
	logx.Disable()
	worker.Main(worker.Capabilities{TTLGranularity: time.Second, Waits: true}, func(environment worker.Environment) (worker.Client, error) {
		return &client{redis.New(environment.Servers.Address.String()), map[string]*redis.RedisLock{}}, nil
	})
}

type client struct {
	server *redis.Redis
	held   map[string]*redis.RedisLock
}

func (c *client) Acquire(_ context.Context, key string, ttl, wait time.Duration) (worker.Grant, error) {
	for giveUpAt := time.Now().Add(wait); ; time.Sleep(retryAfter) {
		lock, sentAt := redis.NewRedisLock(c.server, key), worker.Now()
		lock.SetExpire(int(ttl / time.Second))
		acquired, err := lock.Acquire()
		if err != nil {
			return worker.Grant{}, err
		}
		if acquired {
			if err := reenter(lock); err != nil {
				return worker.Grant{}, err
			}
			owner := rand.Text()
			c.held[owner] = lock
			return worker.Grant{Owner: owner, ValidFor: ttl, SentAt: sentAt}, nil
		}
		if !time.Now().Before(giveUpAt) {
			return worker.Grant{}, worker.ErrContended
		}
	}
}

func reenter(lock *redis.RedisLock) error {
	acquired, err := lock.Acquire()
	if err != nil || !acquired {
		return errors.Join(err, errors.New("it was not acquired again"))
	}
	_, err = lock.Release()
	return err
}

func (c *client) Release(_ context.Context, _, owner string) (bool, error) {
	return c.held[owner].Release()
}
