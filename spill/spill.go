// Package spill holds the large arrays of a run: in memory up to a limit, and beyond it in files that are
// mapped into memory. An array is read and written alike wherever it is, so that what is computed from it has
// the same bits; of one in a file the system keeps in memory what there is room for.
//
// A file has no name: it is removed from its folder before anything is written, only this process can open
// it, and the system frees it when the process ends, however that ends. Its space is reserved first, so that
// a full disk is an error before the first number is written. Files are those of Linux; elsewhere all arrays
// are in memory.
package spill

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/dustin/go-humanize"
)

// A Storage holds the large arrays of a run. The nil Storage has all in memory.
type Storage struct {
	limit  float64 // bytes in memory
	chosen bool    // by the user: what a file cannot hold is an error
	dir    string

	lock  sync.Mutex
	held  float64 // bytes in memory
	files [][]byte
	rest  []byte // of the last file, not yet given out
}

// New returns a storage that holds so many bytes in memory, and more in files; without a limit, 0, half of
// the memory that this process may have. Where it is not known how much that is, all is in memory.
func New(limit int64) *Storage {
	s := &Storage{limit: float64(limit), chosen: limit > 0, dir: folder()}
	if limit == 0 {
		s.limit = Memory() / 2
	}
	return s
}

// folder is where files are: $TMPDIR, or /var/tmp, since /tmp may be memory.
func folder() string {
	const kept = "/var/tmp"
	if _, err := os.Stat(kept); err == nil && os.Getenv("TMPDIR") == "" {
		return kept
	}
	return os.TempDir()
}

// Floats returns n numbers, all 0, in memory if there is room for so many arrays of their size.
func (s *Storage) Floats(n, arrays int) ([]float64, error) { return array[float64](s, n, arrays) }

// Wholes is Floats of one array of whole numbers of 32 bits.
func (s *Storage) Wholes(n int) ([]int32, error) { return array[int32](s, n, 1) }

// ErrFile is the error where no file can hold what is more than the limit.
var ErrFile = errors.New("no file can hold them")

const (
	least = 1 << 12  // bytes that an array in a file has at least
	chunk = 64 << 20 // bytes of a file in which several arrays are
	lane  = 64       // bytes to which arrays are aligned
)

func array[T float64 | int32](s *Storage, n, arrays int) ([]T, error) {
	var one T
	size := n * int(unsafe.Sizeof(one))
	if s == nil || s.limit == 0 || size < least || s.fits(float64(size), float64(size*arrays)) {
		return make([]T, n), nil
	}
	bytes, err := s.inFile(size)
	if err != nil && s.chosen {
		return nil, fmt.Errorf("%s of numbers are more than memory may hold (--memory %.0f), and %w: "+
			"%s: %v; free space there, name a folder on another disk by TMPDIR=FOLDER, or set a larger limit",
			humanize.Bytes(uint64(size)), s.limit, ErrFile, s.dir, err)
	}
	if err != nil {
		return make([]T, n), nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), n), nil
}

// inFile gives out bytes of a file.
func (s *Storage) inFile(size int) ([]byte, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if size > len(s.rest) {
		file, err := reserved(s.dir, max(size, chunk))
		if err != nil {
			return nil, err
		}
		s.files, s.rest = append(s.files, file), file
	}
	out := s.rest[:size:size]
	s.rest = s.rest[min(len(s.rest), (size+lane-1)/lane*lane):]
	return out, nil
}

// fits takes memory for an array if the limit leaves room for what is needed.
func (s *Storage) fits(size, needed float64) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.held+needed > s.limit {
		return false
	}
	s.held += size
	return true
}

// InFiles is how many bytes of arrays are in files, and in which folder.
func (s *Storage) InFiles() (bytes int, dir string) {
	if s == nil {
		return 0, ""
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, f := range s.files {
		bytes += len(f)
	}
	return bytes, s.dir
}

// Rest lets the system take the memory of what is in files, once it has been written.
func (s *Storage) Rest() {
	if s == nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, f := range s.files {
		forget(f)
	}
}
