package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxBytes is the largest size of a table where no other is given: 8 GB.
const MaxBytes = 8_000_000_000

// ErrFolder is the error of a folder where a file is needed.
var ErrFolder = errors.New("is a directory")

// MaxText is the largest size of a model or program: 64 MB.
const MaxText = 64_000_000

// An Input is an open file or pipe.
type Input struct {
	io.Reader
	io.Closer
	Again bool // it can be opened again and then gives the same: it is a regular file
}

// Open opens a file of at most so many bytes. Reading more than that from a pipe is an error. Errors are an
// *fs.PathError, as those of os.Open are.
func Open(path string, most int64) (*Input, error) {
	info, err := os.Stat(path) // before the file is opened, because to open a device may have effects
	if err != nil {
		return nil, err
	}
	refuse := func(format string, args ...any) (*Input, error) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf(format, args...)}
	}
	mode := info.Mode()
	switch {
	case mode.IsDir():
		return refuse("%w", ErrFolder)
	case mode&fs.ModeDevice != 0:
		return refuse("it is a device, not a file")
	case !mode.IsRegular() && mode&fs.ModeNamedPipe == 0:
		return refuse("it is neither a file nor a pipe")
	case info.Size() > most:
		return refuse("it has %d bytes, more than the limit of %d; --max-bytes sets another for tables",
			info.Size(), most)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Input{&bounded{f, path, most, most}, f, mode.IsRegular()}, nil
}

// Read reads a whole file.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Stdin is the name of standard input among files.
const Stdin = "-"

// ReadText reads a model, or another text, from a file or from standard input.
func ReadText(path string) ([]byte, error) {
	if path != Stdin {
		return Read(path, MaxText)
	}
	return io.ReadAll(&bounded{os.Stdin, "standard input", MaxText, MaxText})
}

// A bounded reader returns an error where there is more than most bytes.
type bounded struct {
	r          io.Reader
	path       string
	left, most int64
}

// Bounded is a reader that returns an error where there are more than most bytes; path is for its text.
func Bounded(r io.Reader, path string, most int64) io.Reader { return &bounded{r, path, most, most} }

var errMore = errors.New("it has more bytes than the limit")

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, &fs.PathError{Op: "read", Path: b.path,
			Err: fmt.Errorf("%w of %d; --max-bytes sets another for tables", errMore, b.most)}
	}
	return n, err
}

// Whole is all that a file that is opened has. It has nothing to give back.
func Whole(open func() (io.ReadCloser, error)) (text []byte, rest, done func(), err error) {
	f, err := open()
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	text, err = io.ReadAll(f)
	return text, func() {}, func() {}, err
}
