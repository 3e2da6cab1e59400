package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockstorm/lockstorm/kits/go/worker"
)

type message = map[string]any

// inMemory grants each key once.
type inMemory struct {
	environment worker.Environment
	owners      map[string]string
	acquiring   chan struct{}
}

func connectInMemory(environment worker.Environment) (worker.Client, error) {
	return &inMemory{environment: environment, owners: map[string]string{}}, nil
}

func (c *inMemory) Acquire(ctx context.Context, key string, ttl, _ time.Duration) (worker.Grant, error) {
	sentAt := worker.Now()
	switch {
	case key == "broken":
		return worker.Grant{}, errors.New("the connection was reset")
	case key == "refused":
		return worker.Grant{}, fmt.Errorf("%w: out of memory", worker.ErrFailed)
	case key == "forgetful":
		return worker.Grant{Owner: "me"}, nil
	case key == "in bytes":
		return worker.Grant{Owner: "me\xff", SentAt: sentAt}, nil
	case key == "slow":
		close(c.acquiring)
		<-ctx.Done()
		return worker.Grant{}, ctx.Err()
	case c.owners[key] != "":
		return worker.Grant{}, fmt.Errorf("%w: somebody holds it", worker.ErrContended)
	}
	c.owners[key] = "me"
	fence := int64(0)
	return worker.Grant{Owner: "me", ValidFor: ttl - 10*time.Millisecond, SentAt: sentAt, Fence: &fence}, nil
}

func (c *inMemory) Release(_ context.Context, key, owner string) (bool, error) {
	held := c.owners[key] == owner
	delete(c.owners, key)
	c.environment.Lost(key, owner)
	return held, nil
}

// extending can extend too.
type extending struct{ *inMemory }

func (c extending) Extend(_ context.Context, key, owner string, ttl time.Duration) (worker.Grant, error) {
	return worker.Grant{Owner: owner, ValidFor: ttl, SentAt: worker.Now()}, nil
}

// sharing tells how it was asked.
type sharing struct{ *inMemory }

func (c sharing) AcquirePermits(_ context.Context, _ string, limit, permits int, _, _ time.Duration) (worker.Grant, error) {
	owner := fmt.Sprintf("%d of %d", permits, limit)
	return worker.Grant{Owner: owner, ValidFor: worker.Endless, SentAt: worker.Now()}, nil
}

func (c sharing) AcquireMode(_ context.Context, _ string, mode worker.Mode, ttl, _ time.Duration) (worker.Grant, error) {
	return worker.Grant{Owner: string(mode), ValidFor: ttl, SentAt: worker.Now()}, nil
}

func opening(origin worker.Instant) message {
	return message{
		"protocol": 1, "client": "client-0", "origin": strconv.FormatInt(int64(origin), 10),
		"servers": message{"kind": "single", "address": message{"host": "127.0.0.1", "port": 6379}},
	}
}

// converse is what a worker answers to these lines.
func converse(t *testing.T, capabilities worker.Capabilities, connect worker.Connect, lines ...message) []message {
	t.Helper()
	var input, output bytes.Buffer
	encoder := json.NewEncoder(&input)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := worker.Serve(&input, &output, capabilities, connect); err != nil {
		t.Fatal(err)
	}
	return decoded(t, &output)
}

