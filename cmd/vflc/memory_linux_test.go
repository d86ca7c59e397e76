package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/vflc/vflc/posterior/export"
)

// A haystack looks for neighbouring numbers of vectors in bytes, at any offset.
type haystack struct {
	sieve []bool              // by the first sieveBits of a number
	next  map[uint64][]uint64 // what may follow it
}

const sieveBits = 24

func newHaystack() *haystack {
	return &haystack{make([]bool, 1<<sieveBits), map[uint64][]uint64{}}
}

// sieved is a few bits of a number, in which numbers that are near one another differ.
func sieved(word uint64) uint64 { return word * 0x9e3779b97f4a7c15 >> (64 - sieveBits) }

func (h *haystack) pair(a, b uint64) {
	h.sieve[sieved(a)] = true
	h.next[a] = append(h.next[a], b)
}

// Grids on which a number of a masked or fixed message may be: its step is 2 to the power of minus one of
// these.
const coarsest, finest = 24, 62

// add adds a vector as floating point numbers, and as the words of fixed point ones.
func (h *haystack) add(v []float64) {
	for i := range v[1:] {
		h.pair(math.Float64bits(v[i]), math.Float64bits(v[i+1]))
		for e := coarsest; e <= finest; e++ {
			a, b := math.Ldexp(v[i], e), math.Ldexp(v[i+1], e)
			if math.Abs(a) < 1<<62 && math.Abs(b) < 1<<62 && math.Abs(a) > 1<<20 && math.Abs(b) > 1<<20 {
				h.pair(uint64(int64(math.RoundToEven(a))), uint64(int64(math.RoundToEven(b))))
			}
		}
	}
}

// in counts the pairs that some bytes have.
func (h *haystack) in(b []byte) (found int) {
	for k := 0; k+16 <= len(b); k++ {
		word := binary.LittleEndian.Uint64(b[k:])
		if !h.sieve[sieved(word)] {
			continue
		}
		for _, next := range h.next[word] {
			if binary.LittleEndian.Uint64(b[k+8:]) == next {
				found++
				break
			}
		}
	}
	return found
}

// memory is all that a process can write to, of what is there; nothing where it has ended. The process is
// stopped meanwhile.
func (s *stage) memory(process int) []byte {
	s.t.Helper()
	if syscall.Kill(process, syscall.SIGSTOP) != nil || !alive(process) {
		return nil
	}
	defer func() { _ = syscall.Kill(process, syscall.SIGCONT) }()
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", process))
	if err != nil {
		s.t.Skip("the memory of another process cannot be read here: ", err)
	}
	defer maps.Close()
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", process))
	if err != nil {
		s.t.Skip("the memory of another process cannot be read here: ", err)
	}
	defer mem.Close()
	var out []byte
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, to uint64
		var rights string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &rights); err != nil ||
			!strings.HasPrefix(rights, "rw") || to-from > 1<<32 {
			continue
		}
		const page = 1 << 20
		for at := from; at < to; at += page {
			b := make([]byte, min(page, to-at))
			if n, err := mem.ReadAt(b, int64(at)); n > 0 && (err == nil || err == io.EOF) {
				out = append(out, b[:n]...)
			}
		}
	}
	return out
}

// The memory of a server's process and all files that it keeps hold what a client has sent where sums are not
// masked, and no part of it where they are. What a client has sent is known from its draws: under exact the
// cut at each of them. A transition of one short step evaluates little but draws, so that the server's
// buffers, which are used again and again, hold one at most instants.
func TestServersMemoryHasNoClientsValues(t *testing.T) {
	t.Parallel()
	const instants = 2
	for name, c := range map[string]struct {
		args []string
		has  bool
	}{
		"plain":              {[]string{"--secure-sum", "off"}, true},
		"fixed":              {[]string{"--secure-sum", "off", "--wire", "fixed"}, true},
		"masked":             {nil, false},
		"masked, long words": {[]string{"--secure-sum", "on", "--wire", "fixed"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stopAfter("demo")
			var held []byte
			const warmup = 50
			draws, first, last := 0, 0, 0 // of the draws, those around the instants
			s.meet(func(n int) []string {
				draws = 4000 * n
				return append([]string{"--transform", "exact", "--chains", "1", "--warmup", fmt.Sprint(warmup),
					"--max-depth", "1", "--target-accept", "0.99", "--draws", fmt.Sprint(draws),
					"--checkpoint-interval", "20ms"}, c.args...)
			}, func() bool {
				if !s.reach("server", warmup+30) {
					return false
				}
				held, first = held[:0], s.saved("server")-warmup
				for range instants {
					now := s.memory(s.demo().Processes[0].Process)
					if len(now) == 0 {
						return false
					}
					held = append(held, now...)
				}
				last = s.saved("server")
				if !s.reach("server", last+1) {
					return false
				}
				last = s.saved("server") - warmup
				return true
			})
			s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")

			h := newHaystack()
			for party, parameter := range map[string]string{"a": "ba", "b": "bb"} {
				values, shape, err := export.ReadFloats(filepath.Join(s.dir, "demo", "runs", party,
					"draws.zarr"), "posterior/"+parameter)
				if err != nil || len(values) != draws {
					t.Fatal(shape, err)
				}
				x := s.column("m/" + party + ".csv")
				for _, b := range values[first:min(last, draws)] {
					cut := make([]float64, len(x))
					for i := range x {
						cut[i] = x[i] * b
					}
					h.add(cut)
				}
				h.add(x)
			}
			kept := 0
			err := filepath.WalkDir(filepath.Join(s.dir, "demo", "runs", "server"),
				func(path string, e fs.DirEntry, err error) error {
					if err != nil || e.IsDir() {
						return err
					}
					text, err := os.ReadFile(path)
					kept += h.in(text)
					return err
				})
			if err != nil {
				t.Fatal(err)
			}
			found := h.in(held)
			t.Logf("%d MB of memory: %d pairs; in the files: %d", len(held)>>20, found, kept)
			if kept > 0 || found > 0 != c.has || c.has && found < 39 {
				t.Errorf("%d pairs of numbers that clients have sent are in the server's "+
					"memory, %d in its files", found, kept)
			}
		})
	}
}

// column is the second column of a table, in the order of the server's identifiers.
func (s *stage) column(file string) []float64 {
	s.t.Helper()
	at := map[string]float64{}
	for _, line := range strings.Split(strings.TrimSpace(s.read(file)), "\n")[1:] {
		var v float64
		id, cell, _ := strings.Cut(line, ",")
		if _, err := fmt.Sscan(cell, &v); err != nil {
			s.t.Fatal(err)
		}
		at[id] = v
	}
	var out []float64
	for _, id := range s.ids("m/server.csv") {
		out = append(out, at[id])
	}
	return out
}
