package direct

import (
	"errors"
	"io"
	"os"
	"runtime/debug"
	"syscall"
)

// At least leastRoom bytes are reserved at once, and at most mostRoom: as many as the file has, since to
// reserve and map them costs the same for all lengths. A disk that is full is found then, and not when they
// are written.
const leastRoom, mostRoom = 1 << 14, 1 << 20

// A window is the end of a file in memory: to append is to copy. Where the file system reserves nothing, or
// maps nothing, the window is nil for ever and the system is called.
type window struct {
	*os.File
	end    int64 // of what was written
	from   int64 // where the window begins
	mapped []byte
	rest   *written // in place of the window
}

func mapped(f *os.File, end int64) io.WriteCloser { return &window{File: f, end: end} }

// Write implements io.Writer.
func (w *window) Write(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	if w.rest == nil && w.end+int64(len(p)) > w.from+int64(len(w.mapped)) {
		if err := w.move(len(p)); err != nil {
			return 0, &os.PathError{Op: "fallocate", Path: w.Name(), Err: err}
		}
	}
	if w.rest != nil {
		return w.rest.Write(p)
	}
	// a page that the disk does not take in the end is a fault
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			n, err = 0, &os.PathError{Op: "write", Path: w.Name(), Err: syscall.EIO}
		}
	}()
	to := w.mapped[w.end-w.from:]
	copy(to[1:], p[1:])
	publish(&to[0], p[0]) // until then there is nothing
	w.end += int64(len(p))
	return len(p), nil
}

// publish sets a byte after all that was written before the call: it is a function of its own, so that the
// compiler moves nothing behind it.
//
//go:noinline
func publish(at *byte, b byte) { *at = b }

// move moves the window to the end of the file, with room for n bytes more.
func (w *window) move(n int) error {
	from := w.end - w.end%int64(os.Getpagesize())
	size := int(w.end-from) + n + int(max(leastRoom, min(mostRoom, w.end)))
	err := uninterrupted(func() error { return syscall.Fallocate(int(w.Fd()), 0, from, int64(size)) })
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return err
	}
	var next []byte
	if err == nil {
		next, err = syscall.Mmap(int(w.Fd()), from, size, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_SHARED)
	}
	w.leave()
	if err != nil {
		w.rest = &written{w.File, w.end}
		w.Truncate(w.end) // where it cannot be, room is left
		return nil
	}
	w.from, w.mapped = from, next
	return nil
}

func uninterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// leave gives the window up.
func (w *window) leave() {
	if w.mapped != nil {
		_ = syscall.Munmap(w.mapped) // it is one of Mmap's
	}
	w.mapped = nil
}

// Close implements io.Closer.
func (w *window) Close() error {
	var err error
	if w.mapped != nil {
		w.leave()
		err = w.Truncate(w.end)
	}
	return errors.Join(err, w.File.Close())
}
