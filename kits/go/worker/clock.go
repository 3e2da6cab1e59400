package worker

import (
	"time"

	"golang.org/x/sys/unix"
)

// An Instant is a reading of the machine's monotonic clock, CLOCK_MONOTONIC, in nanoseconds. Unlike the monotonic part of a
// [time.Time], which counts from the start of the process, it means the same in all processes.
type Instant int64

// Now reads the clock that leases count on.
func Now() Instant {
	var read unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &read); err != nil {
		panic("this system has no CLOCK_MONOTONIC: " + err.Error())
	}
	return Instant(read.Nano())
}

// At is the instant of t, or a little before it: for libraries that say by a [time.Time] when a lease began or ends. It
// must have come from [time.Now] in this process, otherwise the wall clock decides.
func At(t time.Time) Instant {
	// In this order, whatever passes between the two readings makes the result earlier.
	now := Now()
	return now - Instant(time.Since(t))
}

// Sub is the time from earlier to i.
func (i Instant) Sub(earlier Instant) time.Duration {
	return time.Duration(i - earlier)
}
