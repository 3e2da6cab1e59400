package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/bsm/redislock"
	"github.com/lockstorm/lockstorm/kits/go/worker"
	"github.com/redis/go-redis/v9"
)

// retryEvery is the interval at which a client that waits tries again.
const retryEvery = 50 * time.Millisecond

// identity gives the token and the metadata of a client's next acquisition.
type identity func(client string) *redislock.Options

// randomToken leaves the token to the library.
func randomToken(string) *redislock.Options {
	return &redislock.Options{}
}

// nameAsToken is how an application names its instances: worker-1, worker-10, worker-100. What it adds as metadata makes each
// acquisition another owner.
func nameAsToken(client string) *redislock.Options {
	number, _ := strconv.Atoi(regexp.MustCompile(`\d*$`).FindString(client))
	return &redislock.Options{Token: "worker-1" + strings.Repeat("0", number), Metadata: "/" + rand.Text()}
}

func redislockLock(identity identity) lock {
	return lock{
		capabilities: worker.Capabilities{Extend: worker.ExtendAny, Waits: true},
		connect: func(environment worker.Environment) (worker.Client, error) {
			connections, err := connect(environment.Servers)
			if err != nil {
				return nil, err
			}
			timed := &timedClient{UniversalClient: connections[0]}
			return &redislockClient{
				connections: connections, timed: timed, locker: redislock.New(timed),
				options: func() *redislock.Options { return identity(environment.Client) },
				held:    map[string]*redislock.Lock{},
			}, nil
		},
	}
}

// redislockClient holds locks of bsm/redislock on one server, or on the master that Sentinels name.
type redislockClient struct {
	connections []*connection
	timed       *timedClient
	locker      *redislock.Client
	options     func() *redislock.Options
	held        map[string]*redislock.Lock
}

func (c *redislockClient) Acquire(ctx context.Context, key string, ttl, wait time.Duration) (worker.Grant, error) {
	before, options := brokenBy(c.connections), c.options()
	if wait > 0 {
		deadline, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		ctx, options.RetryStrategy = deadline, redislock.LinearBackoff(retryEvery)
	}
	held, err := c.locker.Obtain(ctx, key, ttl, options)
	if err != nil {
		return worker.Grant{}, c.refused(before, err)
	}
	owner := held.Token() + held.Metadata()
	c.held[owner] = held
	return worker.Grant{Owner: owner, ValidFor: ttl, SentAt: c.timed.sentAt}, nil
}

func (c *redislockClient) Extend(ctx context.Context, _, owner string, ttl time.Duration) (worker.Grant, error) {
	before := brokenBy(c.connections)
	if err := c.held[owner].Refresh(ctx, ttl, nil); err != nil {
		return worker.Grant{}, c.refused(before, err)
	}
	return worker.Grant{Owner: owner, ValidFor: ttl, SentAt: c.timed.sentAt}, nil
}

func (c *redislockClient) Release(ctx context.Context, _, owner string) (bool, error) {
	before, held := brokenBy(c.connections), c.held[owner]
	delete(c.held, owner)
	err := held.Release(ctx)
	if errors.Is(err, redislock.ErrLockNotHeld) && c.sentOnce(before) {
		return false, nil
	}
	return err == nil, err
}

func (c *redislockClient) Close() error {
	return closeAll(c.connections)
}

// refused says that the library's "not obtained" is certain, if it is.
func (c *redislockClient) refused(before []int64, err error) error {
	if errors.Is(err, redislock.ErrNotObtained) && c.sentOnce(before) {
		return fmt.Errorf("%w: %w", worker.ErrContended, err)
	}
	return err
}

func (c *redislockClient) sentOnce(before []int64) bool {
	return c.connections[0].broken.Load() == before[0]
}

// timedClient remembers when it sent its last command of a lock's, which is when a lease that it took begins at the earliest.
type timedClient struct {
	redis.UniversalClient
	sentAt worker.Instant
}

func (t *timedClient) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	t.sentAt = worker.Now()
	return t.UniversalClient.Eval(ctx, script, keys, args...)
}

func (t *timedClient) EvalSha(ctx context.Context, hash string, keys []string, args ...any) *redis.Cmd {
	t.sentAt = worker.Now()
	return t.UniversalClient.EvalSha(ctx, hash, keys, args...)
}

// SetNX is what the library takes a lock by before 0.9.4.
func (t *timedClient) SetNX(ctx context.Context, key string, value any, ttl time.Duration) *redis.BoolCmd {
	t.sentAt = worker.Now()
	return t.UniversalClient.SetNX(ctx, key, value, ttl)
}