func decoded(t *testing.T, output io.Reader) []message {
	t.Helper()
	var answers []message
	for decoder := json.NewDecoder(output); ; {
		var answer message
		if err := decoder.Decode(&answer); errors.Is(err, io.EOF) {
			return answers
		} else if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
}

// perform is what it answers to these operations.
func perform(t *testing.T, connect worker.Connect, operations ...message) []message {
	t.Helper()
	lines := []message{opening(worker.Now())}
	for id, operation := range operations {
		operation["id"] = id
		lines = append(lines, operation)
	}
	answers := converse(t, worker.Capabilities{}, connect, append(lines, message{"op": "close"})...)
	return answers[1 : len(answers)-1]
}

func acquire(key string) message {
	return message{"op": "acquire", "key": key, "ttlMs": 1000, "waitMs": 0}
}

func TestIsReadyWithItsCapabilitiesAndCloses(t *testing.T) {
	stated := worker.Capabilities{Extend: worker.ExtendSame, TTLGranularity: time.Second, Fence: true}
	got := converse(t, stated, connectInMemory, opening(0), message{"op": "close"})
	want := []message{
		{"ready": true, "capabilities": message{
			"extend": "same", "ttlGranularityMs": 1000.0, "reentrant": false, "fence": true, "waits": false,
			"supports": message{"permits": false, "modes": false, "severalKeys": false, "fair": false},
		}},
		{"closed": true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCapabilitiesThatSayNothing(t *testing.T) {
	got := converse(t, worker.Capabilities{}, connectInMemory, message{"protocol": 1, "describe": true})
	want := []message{{"ready": true, "capabilities": message{
		"extend": "none", "ttlGranularityMs": 1.0, "reentrant": false, "fence": false, "waits": false,
		"supports": message{"permits": false, "modes": false, "severalKeys": false, "fair": false},
	}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDescribesItsLockWithoutConnecting(t *testing.T) {
	connect := func(worker.Environment) (worker.Client, error) { panic("nobody asked to connect") }
	if got := converse(t, worker.Capabilities{}, connect, message{"protocol": 1, "describe": true}); got[0]["ready"] != true {
		t.Errorf("got %v", got)
	}
}

func TestALeaseCountsFromBeforeItWasSent(t *testing.T) {
	before := worker.Now()
	granted := perform(t, connectInMemory, acquire("k"))[0]
	took := worker.Now().Sub(before)
	at, ok := granted["grantedAt"].(float64)
	if !ok || at < 0 || at > float64(took) {
		t.Errorf("grantedAt is %v, of %v", granted["grantedAt"], took)
	}
	delete(granted, "grantedAt")
	want := message{"id": 0.0, "ok": true, "owner": "me", "validForMs": 990.0, "fence": 0.0}
	if !reflect.DeepEqual(granted, want) {
		t.Errorf("got %v, want %v", granted, want)
	}
}

// shared is an acquire of a semaphore or a read-write lock.
func shared(fields message) message {
	asked := acquire("k")
	for name, value := range fields {
		asked[name] = value
	}
	return asked
}

func TestAsksForPermitsAndModes(t *testing.T) {
	connect := func(environment worker.Environment) (worker.Client, error) {
		return sharing{&inMemory{environment: environment, owners: map[string]string{}}}, nil
	}
	answers := perform(t, connect, shared(message{"limit": 3, "permits": 2}), shared(message{"limit": 3}),
		shared(message{"mode": "shared"}), acquire("k"))
	for index, owner := range []string{"2 of 3", "1 of 3", "shared", "me"} {
		if answers[index]["owner"] != owner {
			t.Errorf("answer %d is %v, want the owner %s", index, answers[index], owner)
		}
	}
	if _, stated := answers[0]["validForMs"]; stated {
		t.Errorf("a lock without leases states a validity: %v", answers[0])
	}
	stated := converse(t, worker.Capabilities{Permits: true}, connect, message{"protocol": 1, "describe": true})
	want := message{"permits": true, "modes": false, "severalKeys": false, "fair": false}
	if got := stated[0]["capabilities"].(message)["supports"]; !reflect.DeepEqual(got, want) {
		t.Errorf("it supports %v, want %v", got, want)
	}
}

func (c sharing) AcquireKeys(_ context.Context, keys []string, ttl, _ time.Duration) (worker.Grant, error) {
	return worker.Grant{Owner: strings.Join(keys, "+"), ValidFor: ttl, SentAt: worker.Now()}, nil
}

func TestAsksForSeveralKeys(t *testing.T) {
	connect := func(environment worker.Environment) (worker.Client, error) {
		return sharing{&inMemory{environment: environment, owners: map[string]string{}}}, nil
	}
	several := message{"alsoKeys": []string{"l", "m"}}
	if answer := perform(t, connect, shared(several))[0]; answer["owner"] != "k+l+m" {
		t.Errorf("it is %v, want the owner k+l+m", answer)
	}
	if answer := perform(t, connectInMemory, shared(several))[0]; answer["kind"] != "unsupported" {
		t.Errorf("a lock that takes one key at a time answers %v", answer)
	}
	stated := converse(t, worker.Capabilities{SeveralKeys: true}, connect, message{"protocol": 1, "describe": true})
	want := message{"permits": false, "modes": false, "severalKeys": true, "fair": false}
	if got := stated[0]["capabilities"].(message)["supports"]; !reflect.DeepEqual(got, want) {
		t.Errorf("it supports %v, want %v", got, want)
	}
}

// firstCome grants each key in the order of a queue.
type firstCome struct{ *inMemory }

func (c firstCome) Acquire(ctx context.Context, key string, ttl, wait time.Duration) (worker.Grant, error) {
	c.environment.Queued(key)
	return c.inMemory.Acquire(ctx, key, ttl, wait)
}

func TestTellsAPlaceInTheQueueBeforeTheAnswer(t *testing.T) {
	connect := func(environment worker.Environment) (worker.Client, error) {
		return firstCome{&inMemory{environment: environment, owners: map[string]string{}}}, nil
	}
	answers := perform(t, connect, acquire("k"))
	if want := (message{"event": "queued", "key": "k"}); !reflect.DeepEqual(answers[0], want) {
		t.Errorf("got %v, want %v", answers[0], want)
	}
	if answers[1]["owner"] != "me" {
		t.Errorf("got %v", answers[1])
	}
	stated := converse(t, worker.Capabilities{Fair: true}, connect, message{"protocol": 1, "describe": true})
	want := message{"permits": false, "modes": false, "severalKeys": false, "fair": true}
	if got := stated[0]["capabilities"].(message)["supports"]; !reflect.DeepEqual(got, want) {
		t.Errorf("it supports %v, want %v", got, want)
	}
}

func TestAMutexIsNoSemaphoreAndHasNoReaders(t *testing.T) {
	for _, answer := range perform(t, connectInMemory, shared(message{"limit": 1}), shared(message{"mode": "shared"})) {
		if answer["kind"] != "unsupported" {
			t.Errorf("got %v", answer)
		}
	}
}

func TestSaysHowAnOperationFailed(t *testing.T) {
	answers := perform(t, connectInMemory, acquire("broken"), acquire("refused"), acquire("k"), acquire("k"),
		acquire("forgetful"),
		message{"op": "extend", "key": "k", "owner": "me", "ttlMs": 1}, message{"op": "dance"})
	want := []any{"indeterminate", "error", nil, "contended", "indeterminate", "unsupported", "unsupported"}
	for index, kind := range want {
		if answers[index]["kind"] != kind || answers[index]["id"] != float64(index) {
			t.Errorf("answer %d is %v, want %v", index, answers[index], kind)
		}
	}
}

func TestAnOwnerThatIsNoTextIsNotChanged(t *testing.T) {
	got := perform(t, connectInMemory, acquire("in bytes"))
	reason := "the owner value is not UTF-8 (Grant.Owner): write it in hexadecimal"
	want := []message{{"id": 0.0, "ok": false, "kind": "indeterminate", "reason": reason}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReleasesAndTellsWhatItNotices(t *testing.T) {
	release := func() message { return message{"op": "release", "key": "k", "owner": "me"} }
	got := perform(t, connectInMemory, acquire("k"), release(), release())[1:]
	lost := message{"event": "lost", "key": "k", "owner": "me"}
	want := []message{
		lost, {"id": 1.0, "ok": true, "released": true}, lost, {"id": 2.0, "ok": true, "released": false},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestExtendsWhatCanExtend(t *testing.T) {
	connect := func(environment worker.Environment) (worker.Client, error) {
		return extending{&inMemory{environment: environment}}, nil
	}
	got := perform(t, connect, message{"op": "extend", "key": "k", "owner": "me", "ttlMs": 700})[0]
	if got["validForMs"] != 700.0 || got["owner"] != "me" {
		t.Errorf("got %v", got)
	}
}

func TestAnswersTheClockWhileAnOperationRuns(t *testing.T) {
	acquiring := make(chan struct{})
	connect := func(environment worker.Environment) (worker.Client, error) {
		return &inMemory{environment: environment, acquiring: acquiring}, nil
	}
	lines, input := io.Pipe()
	output, spoken := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- worker.Serve(lines, spoken, worker.Capabilities{}, connect)
	}()
	encoder, decoder := json.NewEncoder(input), json.NewDecoder(output)
	say := func(line message) {
		if err := encoder.Encode(line); err != nil {
			t.Error(err)
		}
	}
	hear := func() (heard message) {
		if err := decoder.Decode(&heard); err != nil {
			t.Error(err)
		}
		return heard
	}
	say(opening(worker.Now()))
	hear()
	slow := acquire("slow")
	slow["id"] = 1
	say(slow)
	<-acquiring
	before := worker.Now()
	say(message{"id": 2, "op": "clock"})
	shown := hear()
	after := worker.Now()
	read, err := strconv.ParseInt(shown["monotonicNs"].(string), 10, 64)
	if err != nil || worker.Instant(read) < before || worker.Instant(read) > after || shown["id"] != 2.0 {
		t.Errorf("the clock showed %v, between %v and %v", shown, before, after)
	}
	say(message{"op": "close"})
	if cancelled := hear(); cancelled["id"] != 1.0 || cancelled["kind"] != "indeterminate" {
		t.Errorf("got %v", cancelled)
	}
	if closed := hear(); closed["closed"] != true {
		t.Errorf("got %v", closed)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSaysWhyItIsNotReady(t *testing.T) {
	connect := func(worker.Environment) (worker.Client, error) { return nil, errors.New("no licence") }
	for reason, first := range map[string]message{
		"no licence": opening(0),
		"this worker speaks version 1 of the protocol": {"protocol": 2},
	} {
		got := converse(t, worker.Capabilities{}, connect, first)
		if want := []message{{"ready": false, "reason": reason}}; !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestAnInstantIsNeverLaterThanItsTime(t *testing.T) {
	before := worker.Now()
	now := time.Now()
	at := worker.At(now)
	if at > worker.Now() || at.Sub(before) < -time.Second {
		t.Errorf("the instant is %v after the one before it", at.Sub(before))
	}
	later := worker.At(now.Add(time.Minute))
	if apart := later.Sub(at); apart > time.Minute+time.Second || apart < time.Minute-time.Second {
		t.Errorf("a minute later is %v later", apart)
	}
}

func TestAddressesOfServers(t *testing.T) {
	servers := worker.Servers{NATMap: map[string]worker.Address{"10.0.0.1:6379": {Host: "127.0.0.1", Port: 7000}}}
	if got := servers.Translate("10.0.0.1:6379"); got != "127.0.0.1:7000" {
		t.Error(got)
	}
	if got := servers.Translate("10.0.0.2:6379"); got != "10.0.0.2:6379" {
		t.Error(got)
	}
}

// TestMain is a worker that prints, when it is started so.
func TestMain(m *testing.M) {
	if os.Getenv("LOCKSTORM_TEST_CHATTER") == "" {
		os.Exit(m.Run())
	}
	worker.Main(worker.Capabilities{}, func(environment worker.Environment) (worker.Client, error) {
		fmt.Println("hello")
		return connectInMemory(environment)
	})
}

func TestWhatALockPrintsDoesNotReachTheProtocol(t *testing.T) {
	var output, log bytes.Buffer
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), "LOCKSTORM_TEST_CHATTER=1")
	first, err := json.Marshal(opening(0))
	if err != nil {
		t.Fatal(err)
	}
	// It ends when its input does.
	program.Stdin, program.Stdout, program.Stderr = strings.NewReader(string(first)+"\n"), &output, &log
	if err := program.Run(); err != nil {
		t.Fatal(err)
	}
	if answers := decoded(t, &output); len(answers) != 1 || answers[0]["ready"] != true {
		t.Errorf("it said %v", answers)
	}
	if !strings.Contains(log.String(), "hello") {
		t.Errorf("its log is %q", log.String())
	}
}

func TestAnEnvironmentOfATestTakesWhatTheLockNotices(t *testing.T) {
	environment := worker.Environment{Client: "client-0"}
	environment.Lost("k", "o")
	environment.Queued("k")
	environment.Renewed("k", "o", time.Second, worker.Now())
}
