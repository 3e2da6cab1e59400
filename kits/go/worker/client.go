package worker

import (
	"context"
	"errors"
	"math"
	"net"
	"strconv"
	"time"
)

// What an operation's error wraps when the operation certainly had no effect. With any other error, nobody knows.
var (
	// ErrContended says that another client holds the lock.
	ErrContended = errors.New("contended")
	// ErrFailed says that there was another reason.
	ErrFailed = errors.New("failed")
	// ErrUnsupported says that the lock cannot do what was asked for.
	ErrUnsupported = errors.New("unsupported")
)

// Extension is how a lock can prolong its leases.
type Extension string

const (
	// ExtendNone is a lock that cannot extend. It is what the zero Capabilities say.
	ExtendNone Extension = "none"
	// ExtendSame always gives the lease its first length again.
	ExtendSame Extension = "same"
	// ExtendAny gives it the length that is asked for.
	ExtendAny Extension = "any"
)

// Capabilities say what the lock can do, and decide what lockstorm asks for. The zero value is a lock that can only be acquired
// and released.
type Capabilities struct {
	Extend Extension
	// TTLGranularity is what leases are whole multiples of. Zero means a millisecond.
	TTLGranularity time.Duration
	// Reentrant says that a holder may acquire again what it holds.
	Reentrant bool
	// Fence says that grants carry a fencing token.
	Fence bool
	// Waits says that Acquire can wait for another holder. A lock that does not is asked again instead.
	Waits bool
	// Permits says that the Client is a [Semaphore].
	Permits bool
	// Modes says that the Client is a [ReadWriteLock].
	Modes bool
	// Fair says that waiting clients are granted the lock in the order in which they came, and that [Environment.Queued] is
	// called when one stands in the queue.
	Fair bool
	// SeveralKeys says that the Client is a [KeySetLock].
	SeveralKeys bool
}

// Endless is the ValidFor of a lock without leases, which is held until it is released. Its worker file says "leases": false.
const Endless time.Duration = math.MaxInt64

// A Grant is a lease that was granted.
type Grant struct {
	// Owner is the value under which the lock is held: fresh for each acquisition, and never that of another client.
	Owner string
	// ValidFor is how long, from SentAt on, the holder may trust the lease that was really applied. Zero promises nothing,
	// and [Endless] says that the lock has no leases.
	ValidFor time.Duration
	// SentAt is a reading just before the request was sent that took the lock: of the try that succeeded, if there were
	// several. The server's time begins later, so a lease that counts from here ends in time.
	SentAt Instant
	// Fence is the fencing token. Nil if the lock has none.
	Fence *int64
	// Place is the server ("node-2"), for a lock that lives on one of several.
	Place string
}

// A Client is one client of the lock. It is asked for one operation at a time. The context of an operation has no deadline
// and ends when the client is closed.
type Client interface {
	// Acquire takes the lock for ttl, waiting up to wait for another holder; zero means one try.
	Acquire(ctx context.Context, key string, ttl, wait time.Duration) (Grant, error)
	// Release gives the lock back. False says that it was certainly no longer this owner's.
	Release(ctx context.Context, key, owner string) (released bool, err error)
}

// An Extender is a Client that can prolong its leases.
type Extender interface {
	// Extend prolongs a lease to ttl from now.
	Extend(ctx context.Context, key, owner string, ttl time.Duration) (Grant, error)
}

// A Semaphore is a Client that is asked for permits. One that does not state Permits in its Capabilities never is.
type Semaphore interface {
	// AcquirePermits takes so many permits of a semaphore that has limit of them, all in one grant.
	AcquirePermits(ctx context.Context, key string, limit, permits int, ttl, wait time.Duration) (Grant, error)
}

// A Mode is how a read-write lock is taken.
type Mode string

const (
	// Shared stands beside others of its kind.
	Shared Mode = "shared"
	// Exclusive stands alone.
	Exclusive Mode = "exclusive"
)

// A ReadWriteLock is a Client that is asked for modes. One that does not state Modes in its Capabilities never is.
type ReadWriteLock interface {
	// AcquireMode takes the lock in this mode.
	AcquireMode(ctx context.Context, key string, mode Mode, ttl, wait time.Duration) (Grant, error)
}

// A KeySetLock is a Client that is asked for several keys in one acquisition. One that does not state SeveralKeys in its
// Capabilities never is.
type KeySetLock interface {
	// AcquireKeys takes all these keys or none, under one owner value. Extend and Release name the first, and mean all.
	AcquireKeys(ctx context.Context, keys []string, ttl, wait time.Duration) (Grant, error)
}

// Connect connects a client. An error ends the run with one line.
type Connect func(Environment) (Client, error)

// An Environment says who a client is and where its servers are, and takes what the lock notices by itself.
type Environment struct {
	// Client is the name of the client, which no other client has.
	Client string
	// Servers are the addresses to use, and no others: they lead through links that lockstorm cuts and delays.
	Servers Servers

	tell   func(any)
	origin Instant
}

// Servers are where the lock lives.
type Servers struct {
	// Kind is the topology: "single", "sentinel", "redlock" or another of lockstorm's. It decides which fields are set.
	Kind string `json:"kind"`
	// Address is the server of a topology that has one.
	Address Address `json:"address"`
	// MasterName, Sentinels and NATMap are for "sentinel". NATMap has the address to use for each "host:port" that a
	// Sentinel announces.
	MasterName string             `json:"masterName"`
	Sentinels  []Address          `json:"sentinels"`
	NATMap     map[string]Address `json:"natMap"`
	// Nodes are the independent masters of "redlock".
	Nodes []Address `json:"nodes"`
}

// An Address is that of a server.
type Address struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

// String is the address as [net.Dial] takes it.
func (a Address) String() string {
	return net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
}

// Translate is the address to use for one that a Sentinel announced, as "host:port".
func (s Servers) Translate(announced string) string {
	if mapped, ok := s.NATMap[announced]; ok {
		return mapped.String()
	}
	return announced
}

// Lost tells lockstorm that the lock found out by itself that this lease is gone.
func (e Environment) Lost(key, owner string) {
	e.say(lostEvent{Event: "lost", Key: key, Owner: owner})
}

// Queued tells lockstorm that the server has answered that the acquire that runs stands in the queue for key. Call it before
// the acquire ends, once for each place: again if it lost its place because it did not show itself in time, and took one at
// the end of the queue.
func (e Environment) Queued(key string) {
	e.say(queuedEvent{Event: "queued", Key: key})
}

// say does nothing in a test of a lock of one's own, which made the Environment itself.
func (e Environment) say(event any) {
	if e.tell != nil {
		e.tell(event)
	}
}

// Renewed tells lockstorm that the lock prolonged a lease by itself, for validFor, by a request that was sent at sentAt.
func (e Environment) Renewed(key, owner string, validFor time.Duration, sentAt Instant) {
	e.say(renewedEvent{
		Event: "renewed", Key: key, Owner: owner, ValidForMs: milliseconds(validFor), GrantedAt: since(e.origin, sentAt),
	})
}
