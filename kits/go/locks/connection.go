package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lockstorm/lockstorm/kits/go/worker"
	"github.com/redis/go-redis/v9"
)

// timeout is that of sockets. Everything else is as go-redis has it, such as three retries.
const timeout = time.Second

// A connection is a client of go-redis on one server, or on the master that Sentinels name. It counts how often a connection
// broke after something may have been sent: go-redis sends a command again then, and what it answers may be about the first.
type connection struct {
	redis.UniversalClient
	broken atomic.Int64
}

// connect opens a connection to each independent server.
func connect(servers worker.Servers) ([]*connection, error) {
	switch servers.Kind {
	case "single":
		return []*connection{toServer(servers.Address)}, nil
	case "sentinel":
		return []*connection{behindSentinels(servers)}, nil
	case "redlock":
		var nodes []*connection
		for _, address := range servers.Nodes {
			nodes = append(nodes, toServer(address))
		}
		return nodes, nil
	}
	return nil, fmt.Errorf("this lock does not run on %s", servers.Kind)
}

func toServer(address worker.Address) *connection {
	opened := &connection{}
	opened.UniversalClient = redis.NewClient(&redis.Options{
		Addr: address.String(), Dialer: opened.dial, DialTimeout: timeout, ReadTimeout: timeout, WriteTimeout: timeout,
	})
	return opened
}

// behindSentinels uses the links of this client in place of the addresses that Sentinels announce.
func behindSentinels(servers worker.Servers) *connection {
	var sentinels []string
	for _, address := range servers.Sentinels {
		sentinels = append(sentinels, address.String())
	}
	opened := &connection{}
	opened.UniversalClient = redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: servers.MasterName, SentinelAddrs: sentinels,
		Dialer: func(ctx context.Context, network, address string) (net.Conn, error) {
			if slices.Contains(sentinels, address) {
				return (&net.Dialer{Timeout: timeout}).DialContext(ctx, network, address)
			}
			return opened.dial(ctx, network, servers.Translate(address))
		},
		DialTimeout: timeout, ReadTimeout: timeout, WriteTimeout: timeout,
	})
	return opened
}

func (c *connection) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialed, err := (&net.Dialer{Timeout: timeout}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return watched{dialed.(*net.TCPConn), &c.broken}, nil
}

// watched counts what breaks a connection. It embeds the connection of TCP, whose system calls go-redis uses.
type watched struct {
	*net.TCPConn
	broken *atomic.Int64
}

func (w watched) Read(into []byte) (int, error) {
	n, err := w.TCPConn.Read(into)
	if err != nil {
		w.broken.Add(1)
	}
	return n, err
}

func (w watched) Write(from []byte) (int, error) {
	n, err := w.TCPConn.Write(from)
	if err != nil {
		w.broken.Add(1)
	}
	return n, err
}

// brokenBy is how often the connections broke so far.
func brokenBy(connections []*connection) []int64 {
	var counts []int64
	for _, connection := range connections {
		counts = append(counts, connection.broken.Load())
	}
	return counts
}

func closeAll(connections []*connection) error {
	for _, connection := range connections {
		_ = connection.Close()
	}
	return nil
}
