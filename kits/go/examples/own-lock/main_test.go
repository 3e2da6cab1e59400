package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockstorm/lockstorm/kits/go/worker"
)

func TestDescribesItsLock(t *testing.T) {
	var output bytes.Buffer
	describe := strings.NewReader(`{"protocol":1,"describe":true}` + "\n")
	if err := worker.Serve(describe, &output, capabilities, connect); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(output.String(), `"waits":true`) {
		t.Errorf("it said %s", output.String())
	}
}
