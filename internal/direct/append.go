package direct

import (
	"io"
	"os"
)

// Append adds to a file from an offset on, which is its end. What Write was given is in the system's memory
// when it returns: it is in the file also where the process is killed after that, and either all of it or
// nothing where it is killed before. Until Close, which closes the file too, it may have room after its end,
// of which the first byte is 0: nothing that is written may begin with it.
func Append(f *os.File, end int64) io.WriteCloser {
	if w := mapped(f, end); w != nil {
		return w
	}
	return &written{f, end}
}

// written calls the system each time.
type written struct {
	*os.File
	end int64
}

// Write implements io.Writer.
func (w *written) Write(p []byte) (int, error) {
	n, err := w.WriteAt(p, w.end)
	w.end += int64(n)
	return n, err
}
