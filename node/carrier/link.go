package carrier

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// What crosses a connection between a client and the server is frames: the length of a packet in four bytes,
// the lowest first, and the packet. Some lengths that no packet has say something else.
const (
	alive    = 0 // nothing but that this end is there; the server says so first
	question = 1<<32 - 1
	reply    = 1<<32 - 2
)

const (
	frameHead = 4
	readAhead = 64 << 10
	// bytes of a buffer that is kept for what is written next
	mostKept = 64 << 10
	// bytes that are written within writeDeadline, or a tenth less: of a slow connection the parts of a
	// packet arrive in time
	writePiece = 64 << 10
	// after so many times pingEvery in which nothing came a connection is over
	silences = 3
)

var (
	errSilent  = errors.New("nothing came through it for too long")
	errBacklog = errors.New("it is slower than what is sent through it")
	errForm    = errors.New("what came through it is no packet")
	errNoLink  = errors.New("there is no connection")
)

// A link is one end of a connection. What is sent waits for a goroutine that writes all of it in one piece.
type link struct {
	conn   net.Conn
	packet func([]byte)

	mutex   sync.Mutex
	pending []byte // frames that have not been written
	cause   error  // of the end
	wake    chan struct{}
	done    chan struct{}
	heard   atomic.Bool // since the last look
	asking  sync.Mutex
	replied chan struct{}
}

func newLink(conn net.Conn, packet func([]byte)) *link {
	return &link{conn: conn, packet: packet, wake: make(chan struct{}, 1), done: make(chan struct{}),
		replied: make(chan struct{}, 1)}
}

// end closes the connection. The first cause is that of the end.
func (l *link) end(cause error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.cause == nil {
		l.cause = cause
		close(l.done)
		l.conn.Close()
	}
}

// send adds a frame to those that are written next. It does not wait.
func (l *link) send(length uint32, packet []byte) error {
	l.mutex.Lock()
	if l.cause == nil && len(l.pending) > maxPending {
		l.mutex.Unlock()
		l.end(errBacklog)
		return errBacklog
	}
	defer l.mutex.Unlock()
	if l.cause != nil {
		return l.cause
	}
	l.pending = append(binary.LittleEndian.AppendUint32(l.pending, length), packet...)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return nil
}

// run brings what comes until the connection ends, and returns why it has ended. greet is whether this end
// speaks first.
func (l *link) run(greet bool, begun func()) error {
	if greet {
		_ = l.send(alive, nil)
	}
	var wait sync.WaitGroup
	wait.Go(l.write)
	l.end(l.read(begun))
	wait.Wait()
	return l.cause
}

// write writes what is sent, and ends a connection through which nothing comes.
func (l *link) write() {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	var frames []byte
	var set time.Time
	for silent := 0; ; {
		select {
		case <-l.done:
			return
		case <-ticker.C:
			if silent++; l.heard.Swap(false) {
				silent = 0
			}
			if silent >= silences {
				l.end(errSilent)
				return
			}
			_ = l.send(alive, nil)
			continue
		case <-l.wake:
		}
		l.mutex.Lock()
		frames, l.pending = l.pending, frames[:0]
		l.mutex.Unlock()
		for piece := range slices.Chunk(frames, writePiece) {
			if now := time.Now(); now.Sub(set) > writeDeadline/10 {
				_ = l.conn.SetWriteDeadline(now.Add(writeDeadline))
				set = now
			}
			if _, err := l.conn.Write(piece); err != nil {
				l.end(err)
				return
			}
		}
		if cap(frames) > mostKept {
			frames = nil
		}
	}
}

// heard reads a connection and notes that something has come: of a packet, before all of it has.
type heard struct{ *link }

// Read implements io.Reader.
func (h heard) Read(p []byte) (int, error) {
	n, err := h.conn.Read(p)
	if n > 0 {
		h.link.heard.Store(true)
	}
	return n, err
}

// read brings packets. begun is called when something has come.
func (l *link) read(begun func()) error {
	from := bufio.NewReaderSize(heard{l}, readAhead)
	for {
		var head [frameHead]byte
		if _, err := io.ReadFull(from, head[:]); err != nil {
			return err
		}
		if begun != nil {
			begun()
			begun = nil
		}
		switch n := binary.LittleEndian.Uint32(head[:]); {
		case n == alive:
		case n == question:
			_ = l.send(reply, nil)
		case n == reply:
			select {
			case l.replied <- struct{}{}:
			default:
			}
		case n > maxPayload:
			return errForm
		default:
			if err := l.bring(from, int(n)); err != nil {
				return err
			}
		}
	}
}

// bring brings a packet of n bytes, where it stands if it is no longer than what is read ahead.
func (l *link) bring(from *bufio.Reader, n int) error {
	if n <= readAhead {
		packet, err := from.Peek(n)
		if err == nil {
			l.packet(packet)
			_, err = from.Discard(n)
		}
		return err
	}
	packet := make([]byte, n)
	if _, err := io.ReadFull(from, packet); err != nil {
		return err
	}
	l.packet(packet)
	return nil
}

// roundTrip is the time until the other end has taken what was sent before, and has said so.
func (l *link) roundTrip(most time.Duration) (time.Duration, error) {
	l.asking.Lock()
	defer l.asking.Unlock()
	select {
	case <-l.replied: // to an earlier question, too late
	default:
	}
	began := time.Now()
	if err := l.send(question, nil); err != nil {
		return 0, err
	}
	select {
	case <-l.replied:
		return time.Since(began), nil
	case <-l.done:
		return 0, l.cause
	case <-time.After(most):
		return 0, errSilent
	}
}
