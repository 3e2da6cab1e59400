// Command go-zero-1.3 holds locks of go-zero 1.3. It has one for each key, which it takes and gives back again and again.
package main

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/lockstorm/lockstorm/kits/go/worker"
	"github.com/zeromicro/go-zero/core/logx"
	"github.com/zeromicro/go-zero/core/stores/redis"
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
	locks  map[string]*redis.RedisLock
}

func (c *client) lock(key string) *redis.RedisLock {
	if c.locks[key] == nil {
		c.locks[key] = redis.NewRedisLock(c.server, key)
	}
	return c.locks[key]
}

func (c *client) Acquire(_ context.Context, key string, ttl, wait time.Duration) (worker.Grant, error) {
	lock := c.lock(key)
	lock.SetExpire(int(ttl / time.Second))
	for giveUpAt := time.Now().Add(wait); ; time.Sleep(retryAfter) {
		sentAt := worker.Now()
		acquired, err := lock.Acquire()
		if err != nil {
			return worker.Grant{}, err
		}
		if acquired {
			return worker.Grant{Owner: rand.Text(), ValidFor: ttl, SentAt: sentAt}, nil
		}
		if !time.Now().Before(giveUpAt) {
			return worker.Grant{}, worker.ErrContended
		}
	}
}

func (c *client) Release(_ context.Context, key, _ string) (bool, error) {
	return c.lock(key).Release()
}
