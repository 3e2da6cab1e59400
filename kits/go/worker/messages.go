package worker

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// protocol is the version of the protocol that this package speaks.
const protocol = 1

// longestReason keeps an answer far below the longest line that lockstorm reads.
const longestReason = 2000

type firstLine struct {
	Protocol int     `json:"protocol"`
	Describe bool    `json:"describe"`
	Client   string  `json:"client"`
	Origin   string  `json:"origin"`
	Servers  Servers `json:"servers"`
}

type request struct {
	ID     int64  `json:"id"`
	Op     string `json:"op"`
	Key    string `json:"key"`
	Owner  string `json:"owner"`
	TTLMs  int64  `json:"ttlMs"`
	WaitMs int64  `json:"waitMs"`
	// Limit is zero where the key is no semaphore, and Mode is empty where it is no read-write lock.
	Limit   int  `json:"limit"`
	Permits int  `json:"permits"`
	Mode    Mode `json:"mode"`
	// AlsoKeys are empty where the acquire is of one key.
	AlsoKeys []string `json:"alsoKeys"`
}

type readyMessage struct {
	Ready        bool                 `json:"ready"`
	Reason       string               `json:"reason,omitempty"`
	Capabilities *capabilitiesMessage `json:"capabilities,omitempty"`
}

type capabilitiesMessage struct {
	Extend           Extension `json:"extend"`
	TTLGranularityMs int64     `json:"ttlGranularityMs"`
	Reentrant        bool      `json:"reentrant"`
	Fence            bool      `json:"fence"`
	Waits            bool      `json:"waits"`
	Supports         supports  `json:"supports"`
}

type supports struct {
	Permits     bool `json:"permits"`
	Modes       bool `json:"modes"`
	SeveralKeys bool `json:"severalKeys"`
	Fair        bool `json:"fair"`
}

// An owner that is empty is said to be, so that lockstorm can name the field.
type grantedAnswer struct {
	ID         int64    `json:"id"`
	OK         bool     `json:"ok"`
	Owner      string   `json:"owner"`
	Fence      *int64   `json:"fence,omitempty"`
	Place      string   `json:"place,omitempty"`
	ValidForMs *float64 `json:"validForMs,omitempty"`
	GrantedAt  int64    `json:"grantedAt"`
}

type releasedAnswer struct {
	ID       int64 `json:"id"`
	OK       bool  `json:"ok"`
	Released bool  `json:"released"`
}

type clockAnswer struct {
	ID          int64  `json:"id"`
	OK          bool   `json:"ok"`
	WallMs      int64  `json:"wallMs"`
	MonotonicNs string `json:"monotonicNs"`
}

type failedAnswer struct {
	ID     int64  `json:"id"`
	OK     bool   `json:"ok"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

type closedMessage struct {
	Closed bool `json:"closed"`
}

type lostEvent struct {
	Event string `json:"event"`
	Key   string `json:"key"`
	Owner string `json:"owner"`
}

type queuedEvent struct {
	Event string `json:"event"`
	Key   string `json:"key"`
}

type renewedEvent struct {
	Event      string  `json:"event"`
	Key        string  `json:"key"`
	Owner      string  `json:"owner"`
	ValidForMs float64 `json:"validForMs"`
	GrantedAt  int64   `json:"grantedAt"`
}

func (c Capabilities) message() *capabilitiesMessage {
	extend := c.Extend
	if extend == "" {
		extend = ExtendNone
	}
	return &capabilitiesMessage{
		Extend: extend, TTLGranularityMs: max(1, c.TTLGranularity.Milliseconds()), Reentrant: c.Reentrant, Fence: c.Fence,
		Waits:    c.Waits,
		Supports: supports{Permits: c.Permits, Modes: c.Modes, SeveralKeys: c.SeveralKeys, Fair: c.Fair},
	}
}

func grantedBy(id int64, origin Instant, grant Grant) any {
	if grant.SentAt == 0 {
		return failedBy(id, errors.New("the worker did not say when the grant was sent (Grant.SentAt)"))
	}
	// JSON would put the same character for all that is no text, and owners could become equal.
	if !utf8.ValidString(grant.Owner) {
		return failedBy(id, errors.New("the owner value is not UTF-8 (Grant.Owner): write it in hexadecimal"))
	}
	answer := grantedAnswer{
		ID: id, OK: true, Owner: grant.Owner, Fence: grant.Fence, Place: grant.Place, GrantedAt: since(origin, grant.SentAt),
	}
	if grant.ValidFor != Endless {
		validFor := milliseconds(grant.ValidFor)
		answer.ValidForMs = &validFor
	}
	return answer
}

func failedBy(id int64, err error) any {
	kind := "indeterminate"
	switch {
	case errors.Is(err, ErrContended):
		kind = "contended"
	case errors.Is(err, ErrFailed):
		kind = "error"
	case errors.Is(err, ErrUnsupported):
		kind = "unsupported"
	}
	return failedAnswer{ID: id, Kind: kind, Reason: inWords(err)}
}

// inWords is an error as far as an answer may repeat it.
func inWords(err error) string {
	words := []rune(fmt.Sprint(err))
	return string(words[:min(len(words), longestReason)])
}

// milliseconds never promises less than nothing.
func milliseconds(d time.Duration) float64 {
	return float64(max(0, d)) / float64(time.Millisecond)
}

func since(origin, sentAt Instant) int64 {
	return int64(max(0, sentAt-origin))
}
