package protocol_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
	blocks []density.Block
	n      int
	size   float64 // of the parameters
}

func newTrial() *trial {
	bernoulli := dist.BernoulliLogit()
	law := graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}
	const n = 20
	return &trial{draw(law, n, 2, func(r *rand.Rand) float64 { return float64(r.IntN(2)) }), n, .2}
}

// run makes the run, and returns all numbers that it gives.
func (r *trial) run(t *testing.T, j *protocol.Journal, via *recorder) ([]float64, error) {
	t.Helper()
	c, err := testmodel.NewClearing(5, r.blocks)
	if err != nil {
		t.Fatal(err)
	}
	e, err := protocol.New(t.Context(), recording{c.Env(0, 1, 2), via}, 3, protocol.Options{Insecure: 5, Terms: terms(0), Pair: pair, Journal: j})
	if err != nil {
		return nil, err
	}
	grad, gram, total := [][]float64{like(1, 1), like(1, 2), like(1, 2)}, like(5, 5), like(1, 1)
	cut, plus := at(r.blocks, r.n, 1, r.size), [][]float64{{1}, {2}, {3}}
	err = e.Slopes(t.Context(), nil, cut, grad)
	if err == nil {
		err = e.Curvatures(t.Context(), gram)
	}
	if err == nil {
		err = e.LogLik(t.Context(), nil, cut, plus, total)
	}
	return slices.Concat(slices.Concat(grad...), gram, total), err
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

// A run that is killed at any entry, within it or after it, and made again sends all it had sent as it was,
// and ends; what it has sent and found then is, bit for bit, that of a run with the same journal that nobody
// killed.
func TestKilledAtEveryEntry(t *testing.T) {
	r, dir := newTrial(), t.TempDir()
	whole := open(t, filepath.Join(dir, "whole"))
	if _, err := r.run(t, whole, &recorder{}); err != nil {
		t.Fatal(err)
	}
	for i := range whole.Entries() {
		path := filepath.Join(dir, "killed")
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		first, second, third := &recorder{}, &recorder{}, &recorder{}
		j := open(t, path)
		j.Kill(i, i%4)
		if _, err := r.run(t, j, first); !errors.Is(err, protocol.ErrKilled) {
			t.Fatal(i, err)
		}
		j = open(t, path)
		if j.Entries() != i {
			t.Errorf("%d entries are found of %d", j.Entries(), i)
		}
		got, err := r.run(t, j, second)
		if err != nil {
			t.Fatal(i, err)
		}
		if !slices.Equal(first.sent, second.sent[:len(first.sent)]) {
			t.Errorf("after entry %d other bytes are sent than before", i)
		}
		want, err := r.run(t, open(t, path), third)
		if err != nil || !slices.Equal(got, want) || !slices.Equal(second.sent, third.sent) {
			t.Errorf("after entry %d: %v, or the run is not that of its journal", i, err)
		}
	}
}
