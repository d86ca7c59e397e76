package vector

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fenced hands out slices next to a page without access: they end at its start or begin at its end.
type fenced struct {
	t      *testing.T
	atEnd  bool
	spaces [][]byte
	next   int
}

const fencedPages = 192

func (f *fenced) make(n int) []float64 {
	page := unix.Getpagesize()
	if f.next == len(f.spaces) {
		s, err := unix.Mmap(-1, 0, (fencedPages+2)*page, unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			f.t.Skip("no memory can be mapped: ", err)
		}
		for _, at := range []int{0, (fencedPages + 1) * page} {
			if err := unix.Mprotect(s[at:at+page], unix.PROT_NONE); err != nil {
				f.t.Skip("no page can be protected: ", err)
			}
		}
		f.t.Cleanup(func() {
			if err := unix.Munmap(s); err != nil {
				f.t.Error(err)
			}
		})
		f.spaces = append(f.spaces, s)
	}
	inside := f.spaces[f.next][page : (fencedPages+1)*page]
	f.next++
	if 8*n > len(inside) {
		f.t.Fatalf("%d numbers do not fit between the fences", n)
	}
	if f.atEnd {
		inside = inside[len(inside)-8*n:]
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(inside))), n)
}

// A function that reads or writes a byte outside its slices faults here, even where it would mask the lane
// afterwards.
func TestNothingOutsideIsTouched(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for _, atEnd := range []bool{true, false} {
		f := &fenced{t: t, atEnd: atEnd}
		for n := 1; n < 75; n++ {
			k, cols, seed := 1+r.IntN(19), 1+r.IntN(19), r.Uint64()
			for _, c := range calls() {
				for _, set := range Sets() {
					f.next = 0
					c.everything(set, n, k, cols, seed, f.make)
				}
			}
		}
		for _, k := range []int{33, 129, 776, 1032} { // of every kind of tile
			for n := 1; n < 75; n += 3 {
				for _, c := range linearCalls() {
					for _, set := range Sets() {
						f.next = 0
						c.everything(set, n, k, n, 5, f.make)
					}
				}
			}
		}
	}
}
