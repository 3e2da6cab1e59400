// Judges histories of a lock with Porcupine (github.com/anishathalye/porcupine), as the second opinion of
// porcupine.bench.ts in the folder above. Standard input has one history a line; the answer to each line is one line.
// A blank line ends a batch. A whole batch is read before it is judged, so that the measured time is that of judging alone.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/anishathalye/porcupine"
)

// The most time that one history may take.
const patience = 100 * time.Millisecond

// A lock between two operations. Anybody stands for the owner of an acquire of unknown outcome.
type state struct {
	Holder    string
	Depth     int
	HoldFence int
	LastFence int
}

const (
	free    = ""
	anybody = "?"
)

// What a model requires, as in lock-models.ts.
type demands struct {
	ownerAware, reentrant, fenced bool
}

var models = map[string]demands{
	"mutex":                  {},
	"owner-aware-mutex":      {ownerAware: true},
	"reentrant-mutex":        {ownerAware: true, reentrant: true},
	"fenced-mutex":           {ownerAware: true, fenced: true},
	"reentrant-fenced-mutex": {ownerAware: true, reentrant: true, fenced: true},
}

// Fence is 0 where there is none. A return of -1 means that the outcome is unknown.
type operation struct {
	Kind     string `json:"k"`
	Owner    string `json:"o"`
	Stranger bool   `json:"s"`
	Fence    int    `json:"f"`
	Client   int    `json:"p"`
	Call     int64  `json:"c"`
	Return   int64  `json:"r"`
}

type history struct {
	Model      string      `json:"model"`
	Operations []operation `json:"operations"`
}

// The lock after an operation took effect, or false if the model does not allow it.
func (d demands) apply(s state, o operation) (state, bool) {
	isHolders := s.Holder != free && (!d.ownerAware || s.Holder == o.Owner || (s.Holder == anybody && o.Stranger))
	switch o.Kind {
	case "acquire":
		if s.Holder == free {
			return d.take(s, o)
		}
		return d.reenter(s, o)
	case "release":
		if !isHolders {
			return s, false
		}
		if s.Depth > 1 {
			s.Depth--
			return d.known(s, o), true
		}
		return state{LastFence: s.LastFence}, true
	case "extend":
		return d.known(s, o), isHolders
	case "miss":
		return s, !d.ownerAware || s.Holder != o.Owner
	case "contended":
		return s, s.Holder != free
	}
	panic("no operation " + o.Kind)
}

func (d demands) take(s state, o operation) (state, bool) {
	if d.fenced && o.Fence != 0 && o.Fence <= s.LastFence {
		return s, false
	}
	holder := o.Owner
	if holder == free {
		holder = anybody
	}
	return state{Holder: holder, Depth: 1, HoldFence: o.Fence, LastFence: max(s.LastFence, o.Fence)}, true
}

func (d demands) reenter(s state, o operation) (state, bool) {
	if !d.reentrant || o.Owner == free || s.Holder != o.Owner {
		return s, false
	}
	if d.fenced && o.Fence != 0 {
		if s.HoldFence != 0 && o.Fence != s.HoldFence || s.HoldFence == 0 && o.Fence <= s.LastFence {
			return s, false
		}
		s.HoldFence = o.Fence
		s.LastFence = max(s.LastFence, o.Fence)
	}
	s.Depth++
	return s, true
}

// The first stranger that uses the hold of an unknown owner is that owner.
func (d demands) known(s state, o operation) state {
	if d.ownerAware && s.Holder == anybody {
		s.Holder = o.Owner
	}
	return s
}

func modelOf(d demands) porcupine.Model {
	nondeterministic := porcupine.NondeterministicModel{
		Init: func() []interface{} { return []interface{}{state{}} },
		Step: func(before, input, _ interface{}) []interface{} {
			o := input.(operation)
			after, allowed := d.apply(before.(state), o)
			states := []interface{}{}
			if allowed {
				states = append(states, after)
			}
			// An operation of unknown outcome may never have taken effect.
			if o.Return < 0 && (!allowed || after != before.(state)) {
				states = append(states, before)
			}
			return states
		},
		Equal: func(one, other interface{}) bool { return one.(state) == other.(state) },
	}
	return nondeterministic.ToModel()
}

func judge(h history) porcupine.CheckResult {
	d, found := models[h.Model]
	if !found {
		panic("no model " + h.Model)
	}
	last := int64(0)
	for _, o := range h.Operations {
		last = max(last, o.Call, o.Return)
	}
	operations := make([]porcupine.Operation, len(h.Operations))
	for i, o := range h.Operations {
		end := o.Return
		if end < 0 {
			last++
			end = last
		}
		operations[i] = porcupine.Operation{ClientId: i, Input: o, Call: o.Call, Return: end}
	}
	return porcupine.CheckOperationsTimeout(modelOf(d), operations, patience)
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	batch := []history{}
	for in.Scan() {
		if len(in.Bytes()) > 0 {
			var h history
			if err := json.Unmarshal(in.Bytes(), &h); err != nil {
				panic(err)
			}
			batch = append(batch, h)
			continue
		}
		for _, h := range batch {
			start := processorTime()
			result := judge(h)
			fmt.Fprintf(out, "%s %d\n", result, (processorTime() - start).Nanoseconds())
		}
		out.Flush()
		batch = batch[:0]
	}
	if err := in.Err(); err != nil {
		panic(err)
	}
}
