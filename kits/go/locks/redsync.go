package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/lockstorm/lockstorm/kits/go/worker"
)

const (
	// driftFactor and longestDelay are the library's own: the part of a lease that is left for clocks that drift, and the
	// longest time between two tries.
	driftFactor  = 0.01
	longestDelay = 250 * time.Millisecond
)

var setNXOnExtend = redsync.WithSetNXOnExtend()

func redsyncLock(options ...redsync.Option) lock {
	return lock{
		// A mutex has one length of lease, which each extension gives it again.
		capabilities: worker.Capabilities{Extend: worker.ExtendSame, Waits: true},
		connect: func(environment worker.Environment) (worker.Client, error) {
			connections, err := connect(environment.Servers)
			if err != nil {
				return nil, err
			}
			var pools []redis.Pool
			for _, connection := range connections {
				pools = append(pools, goredis.NewPool(connection))
			}
			return &redsyncClient{
				connections: connections, redsync: redsync.New(pools...), options: options, held: map[string]held{},
			}, nil
		},
	}
}

// redsyncClient holds mutexes of redsync on a majority of its servers.
type redsyncClient struct {
	connections []*connection
	redsync     *redsync.Redsync
	options     []redsync.Option
	held        map[string]held
}

type held struct {
	mutex *redsync.Mutex
	ttl   time.Duration
}

// Acquire bounds the wait by the number of tries. A context that ends would keep the library from giving back what a try
// took too few of.
func (c *redsyncClient) Acquire(ctx context.Context, key string, ttl, wait time.Duration) (worker.Grant, error) {
	tries := redsync.WithTries(1 + int(wait/longestDelay))
	mutex := c.redsync.NewMutex(key, append(slices.Clone(c.options), redsync.WithExpiry(ttl), tries)...)
	before := brokenBy(c.connections)
	if err := mutex.LockContext(ctx); err != nil {
		return worker.Grant{}, c.refused(before, err)
	}
	taken := held{mutex, ttl}
	c.held[mutex.Value()] = taken
	return taken.grant(), nil
}

func (c *redsyncClient) Extend(ctx context.Context, _, owner string, _ time.Duration) (worker.Grant, error) {
	before, held := brokenBy(c.connections), c.held[owner]
	if extended, err := held.mutex.ExtendContext(ctx); err != nil {
		return worker.Grant{}, c.refused(before, err)
	} else if !extended {
		return worker.Grant{}, errors.New("Extend returned false")
	}
	return held.grant(), nil
}

func (c *redsyncClient) Release(ctx context.Context, _, owner string) (bool, error) {
	before, held := brokenBy(c.connections), c.held[owner]
	delete(c.held, owner)
	released, err := held.mutex.UnlockContext(ctx)
	var unreachable *redsync.RedisError
	if !released && !errors.As(err, &unreachable) && slices.Equal(before, brokenBy(c.connections)) {
		return false, nil
	}
	if released {
		return true, nil
	}
	return false, err
}

func (c *redsyncClient) Close() error {
	return closeAll(c.connections)
}

// refused says that the library's "taken" is certain, if a majority of servers said so and each was asked once.
func (c *redsyncClient) refused(before []int64, err error) error {
	var taken *redsync.ErrTaken
	if !errors.As(err, &taken) {
		return err
	}
	certain := 0
	for _, node := range taken.Nodes {
		if c.connections[node].broken.Load() == before[node] {
			certain++
		}
	}
	if certain > len(c.connections)/2 {
		return fmt.Errorf("%w: %w", worker.ErrContended, err)
	}
	return err
}

// grant reads off the mutex what the library promises: until then, counted from before it sent the try that succeeded.
func (h held) grant() worker.Grant {
	validFor := h.ttl - time.Duration(float64(h.ttl)*driftFactor)
	return worker.Grant{
		Owner: h.mutex.Value(), ValidFor: validFor, SentAt: worker.At(h.mutex.Until().Add(-validFor)),
	}
}
