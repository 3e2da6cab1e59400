// Command locks holds a lock of a Go library for lockstorm. Its argument says which.
package main

import (
	"fmt"
	"os"

	"github.com/lockstorm/lockstorm/kits/go/worker"
)

// A lock is what a worker needs to hold one.
type lock struct {
	capabilities worker.Capabilities
	connect      worker.Connect
}

var locks = map[string]lock{
	"redsync":                 redsyncLock(),
	"redsync-setnx-on-extend": redsyncLock(setNXOnExtend),
	"redislock":               redislockLock(randomToken),
	"redislock-named":         redislockLock(nameAsToken),
	"rueidislock":             rueidislockLock(),
}

func main() {
	if len(os.Args) == 2 {
		if lock, ok := locks[os.Args[1]]; ok {
			worker.Main(lock.capabilities, lock.connect)
			return
		}
	}
	fmt.Fprintln(os.Stderr, "this program is started by lockstorm, with the name of a lock")
	os.Exit(2)
}
