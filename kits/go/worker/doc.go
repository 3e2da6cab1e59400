// Package worker holds a lock for lockstorm, which runs several clients of it, injects faults, and shows the shortest
// schedule that breaks the lock.
//
// A worker is a program. It says what the lock can do, connects a client, and performs one operation at a time:
//
//	func main() {
//		worker.Main(worker.Capabilities{}, func(environment worker.Environment) (worker.Client, error) {
//			return connect(environment.Servers.Address.String())
//		})
//	}
//
// A Client that can prolong its leases is an [Extender], and one that has something to close an [io.Closer].
//
// # Answers must be true
//
// An error that wraps [ErrContended], [ErrFailed] or [ErrUnsupported] says that the operation certainly changed nothing.
// Every other error says that nobody knows, which is so after a time-out or a broken connection. A client of Redis may send a
// command again by itself; if it did, its "no" may be about its own first command.
//
// A [Grant] says when its request was sent, on the machine's monotonic clock ([Now]), and for how long the holder may trust the
// lease that was really applied. Its owner must be fresh for each acquisition, and differ between clients too.
//
// # Output
//
// Standard output is for the protocol. Main lets os.Stdout be standard error, so what the program prints is in the log.
package worker
