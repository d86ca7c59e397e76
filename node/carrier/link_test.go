package carrier

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/vflc/vflc/tests/await"
)

// What crosses a connection stands in docs/protocol.
func TestFramesOfALink(t *testing.T) {
	own, other := net.Pipe()
	got := make(chan string, 9)
	l := newLink(own, func(packet []byte) { got <- string(packet) })
	ended := make(chan error, 1)
	go func() { ended <- l.run(true, nil) }()
	_ = other.SetDeadline(time.Now().Add(await.Patience))
	reads := func(want ...byte) {
		t.Helper()
		b := make([]byte, len(want))
		if _, err := io.ReadFull(other, b); err != nil || !bytes.Equal(b, want) {
			t.Fatalf("it writes %x (%v), not %x", b, err, want)
		}
	}
	writes := func(b ...byte) {
		t.Helper()
		if _, err := other.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	reads(0, 0, 0, 0)
	writes(0, 0, 0, 0, 2, 0, 0, 0, 'u', 'p', 255, 255, 255, 255)
	reads(254, 255, 255, 255)
	if p := <-got; p != "up" {
		t.Errorf("it brings %q", p)
	}
	if err := l.send(4, []byte("down")); err != nil {
		t.Fatal(err)
	}
	reads(4, 0, 0, 0, 'd', 'o', 'w', 'n')
	asked := make(chan error, 1)
	go func() {
		_, err := l.roundTrip(await.Patience)
		asked <- err
	}()
	reads(255, 255, 255, 255)
	writes(254, 255, 255, 255)
	if err := <-asked; err != nil {
		t.Error(err)
	}
	writes(1, 0, 16, 0) // one byte more than any packet
	if err := <-ended; !errors.Is(err, errForm) {
		t.Error(err)
	}
	if err := l.send(1, []byte("x")); !errors.Is(err, errForm) {
		t.Error("after its end:", err)
	}
}

// What is sent to somebody who does not read is bounded, and ends the connection.
func TestNobodyReads(t *testing.T) {
	own, other := net.Pipe()
	defer other.Close()
	l := newLink(own, func([]byte) {})
	packet := make([]byte, maxPayload)
	var err error
	for k := 0; err == nil && k <= maxPending/maxPayload+1; k++ {
		err = l.send(maxPayload, packet)
	}
	if !errors.Is(err, errBacklog) || len(l.pending) > maxPending+2*maxPayload {
		t.Errorf("%d bytes wait (%v)", len(l.pending), err)
	}
}
