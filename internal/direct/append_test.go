package direct_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/vflc/vflc/internal/direct"
)

// created is a file with some text, to which a test appends.
func created(t *testing.T, text string) (*os.File, io.WriteCloser) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f, direct.Append(f, int64(len(text)))
}

// What was written is in the file at once, with nothing but zeros after it, and when it is closed there is
// nothing after it: pieces of any length, also longer than the room.
func TestAppend(t *testing.T) {
	want := []byte("begin")
	f, a := created(t, string(want))
	random := rand.New(rand.NewPCG(1, 2))
	for k := range 300 {
		piece := make([]byte, random.IntN(3000))
		if k%100 == 50 {
			piece = make([]byte, 300_000)
		}
		for i := range piece {
			piece[i] = byte(1 + random.IntN(255))
		}
		if n, err := a.Write(piece); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
		want = append(want, piece...)
		if k%10 > 0 {
			continue
		}
		got, err := os.ReadFile(f.Name())
		if err != nil || !bytes.HasPrefix(got, want) || len(bytes.Trim(got[len(want):], "\x00")) > 0 {
			t.Fatalf("after %d pieces the file has %d bytes, not %d: %v", k, len(got), len(want), err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("closed, it has %d bytes, not %d: %v", len(got), len(want), err)
	}
	if _, err := a.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file takes bytes: %v", err)
	}
}

// A disk that is full, and a file that is open for reading alone, are errors of a write.
func TestAppendToNothing(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	if _, err := direct.Append(full, 0).Write([]byte("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
	f, _ := created(t, "text")
	g, err := os.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := direct.Append(g, 4).Write([]byte("x")); !errors.Is(err, syscall.EBADF) {
		t.Errorf("a file that is open for reading alone: %v", err)
	}
}

// A file that another program shortens below what is written is an error, and no fault.
func TestAppendToShortenedFile(t *testing.T) {
	f, a := created(t, "")
	if _, err := a.Write([]byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	_, err := a.Write([]byte("two"))
	if path := (*os.PathError)(nil); err != nil && !errors.As(err, &path) {
		t.Errorf("a write to what is no longer there: %v", err)
	}
}

// killedFile is what names the file of a process that a test kills.
const killedFile = "VFLC_TEST_APPEND"

// A process that is killed while it appends leaves whole pieces and nothing but zeros where the next begins.
func TestKilledWhileAppending(t *testing.T) {
	if path := os.Getenv(killedFile); path != "" {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		a := direct.Append(f, 0)
		for k := 0; ; k++ {
			piece := bytes.Repeat([]byte{byte(1 + k%255)}, 100+k%7)
			if _, err := a.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
	}
	for run := range 5 {
		path := filepath.Join(t.TempDir(), strconv.Itoa(run))
		c := exec.Command(os.Args[0], "-test.run=^TestKilledWhileAppending$")
		c.Env = append(os.Environ(), killedFile+"="+path)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for size := int64(0); size < int64(run+1)<<20; {
			if info, err := os.Stat(path); err == nil {
				size = info.Size()
			}
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		c.Wait()
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; len(got) > 0 && got[0] != 0; k++ {
			piece := bytes.Repeat([]byte{byte(1 + k%255)}, 100+k%7)
			if !bytes.HasPrefix(got, piece) {
				t.Fatalf("piece %d is not whole", k)
			}
			got = got[len(piece):]
		}
	}
}

// TestAppendAllocatesNothing: to append costs no memory, but where room is reserved.
func TestAppendAllocatesNothing(t *testing.T) {
	_, a := created(t, "")
	piece := bytes.Repeat([]byte{1}, 64)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := a.Write(piece); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a write allocates %v times", n)
	}
}
