package spill

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Arrays beyond the limit are in files without a name, all 0, and share no byte; those that memory has room
// for are not.
func TestArraysBeyondTheLimit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are those of Linux")
	}
	onDisk, err := os.MkdirTemp("/var/tmp", "spill")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(onDisk)
	t.Setenv("TMPDIR", onDisk)
	s := New(100_000)
	if _, err := s.Floats(10_000, 1); err != nil { // 80 kB
		t.Fatal(err)
	}
	if n, _ := s.InFiles(); n != 0 {
		t.Errorf("%d bytes in files before the limit", n)
	}
	var all [][]float64
	for k := range 5 {
		v, err := s.Floats(1000*(k+1)+1, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range v {
			if x != 0 {
				t.Fatalf("element %d of a new array is %v", i, x)
			}
			v[i] = float64(k + 1)
		}
		all = append(all, v)
	}
	s.Rest()
	for k, v := range all {
		for i, x := range v {
			if x != float64(k+1) {
				t.Fatalf("element %d of array %d is %v", i, k, x)
			}
		}
	}
	if n, dir := s.InFiles(); n != chunk || dir != onDisk {
		t.Errorf("%d bytes in files of %s", n, dir)
	}
	if named, err := os.ReadDir(onDisk); err != nil || len(named) > 0 {
		t.Errorf("files with names: %v %v", named, err)
	}
}

// A file that cannot be made is an error where a limit was chosen; else the array is in memory. A folder that
// is memory itself holds no files.
func TestNoFile(t *testing.T) {
	for _, dir := range []string{filepath.Join(t.TempDir(), "none"), "/dev/shm"} {
		if _, err := os.Stat(dir); err != nil && dir == "/dev/shm" {
			continue
		}
		t.Setenv("TMPDIR", dir)
		if _, err := New(1).Floats(1000, 1); !errors.Is(err, ErrFile) {
			t.Errorf("%s: %v", dir, err)
		}
		s := New(0)
		s.limit = 1
		if v, err := s.Wholes(10_000); err != nil || len(v) != 10_000 {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if v, err := (*Storage)(nil).Floats(10, 1); err != nil || len(v) != 10 {
		t.Error(err)
	}
}

// Streamed arrays are in memory as far as twice the tables, or ample memory, have room for all arrays; others
// as far as the limit has. The pages of streamed ones are given back when they are many, and keep what was
// written.
func TestStreamedArrays(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are those of Linux")
	}
	s := New(1 << 40)
	s.Bound(ample / 8)             // twice that is twice ample
	s.streamed.watch.Do(func() {}) // the test does it
	s.held = 2*ample - streaming   // room for one of these
	const n = streaming / 4        // two of them, as bytes
	for _, of := range []*Storage{s, s.Streaming()} {
		before := resident()
		v, err := of.Floats(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		if of == s {
			if in, _ := s.InFiles(); in > 0 {
				t.Errorf("%d bytes in files before the limit", in)
			}
			continue
		}
		if in, _ := s.InFiles(); in != 8*n {
			t.Errorf("%d bytes in files, want %d", in, 8*n)
		}
		for i := range v {
			v[i] = float64(i)
		}
		if here := resident() - before; here < 8*n {
			t.Fatalf("%d bytes of %d are here after they were written", here, 8*n)
		}
		s.streamed.relieve(before)
		if here := resident() - before; here > streaming {
			t.Errorf("%d bytes are here after their pages were given back", here)
		}
		for i, x := range v {
			if x != float64(i) {
				t.Fatalf("number %d is %v", i, x)
			}
		}
	}
}

// An array that is given back makes room for another, in memory and in a file, which is all 0 again.
func TestFree(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are those of Linux")
	}
	onDisk, err := os.MkdirTemp("/var/tmp", "spill")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(onDisk)
	t.Setenv("TMPDIR", onDisk)
	s := New(100_000)
	for range 50 {
		inMemory, err := s.Floats(10_000, 1) // 80 kB
		if err != nil {
			t.Fatal(err)
		}
		inFile, err := s.Floats(5_000_000, 1) // 40 MB
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range [][]float64{inMemory, inFile} {
			for i, x := range v {
				if x != 0 {
					t.Fatalf("element %d of a new array is %v", i, x)
				}
				v[i] = 1
			}
			s.Free(v)
		}
	}
	if n, _ := s.InFiles(); n != chunk {
		t.Errorf("%d bytes in files", n)
	}
}
