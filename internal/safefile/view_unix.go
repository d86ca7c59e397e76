//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package safefile

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// leastView is how many bytes a file has at least that is mapped.
const leastView = 1 << 20

// View is the text of a file of at most so many bytes, until done is called. A regular file is mapped into
// memory, so that the system reads its pages when they are used, and again after rest, which gives them back:
// where another program shortens it meanwhile, reading is a fault. Other files are read whole, as open opens
// them.
func View(path string, most int64, open func() (io.ReadCloser, error)) (text []byte, rest, done func(),
	err error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() < leastView || info.Size() > most {
		return Whole(open)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	text, err = syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return Whole(open)
	}
	return text, func() { unix.Madvise(text, unix.MADV_DONTNEED) }, func() { syscall.Munmap(text) }, nil
}
