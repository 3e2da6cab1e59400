package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/lockstorm/lockstorm/kits/go/worker"
)

// broken is a reply after which the server closes the connection instead.
const broken = ""

// server does as it is told: it answers SET and scripts by the replies in order, greetings as a server does, and everything else by an
// error.
type server struct {
	address worker.Address
	mutex   sync.Mutex
	replies []string
	// scripts are the texts of scripts that came.
	scripts []string
}

func listen(t *testing.T, replies ...string) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	address := listener.Addr().(*net.TCPAddr)
	s := &server{address: worker.Address{Host: "127.0.0.1", Port: address.Port}, replies: replies}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(connection)
		}
	}()
	return s
}

func (s *server) serve(connection net.Conn) {
	defer func() { _ = connection.Close() }()
	for reader := bufio.NewReader(connection); ; {
		words, err := command(reader)
		if err != nil {
			return
		}
		reply := s.replyTo(words)
		if reply == broken {
			return
		}
		if _, err := io.WriteString(connection, reply); err != nil {
			return
		}
	}
}

func (s *server) replyTo(words []string) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch name := strings.ToLower(words[0]); name {
	case "set", "evalsha", "eval":
		if name == "eval" {
			s.scripts = append(s.scripts, words[1])
		}
		if len(s.replies) == 0 {
			return "-ERR no reply is left\r\n"
		}
		reply := s.replies[0]
		s.replies = s.replies[1:]
		return reply
	case "hello":
		return "%1\r\n$5\r\nproto\r\n:3\r\n"
	case "client":
		return "+OK\r\n"
	case "ping":
		return "+PONG\r\n"
	default:
		return "-ERR unknown command\r\n"
	}
}

func command(reader *bufio.Reader) ([]string, error) {
	count, err := number(reader)
	if err != nil {
		return nil, err
	}
	words := make([]string, count)
	for index := range words {
		size, err := number(reader)
		if err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(reader, word); err != nil {
			return nil, err
		}
		words[index] = string(word[:size])
	}
	return words, nil
}

func number(reader *bufio.Reader) (int, error) {
	line, err := reader.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 3 {
		return 0, fmt.Errorf("no header: %q", line)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}
