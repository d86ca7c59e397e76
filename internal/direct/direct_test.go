package direct_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/vflc/vflc/internal/direct"
)

// pair are both ends of a connection.
func pair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return direct.Conn(a), direct.Conn(b)
}

// TestAllBytesArrive sends more than the system keeps for a reader, so that both ends wait for one another.
func TestAllBytesArrive(t *testing.T) {
	a, b := pair(t)
	sent := make([]byte, 32<<20)
	rand.Read(sent)
	wrote := make(chan error, 1)
	go func() {
		n, err := a.Write(sent)
		if err == nil && n != len(sent) {
			err = io.ErrShortWrite
		}
		a.Close()
		wrote <- err
	}()
	got, err := io.ReadAll(b)
	if err != nil || !bytes.Equal(got, sent) {
		t.Fatalf("%d bytes of %d arrived: %v", len(got), len(sent), err)
	}
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	if n, err := b.Read(nil); n != 0 || err != nil {
		t.Errorf("reading nothing: %d, %v", n, err)
	}
}

func TestDeadlinesAndEnds(t *testing.T) {
	a, b := pair(t)
	a.SetReadDeadline(time.Unix(1, 0))
	if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read after its deadline: %v", err)
	}
	a.SetReadDeadline(time.Time{})
	ended := make(chan error)
	go func() {
		_, err := a.Write(make([]byte, 64<<20))
		ended <- err
	}()
	if _, err := b.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	a.SetWriteDeadline(time.Unix(1, 0))
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write that nobody reads: %v", err)
	}
	go func() {
		_, err := a.Read(make([]byte, 1))
		ended <- err
	}()
	a.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a read of a connection that is closed: %v", err)
	}
	b.Close()
	if _, err := b.Write([]byte{1}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a write to a closed connection: %v", err)
	}
}

// TestErrorsAreThoseOfTheSystem: a connection that the other end resets.
func TestErrorsAreThoseOfTheSystem(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	plain, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	end, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	a := direct.Conn(end)
	defer a.Close()
	plain.(*net.TCPConn).SetLinger(0)
	plain.Close()
	var op *net.OpError
	if _, err = a.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) || !errors.As(err, &op) ||
		op.Op != "read" {
		t.Errorf("a read of a connection that was reset: %v", err)
	}
	if _, err = a.Write([]byte{1}); !errors.Is(err, syscall.EPIPE) || !errors.As(err, &op) || op.Op != "write" {
		t.Errorf("a write to a connection that was reset: %v", err)
	}
	a, b := net.Pipe()
	defer b.Close()
	if direct.Conn(a) != a {
		t.Error("what is no connection of the system is not as it was")
	}
}

// TestNothingIsAllocated: a call costs no memory.
func TestNothingIsAllocated(t *testing.T) {
	a, b := pair(t)
	buffer := make([]byte, 64)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := a.Write(buffer); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(b, buffer); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a write and a read allocate %v times", n)
	}
}
