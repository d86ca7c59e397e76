package carrier

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A packet may take longer, each way, than the silence after which a connection is over.
func TestSlowPackets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, other := net.Pipe()
		got := make(chan int, 1)
		l := newLink(own, func(packet []byte) { got <- len(packet) })
		ended := make(chan error, 1)
		go func() { ended <- l.run(false, nil) }()
		if err := l.send(maxPayload, make([]byte, maxPayload)); err != nil {
			t.Fatal(err)
		}
		taken := make(chan int, 1)
		go func() {
			sum, piece := 0, make([]byte, writePiece)
			for {
				time.Sleep(writeDeadline / 2)
				n, err := io.ReadFull(other, piece)
				if sum += n; err != nil {
					taken <- sum
					return
				}
			}
		}()
		for _, b := range append([]byte{100, 0, 0, 0}, make([]byte, 100)...) {
			if _, err := other.Write([]byte{b}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(pingEvery)
		}
		if n := <-got; n != 100 {
			t.Errorf("%d bytes came", n)
		}
		if err := <-ended; !errors.Is(err, errSilent) {
			t.Error("when nothing comes any more:", err)
		}
		if n := <-taken; n < maxPayload {
			t.Errorf("%d bytes were taken", n)
		}
	})
}
