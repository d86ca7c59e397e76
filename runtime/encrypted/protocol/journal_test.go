package protocol_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/tests/testmodel"
)

// A recorder keeps digests of all that parties send, in order, and the bytes where asked.
type recorder struct {
	sent   [][sha256.Size]byte
	keep   bool
	all    [][]byte
	tamper func(to int, own [][]byte) [][]byte
}

// recording is an Env whose bytes a recorder sees.
type recording struct {
	density.Env
	*recorder
}

// Unwrap implements density.Wrapper.
func (r recording) Unwrap() density.Env { return r.Env }

// RelayBytes implements density.ByteRelaying.
func (r recording) RelayBytes(ctx context.Context, x *density.Exchange, to int, bytes []int, own [][]byte) ([][]byte, error) {
	for _, v := range own {
		r.sent = append(r.sent, sha256.Sum256(v))
		if r.keep {
			r.all = append(r.all, slices.Clone(v))
		}
	}
	if r.tamper != nil && to != density.All {
		own = r.tamper(to, slices.Clone(own))
	}
	return density.Must[density.ByteRelaying](r.Env).RelayBytes(ctx, x, to, bytes, own)
}

// Blame implements density.ByteRelaying.
func (r recording) Blame(ctx context.Context, party int, what string) error {
	return density.Must[density.ByteRelaying](r.Env).Blame(ctx, party, what)
}

// A trial is a small run of all that an Evaluator does.
type trial struct {
	blocks   []density.Block
	n        int
	size     float64 // of the parameters
	openings int
	pair     func(own, peer int) ([]byte, error)
}

func newTrial() *trial {
	bernoulli := dist.BernoulliLogit()
	law := graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}
	const n = 20
	return &trial{draw(law, n, 2, func(r *rand.Rand) float64 { return float64(r.IntN(2)) }), n, .2, 10000, pair}
}

// begin makes the keys and commitments of the run.
func (r *trial) begin(t *testing.T, j *protocol.Journal, via *recorder) (*protocol.Evaluator, error) {
	t.Helper()
	c, err := testmodel.NewClearing(5, r.blocks)
	if err != nil {
		t.Fatal(err)
	}
	openings := func([]int, int) (protocol.Terms, error) { return protocol.Terms{Openings: r.openings}, nil }
	return protocol.New(t.Context(), recording{c.Env(0, 1, 2), via}, 3, protocol.Options{Insecure: 5, Terms: openings, Pair: r.pair, Journal: j})
}

// slopes evaluates the gradients.
func (r *trial) slopes(t *testing.T, e *protocol.Evaluator) ([]float64, error) {
	grad := [][]float64{like(1, 1), like(1, 2), like(1, 2)}
	err := e.Slopes(t.Context(), nil, at(r.blocks, r.n, 1, r.size), grad)
	return slices.Concat(grad...), err
}

// run makes the run, and returns all numbers that it gives.
func (r *trial) run(t *testing.T, j *protocol.Journal, via *recorder) ([]float64, error) {
	t.Helper()
	e, err := r.begin(t, j, via)
	if err != nil {
		return nil, err
	}
	grad, err := r.slopes(t, e)
	gram, total := like(5, 5), like(1, 1)
	if err == nil {
		err = e.Curvatures(t.Context(), gram)
	}
	if err == nil {
		err = e.LogLik(t.Context(), nil, at(r.blocks, r.n, 1, r.size), [][]float64{{1}, {2}, {3}}, total)
	}
	return slices.Concat(grad, gram, total), err
}

