// Package direct reads and writes what does not block without telling the scheduler of Go, and appends to
// files without calling the system (Append). An ordinary system call of a process that was idle wakes the
// scheduler's monitor, another thread, which then looks every 20 microseconds for calls that block: of a
// party that waits for messages most of the time, a tenth of its time or more. The price is that nothing
// else of the process runs on the same core during the call.
package direct

import (
	"io"
	"net"
	"os"
	"syscall"
)

// Conn is a TCP connection whose reads and writes are direct where the system allows it. One goroutine at a
// time reads, and one writes.
func Conn(c net.Conn) net.Conn {
	raw, ok := rawOf(c)
	if !ok {
		return c
	}
	d := &conn{Conn: c, raw: raw}
	d.in.once, d.out.once = d.in.read, d.out.write
	return d
}

func rawOf(c any) (syscall.RawConn, bool) {
	s, ok := c.(syscall.Conn)
	if !ok || !possible {
		return nil, false
	}
	raw, err := s.SyscallConn()
	return raw, err == nil
}

type conn struct {
	net.Conn
	raw     syscall.RawConn
	in, out transfer
}

// A transfer is one call of the system: a part of bytes, of which n have been read or written.
type transfer struct {
	bytes []byte
	n     int
	err   error
	once  func(fd uintptr) bool // read or write, made once
}

// settled takes what a call has returned. It reports whether there is nothing to wait for.
func (t *transfer) settled(n int, errno syscall.Errno) bool {
	if errno == syscall.EAGAIN {
		return false
	}
	if t.n, t.err = n, nil; errno != 0 {
		t.n, t.err = 0, errno
	}
	return true
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c.in.bytes = p
	if err := c.raw.Read(c.in.once); err != nil {
		return 0, err
	}
	switch {
	case c.in.err != nil:
		return 0, c.failed("read", c.in.err)
	case c.in.n == 0:
		return 0, io.EOF
	}
	return c.in.n, nil
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.out.all(c.raw, p)
	if c.out.err != nil {
		err = c.failed("write", c.out.err)
	}
	return n, err
}

// all writes everything. The error is of the connection; t.err is that of the call.
func (t *transfer) all(raw syscall.RawConn, p []byte) (done int, err error) {
	for t.err = nil; done < len(p) && err == nil && t.err == nil; {
		t.n, t.bytes = 0, p[done:]
		err = raw.Write(t.once)
		done += t.n
	}
	return done, err
}

func (c *conn) failed(op string, err error) error {
	return &net.OpError{Op: op, Net: c.LocalAddr().Network(), Source: c.LocalAddr(), Addr: c.RemoteAddr(),
		Err: os.NewSyscallError(op, err)}
}
