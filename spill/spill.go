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
	"runtime"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"

	"github.com/dustin/go-humanize"
)

// A Storage holds the large arrays of a run. The nil Storage has all in memory.
type Storage struct {
	*arrays
	streams bool // see Streaming
}

// arrays are those of a run.
type arrays struct {
	limit  float64 // bytes in memory
	chosen bool    // by the user: what a file cannot hold is an error
	dir    string

	lock     sync.Mutex
	held     float64 // bytes in memory
	bound    float64 // bytes of the numbers of tables that are used
	read     files
	streamed *files // apart, so that the pages of others stay
}

// New returns a storage that holds so many bytes in memory, and more in files; without a limit, 0, half of
// the memory that this process may have, or a quarter where that is a resource limit. Where it is not known
// how much that is, all is in memory.
func New(limit int64) *Storage {
	s := &arrays{limit: float64(limit), chosen: limit > 0, dir: folder(), streamed: &files{}}
	if limit == 0 {
		s.limit = Usual()
	}
	return &Storage{arrays: s}
}

// Usual is how many bytes arrays of a run may take in memory unless its user says: half of the memory, or a
// quarter of a resource limit, which counts what the collector has given back, too; 0: it is not known.
func Usual() float64 {
	if all := Limited(); all > 0 {
		return min(Memory()/2, all/4)
	}
	return Memory() / 2
}

// Streaming is a storage of the same run for arrays that many others are used before and after: windows of
// rows, and numbers for each row where only a few such vectors enter a computation. They are in memory if all
// arrays are less than twice the tables then, or little; the pages of those in files are given back when they
// are many. So a run takes three times its tables in memory, the third for what is not here.
func (s *Storage) Streaming() *Storage {
	if s == nil {
		return nil
	}
	return &Storage{s.arrays, true}
}

const (
	ample     = 1 << 30   // bytes of arrays that are in memory, however small the tables
	streaming = 128 << 20 // bytes of pages of streamed arrays
)

// folder is where files are: $TMPDIR, or /var/tmp, since /tmp may be memory.
func folder() string {
	const kept = "/var/tmp"
	if _, err := os.Stat(kept); err == nil && os.Getenv("TMPDIR") == "" {
		return kept
	}
	return os.TempDir()
}

// Bound tells how many numbers of tables a run uses.
func (s *Storage) Bound(numbers int) {
	if s == nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.bound = max(s.bound, float64(8*numbers))
}

// Floats returns n numbers, all 0, in memory if there is room for so many arrays of their size.
func (s *Storage) Floats(n, arrays int) ([]float64, error) { return array[float64](s, n, arrays) }

// Free gives an array of Floats back, which nobody reads any more: another of its size may be there next.
func (s *Storage) Free(v []float64) {
	size := 8 * len(v)
	if s == nil || s.limit == 0 || size < least {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), size)
	if s.read.free(bytes) || s.streamed.free(bytes) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.held = max(0, s.held-float64(size))
}

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
	in := &s.read
	if s.streams {
		in = s.streamed
		in.watch.Do(func() { watch(s.arrays) })
	}
	bytes, err := in.give(s.dir, size)
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

// fits takes memory for an array if the limit leaves room for what is needed.
func (s *Storage) fits(size, needed float64) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	limit := s.limit
	if s.streams {
		limit = min(limit, max(ample, 2*s.bound))
	}
	if s.held+needed > limit {
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
	return s.read.bytes() + s.streamed.bytes(), s.dir
}

// Rest lets the system take the memory of what is in files, once it has been written.
func (s *Storage) Rest() {
	if s != nil {
		s.read.forget()
		s.streamed.forget()
	}
}

// worth is how many numbers that nobody has any more are worth a garbage collection: 4 MB.
const worth = 1 << 19

// GiveBack gives memory back to the system after so many numbers were dropped, if they are many: the phase of
// a run that follows may need as many of its own, and the collector alone would wait for these first.
func GiveBack(numbers int) {
	if numbers >= worth {
		debug.FreeOSMemory()
	}
}

// files are files of arrays.
type files struct {
	lock  sync.Mutex
	all   [][]byte
	rest  []byte           // of the last one, not yet given out
	freed map[int][][]byte // by size, what is needed no longer
	watch sync.Once
}

// give gives out bytes of a file in a folder.
func (f *files) give(dir string, size int) ([]byte, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if again := f.freed[size]; len(again) > 0 {
		out := again[len(again)-1]
		f.freed[size] = again[:len(again)-1]
		clear(out)
		return out, nil
	}
	if size > len(f.rest) {
		file, err := reserved(dir, max(size, chunk))
		if err != nil {
			return nil, err
		}
		f.all, f.rest = append(f.all, file), file
	}
	out := f.rest[:size:size]
	f.rest = f.rest[min(len(f.rest), (size+lane-1)/lane*lane):]
	return out, nil
}

// free takes an array back that it has given out, and reports whether it has.
func (f *files) free(v []byte) bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(v)))
	for _, file := range f.all {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(file)))
		if at >= from && at < from+uintptr(len(file)) {
			if f.freed == nil {
				f.freed = map[int][][]byte{}
			}
			f.freed[len(v)] = append(f.freed[len(v)], v)
			return true
		}
	}
	return false
}

func (f *files) bytes() (n int) {
	f.lock.Lock()
	defer f.lock.Unlock()
	for _, file := range f.all {
		n += len(file)
	}
	return n
}

// forget gives the pages back; they stay in the files.
func (f *files) forget() {
	f.lock.Lock()
	defer f.lock.Unlock()
	for _, file := range f.all {
		forget(file)
	}
}

// watch looks after the pages of streamed arrays until nobody has their storage.
func watch(s *arrays) {
	ended := make(chan struct{})
	runtime.AddCleanup(s, func(c chan struct{}) { close(c) }, ended)
	go s.streamed.look(ended)
}

// look gives the pages back whenever this process has read or written streaming bytes of files since it last
// did.
func (f *files) look(ended <-chan struct{}) {
	every := time.NewTicker(10 * time.Millisecond) // in which a core reads or writes some 50 MB of pages
	defer every.Stop()
	for before := resident(); ; {
		select {
		case <-ended:
			return
		case <-every.C:
			before = f.relieve(before)
		}
	}
}

// relieve gives the pages back if there are streaming bytes more than before, and returns how many there are.
func (f *files) relieve(before int) int {
	now := resident()
	if now-before > streaming {
		f.forget()
		now = resident()
	}
	return min(before, now)
}