func open(t *testing.T, path string) *protocol.Journal {
	t.Helper()
	j, err := protocol.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// A run is killed within or after every entry of its keys and columns and every fourth of those that follow,
// made again, and killed again. Each time it sends all that it had sent as it was; in the end its bytes and
// numbers are, bit for bit, those of a run with its journal that nobody killed.
func TestKilledAtEntries(t *testing.T) {
	const keysAndColumns = 3 * 6
	r, path := newTrial(), filepath.Join(t.TempDir(), "journal")
	sent, kills := [][sha256.Size]byte(nil), 0
	for i := 0; ; i++ {
		if i > keysAndColumns {
			i += 3
		}
		j, via := open(t, path), &recorder{}
		before := j.Entries()
		j.Kill(i-before, i%4)
		_, err := r.run(t, j, via)
		if !errors.Is(err, protocol.ErrKilled) && err != nil {
			t.Fatal(i, err)
		}
		if !slices.Equal(sent, via.sent[:len(sent)]) {
			t.Fatalf("after %d entries other bytes are sent than before", before)
		}
		if sent = via.sent; err == nil {
			break
		}
		if kills++; open(t, path).Entries() != i {
			t.Fatalf("%d entries are found of %d", open(t, path).Entries(), i)
		}
	}
	if kills < keysAndColumns+8 {
		t.Errorf("%d kills", kills)
	}
	var numbers [2][]float64
	for k := range numbers {
		var err error
		via := &recorder{}
		if numbers[k], err = r.run(t, open(t, path), via); err != nil || !slices.Equal(sent, via.sent) {
			t.Error(err, "the run is not that of its journal")
		}
	}
	if !slices.Equal(numbers[0], numbers[1]) || numbers[0][0] == 0 {
		t.Error("its numbers are not those of its journal")
	}
}

// journalled is the path of the journal of a small run, with its steps.
func journalled(t *testing.T, r *trial, via *recorder) (path string, steps []protocol.Step) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "journal")
	j := open(t, path)
	if _, err := r.run(t, j, via); err != nil {
		t.Fatal(err)
	}
	steps, err := j.Steps()
	if err != nil {
		t.Fatal(err)
	}
	return path, steps
}

// A run with other data, parameters of its fit or rows than its journal was begun with ends before it sends
// what depends on them, and writes nothing down.
func TestOtherInputs(t *testing.T) {
	path, _ := journalled(t, newTrial(), &recorder{})
	for what, c := range map[string]struct {
		change func(*trial)
		step   string
	}{
		"a cell of a client":          {func(r *trial) { r.blocks[1].(*block).lin.Cuts.Matrix[3] += 1e-9 }, "columns"},
		"a response":                  {func(r *trial) { x := r.blocks[0].(*block).law.X; x[0] = 1 - x[0] }, "response"},
		"a point of the fit":          {func(r *trial) { r.size = .2 + 1e-12 }, "contribution"},
		"what the keys were made for": {func(r *trial) { r.openings = 9999 }, "reference"},
	} {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r, refused := newTrial(), (*protocol.JournalError)(nil)
		c.change(r)
		_, err = r.run(t, open(t, path), &recorder{})
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), `"`+c.step+`" is of other data`) {
			t.Errorf("%s: %v", what, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s: the journal was written", what)
		}
	}
}

// What is not whole at the end was not sent, and goes; what was altered elsewhere may have been, and ends the
// run.
func TestDamagedJournal(t *testing.T) {
	path, steps := journalled(t, newTrial(), &recorder{})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 20, 100, len(whole) - 30, len(whole) - 10, len(whole)} {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if n := open(t, path).Entries(); n >= len(steps) {
			t.Errorf("%d entries without the last %d bytes", n, cut)
		}
		if left, _ := os.ReadFile(path); !bytes.HasPrefix(whole, left) && len(left) > 0 {
			t.Errorf("without the last %d bytes others are left", cut)
		}
	}
	for at := range 40 {
		bad := slices.Clone(whole)
		bad[at*(len(whole)-1)/39] ^= 4
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		var damaged *protocol.JournalError
		if _, err := protocol.OpenJournal(path); !errors.As(err, &damaged) {
			t.Errorf("byte %d of %d: %v", at*(len(whole)-1)/39, len(whole), err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, bad) {
			t.Errorf("byte %d: the file was changed", at)
		}
	}
}

// Nothing that a journal keeps for its party alone is among the bytes that are sent, and nor are shares
// for another client.
func TestSecretsAreNotSent(t *testing.T) {
	via := &recorder{keep: true}
	_, steps := journalled(t, newTrial(), via)
	const window = 16
	pieces, kept := map[[window]byte]bool{}, 0
	for _, s := range steps {
		secret := s.Bytes
		if s.Name == "round one" {
			both, err := protocol.Unpack(s.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			secret = both[0]
		}
		if s.Name == "secret" || s.Name == "round one" {
			kept++
			for i := 8; i+window <= len(secret); i += window {
				pieces[[window]byte(secret[i:])] = true
			}
		}
	}
	found := func(message []byte) bool {
		for i := range len(message) - window + 1 {
			if pieces[[window]byte(message[i:])] {
				return true
			}
		}
		return false
	}
	for _, message := range via.all {
		if found(message) {
			t.Errorf("a message of %d bytes has part of a secret", len(message))
		}
	}
	if kept != 6 || !found(append([]byte("planted"), steps[1].Bytes[100:200]...)) {
		t.Errorf("%d secrets, of %d pieces, in which a planted one must be found", kept, len(pieces))
	}
}
