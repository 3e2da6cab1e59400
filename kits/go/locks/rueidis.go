package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockstorm/lockstorm/kits/go/worker"
	"github.com/redis/rueidis"
)

// rueidisOptions are rueidis's defaults for these servers, but for time-outs. What breaks a connection is counted.
func rueidisOptions(servers worker.Servers, broken *atomic.Int64) (rueidis.ClientOption, error) {
	option := rueidis.ClientOption{ConnWriteTimeout: timeout, Dialer: net.Dialer{Timeout: timeout}}
	switch servers.Kind {
	case "single":
		option.InitAddress, option.ForceSingleClient = []string{servers.Address.String()}, true
	case "sentinel":
		for _, sentinel := range servers.Sentinels {
			option.InitAddress = append(option.InitAddress, sentinel.String())
		}
		option.Sentinel = rueidis.SentinelOption{MasterSet: servers.MasterName, Dialer: option.Dialer}
	default:
		return option, fmt.Errorf("this lock does not run on %s", servers.Kind)
	}
	option.DialCtxFn = func(ctx context.Context, announced string, dialer *net.Dialer, _ *tls.Config) (net.Conn, error) {
		dialed, err := dialer.DialContext(ctx, "tcp", servers.Translate(announced))
		if err != nil {
			return nil, err
		}
		return watched{dialed.(*net.TCPConn), broken}, nil
	}
	return option, nil
}

// scriptClient sees the scripts that a lock sends, each of which names a key, the owner's value and the end of its lease:
// rueidislock says of none of them when it was sent, or what it answered.
type scriptClient struct {
	rueidis.Client
	mutex  sync.Mutex
	owners map[string]*sentScripts
	// latest is the owner's value that a script named last for the first time.
	latest string
	// onProlonged hears of scripts that gave an owner's lease a later end.
	onProlonged func(owner string, end leaseEnd)
}

// sentScripts are those of one owner.
type sentScripts struct {
	end leaseEnd
	// answer is what the last one answered.
	answer answer
}

// leaseEnd is when a lease ends, by the wall clock, and when the script was sent that says so.
type leaseEnd struct {
	sentAt   worker.Instant
	validFor time.Duration
	unixMs   int64
}

type answer int

const (
	// open: it was not answered, or by an error, so that nobody knows what it did.
	open answer = iota
	yes
	no
)

func (c *scriptClient) Do(ctx context.Context, command rueidis.Completed) rueidis.RedisResult {
	words := command.Commands()
	if len(words) != 6 || (words[0] != "EVALSHA" && words[0] != "EVAL") {
		return c.Client.Do(ctx, command)
	}
	owner := words[4]
	unixMs, _ := strconv.ParseInt(words[5], 10, 64)
	sentAt := worker.Now()
	end := leaseEnd{sentAt, time.Until(time.UnixMilli(unixMs)), unixMs}
	c.sent(owner)
	result := c.Client.Do(ctx, command)
	if failure, ok := rueidis.IsRedisErr(result.Error()); !ok || !failure.IsNoScript() {
		c.answered(owner, end, answerOf(result))
	}
	return result
}

// answerOf tells what came: OK or 1, nil or 0, or neither.
func answerOf(result rueidis.RedisResult) answer {
	if err := result.Error(); rueidis.IsRedisNil(err) {
		return no
	} else if err != nil {
		return open
	}
	if count, err := result.AsInt64(); err == nil && count == 0 {
		return no
	}
	return yes
}

func (c *scriptClient) sent(owner string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.owners[owner] == nil {
		c.owners[owner] = &sentScripts{}
		c.latest = owner
	}
	c.owners[owner].answer = open
}

func (c *scriptClient) answered(owner string, end leaseEnd, answer answer) {
	c.mutex.Lock()
	scripts := c.owners[owner]
	if scripts == nil {
		c.mutex.Unlock()
		return
	}
	scripts.answer = answer
	isLater := answer == yes && end.unixMs > scripts.end.unixMs
	isFirst := scripts.end.unixMs == 0
	if isLater {
		scripts.end = end
	}
	c.mutex.Unlock()
	if isLater && !isFirst {
		c.onProlonged(owner, end)
	}
}

// last is what is known of the owner's scripts.
func (c *scriptClient) last(owner string) sentScripts {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return *c.owners[owner]
}

// begin lets the next new value be the newest.
func (c *scriptClient) begin() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.latest = ""
}

// newest is the owner's value that came last since it began, if any did, and what is known of its scripts.
func (c *scriptClient) newest() (string, sentScripts) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if scripts := c.owners[c.latest]; scripts != nil {
		return c.latest, *scripts
	}
	return "", sentScripts{}
}

func (c *scriptClient) forget(owner string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.owners, owner)
}
