package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/spill"
)

// An input is a file or pipe of at most so many bytes, also once it is unpacked.
type input struct {
	name   string
	most   int64
	raw    opener
	packed string // gzip, zstd; "": it is not compressed
	head   []byte // what it begins with, unpacked
	hold   *spill.Storage
}

// inputOf looks at how a file begins.
func inputOf(path string, most int64) (*input, error) {
	in := &input{name: path, most: most, raw: fileOpener(path, most)}
	var err error
	if in.head, err = beginning(in.raw); err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(in.head, []byte("\x1f\x8b")):
		in.packed = "gzip"
	case bytes.HasPrefix(in.head, []byte("\x28\xb5\x2f\xfd")):
		in.packed = "zstd"
	default:
		return in, nil
	}
	in.head, err = beginning(in.open)
	return in, err
}

// beginning reads the first 512 bytes.
func beginning(open opener) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 512))
}

// ending is the ending of the name, without that of the compression.
func (in *input) ending() string {
	name := strings.ToLower(in.name)
	if in.packed != "" {
		for _, end := range []string{".gz", ".gzip", ".zst", ".zstd"} {
			name = strings.TrimSuffix(name, end)
		}
	}
	return filepath.Ext(name)
}

// open opens the file, unpacked.
func (in *input) open() (io.ReadCloser, error) {
	f, err := in.raw()
	if err != nil || in.packed == "" {
		return f, err
	}
	u := &unpacked{by: in.packed, end: f.Close}
	switch in.packed {
	case "gzip":
		u.text, err = gzip.NewReader(f)
	default:
		var z *zstd.Decoder
		z, err = zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		u.text, u.end = z, func() error { z.Close(); return f.Close() }
	}
	if err != nil {
		f.Close()
		return nil, u.damaged(err)
	}
	return struct {
		io.Reader
		io.Closer
	}{safefile.Bounded(u, in.name, in.most), u}, nil
}

// maxWindow is how much memory the reader of a zstd file may take for what it refers back to: that of its
// strongest level.
const maxWindow = 128 << 20

// An unpacked file is read through its decompression.
type unpacked struct {
	by   string
	text io.Reader
	end  func() error
}

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.text.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = u.damaged(err)
	}
	return n, err
}

// Close implements io.Closer.
func (u *unpacked) Close() error { return u.end() }

// damaged is an error of the decompression; that of a file that ends too early is not io.ErrUnexpectedEOF
// any more, which io.ReadFull means otherwise.
func (u *unpacked) damaged(err error) error {
	return fmt.Errorf("the %s file is damaged or not whole (%v): copy or write it again", u.by, err)
}
