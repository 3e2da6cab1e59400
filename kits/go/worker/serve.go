package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"
)

// closeWithin is how long an operation that still runs is waited for when the client closes.
const closeWithin = time.Second

// Main holds the lock for lockstorm until it says that it is done, or its end of the pipe closes, and ends the program. What
// the program prints to os.Stdout goes to standard error: standard output is for the protocol.
func Main(capabilities Capabilities, connect Connect) {
	output := os.Stdout
	os.Stdout = os.Stderr
	if err := Serve(os.Stdin, output, capabilities, connect); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Serve speaks with lockstorm over input and output, from the first line to the last. Its error says that the conversation
// broke off; what goes wrong in the lock is told to lockstorm.
func Serve(input io.Reader, output io.Writer, capabilities Capabilities, connect Connect) error {
	lines := &lineReader{bufio.NewReader(input)}
	speaker := &speaker{encoder: json.NewEncoder(output)}
	var first firstLine
	if err := lines.next(&first); err != nil {
		return fmt.Errorf("the first line: %w", err)
	}
	if first.Protocol != protocol {
		reason := fmt.Sprintf("this worker speaks version %d of the protocol", protocol)
		return speaker.say(readyMessage{Reason: reason})
	}
	ready := readyMessage{Ready: true, Capabilities: capabilities.message()}
	if first.Describe {
		return speaker.say(ready)
	}
	origin, err := strconv.ParseInt(first.Origin, 10, 64)
	if err != nil {
		return fmt.Errorf("the first line: origin: %w", err)
	}
	told := func(event any) { _ = speaker.say(event) }
	environment := Environment{Client: first.Client, Servers: first.Servers, tell: told, origin: Instant(origin)}
	client, err := connect(environment)
	if err != nil {
		return speaker.say(readyMessage{Reason: inWords(err)})
	}
	if err := speaker.say(ready); err != nil {
		return err
	}
	return converse(lines, speaker, client, Instant(origin))
}

// converse answers requests until lockstorm closes the client, or its end of the pipe closes.
func converse(lines *lineReader, speaker *speaker, client Client, origin Instant) error {
	operations := begin(func(ctx context.Context, asked request) {
		_ = speaker.say(perform(ctx, client, origin, asked))
	})
	closing, err := answer(lines, speaker, operations)
	operations.end()
	if closer, ok := client.(io.Closer); ok {
		_ = closer.Close()
	}
	if closing {
		return speaker.say(closedMessage{Closed: true})
	}
	return err
}

// answer answers the clock itself and hands everything else on. It says whether lockstorm closed the client.
func answer(lines *lineReader, speaker *speaker, operations *operations) (closing bool, err error) {
	for {
		var asked request
		if err := lines.next(&asked); errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		switch asked.Op {
		case "close":
			return true, nil
		case "clock":
			if err := speaker.say(clock(asked.ID)); err != nil {
				return false, err
			}
		default:
			operations.asked <- asked
		}
	}
}

// operations are performed one after the other in a goroutine of their own, so that the clock is answered while one runs.
type operations struct {
	asked     chan request
	performed chan struct{}
	cancel    context.CancelFunc
}

func begin(perform func(context.Context, request)) *operations {
	ctx, cancel := context.WithCancel(context.Background())
	begun := &operations{asked: make(chan request, 64), performed: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(begun.performed)
		for asked := range begun.asked {
			perform(ctx, asked)
		}
	}()
	return begun
}

// end cancels what still runs and waits for it, but not for long.
func (o *operations) end() {
	o.cancel()
	close(o.asked)
	select {
	case <-o.performed:
	case <-time.After(closeWithin):
	}
}

func perform(ctx context.Context, client Client, origin Instant, asked request) any {
	ttl := time.Duration(asked.TTLMs) * time.Millisecond
	switch asked.Op {
	case "acquire":
		return granted(asked.ID, origin, func() (Grant, error) { return acquire(ctx, client, asked, ttl) })
	case "extend":
		if extender, ok := client.(Extender); ok {
			return granted(asked.ID, origin, func() (Grant, error) {
				return extender.Extend(ctx, asked.Key, asked.Owner, ttl)
			})
		}
	case "release":
		released, err := client.Release(ctx, asked.Key, asked.Owner)
		if err != nil {
			return failedBy(asked.ID, err)
		}
		return releasedAnswer{ID: asked.ID, OK: true, Released: released}
	}
	return failedBy(asked.ID, fmt.Errorf("%w: this worker has no operation %q", ErrUnsupported, asked.Op))
}

// acquire asks for what the key is: a semaphore, a read-write lock, one of several keys, or none of these.
func acquire(ctx context.Context, client Client, asked request, ttl time.Duration) (Grant, error) {
	wait := time.Duration(asked.WaitMs) * time.Millisecond
	switch {
	case asked.Limit > 0:
		if semaphore, ok := client.(Semaphore); ok {
			return semaphore.AcquirePermits(ctx, asked.Key, asked.Limit, max(1, asked.Permits), ttl, wait)
		}
		return Grant{}, fmt.Errorf("%w: this worker's lock is no semaphore", ErrUnsupported)
	case asked.Mode != "":
		if readWrite, ok := client.(ReadWriteLock); ok {
			return readWrite.AcquireMode(ctx, asked.Key, asked.Mode, ttl, wait)
		}
		return Grant{}, fmt.Errorf("%w: this worker's lock has no readers", ErrUnsupported)
	case len(asked.AlsoKeys) > 0:
		if keySet, ok := client.(KeySetLock); ok {
			return keySet.AcquireKeys(ctx, append([]string{asked.Key}, asked.AlsoKeys...), ttl, wait)
		}
		return Grant{}, fmt.Errorf("%w: this worker's lock takes one key at a time", ErrUnsupported)
	}
	return client.Acquire(ctx, asked.Key, ttl, wait)
}

func granted(id int64, origin Instant, operation func() (Grant, error)) any {
	grant, err := operation()
	if err != nil {
		return failedBy(id, err)
	}
	return grantedBy(id, origin, grant)
}

func clock(id int64) clockAnswer {
	return clockAnswer{
		ID: id, OK: true, WallMs: time.Now().UnixMilli(), MonotonicNs: strconv.FormatInt(int64(Now()), 10),
	}
}

// A lineReader reads lines of JSON of any length.
type lineReader struct{ reader *bufio.Reader }

// next reads one. Its error is [io.EOF] at the end, also in the middle of a line.
func (l *lineReader) next(into any) error {
	line, err := l.reader.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

// A speaker writes one message at a time.
type speaker struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func (s *speaker) say(message any) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.encoder.Encode(message)
}
