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
	"sync"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/tests/testmodel"
)

// A recorder is an Env that keeps digests of all that parties of this process send, by party and in order,
// and the bytes where asked.
type recorder struct {
	density.Env
	sent   [3][][sha256.Size]byte
	on     *protocol.Journal // of the process; nil: it has none
	keep   bool
	all    [][]byte
	tamper func(to int, own [][]byte) [][]byte
	alter  func(message string, own [][]byte) // of what all receive
}

func (r *recorder) Unwrap() density.Env { return r.Env }

// RelayBytes implements density.ByteRelaying.
func (r *recorder) RelayBytes(ctx context.Context, x *density.Exchange, to int, bytes []int,
	own [][]byte) ([][]byte, error) {
	if r.on != nil && r.on.Unsure() {
		return nil, errors.New("something is sent that may not be on the disk")
	}
	for k, v := range own {
		if v != nil {
			r.sent[k] = append(r.sent[k], sha256.Sum256(v))
		}
		if r.keep {
			r.all = append(r.all, slices.Clone(v))
		}
	}
	if r.tamper != nil && to >= 0 {
		own = r.tamper(to, slices.Clone(own))
	}
	if r.alter != nil && to == density.All {
		own = slices.Clone(own)
		r.alter(x.Up.Name, own)
	}
	return density.Must[density.ByteRelaying](r.Env).RelayBytes(ctx, x, to, bytes, own)
}

// Blame implements density.ByteRelaying.
func (r *recorder) Blame(ctx context.Context, parties []int, what string) error {
	return density.Must[density.ByteRelaying](r.Env).Blame(ctx, parties, what)
}

// begins reports whether others have sent what this one has, and perhaps more.
func (r *recorder) begins(other *recorder) bool {
	for k, v := range r.sent {
		if len(other.sent[k]) < len(v) || !slices.Equal(v, other.sent[k][:len(v)]) {
			return false
		}
	}
	return true
}

// A trial is a small run of all that an Evaluator does.
type trial struct {
	blocks   []density.Block
	n        int
	size     float64 // of the parameters
	openings int
	pair     func(own, peer int) ([]byte, error)
	brief    bool // it ends with its columns
	spend    func(keys string, numbers int) error
	tamper   func(to int, own [][]byte) [][]byte // of parties apart
}

func newTrial() *trial {
	bernoulli := dist.BernoulliLogit()
	law := graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}
	const n = 20
	return &trial{draw(law, n, 2, func(r *rand.Rand) float64 {
		return float64(r.IntN(2))
	}), n, .2, 10000, pair, false, nil, nil}
}

// clearing is where the parties of the run meet.
func (r *trial) clearing(t *testing.T) *testmodel.Clearing {
	t.Helper()
	c, err := testmodel.NewClearing(5, r.blocks)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// begin makes the keys and commitments of the run, over the Env of the recorder.
func (r *trial) begin(ctx context.Context, j *protocol.Journal, via *recorder) (*protocol.EncryptedEnv,
	error) {
	return protocol.New(ctx, via, 3, protocol.Options{
		Terms: func([]int, int, protocol.LikelihoodNumbers) (protocol.Agreement, error) {
			return protocol.Agreement{Openings: r.openings, Budget: protocol.Unlimited}, nil
		},
		Insecure: 5, Pair: r.pair, Journal: j, Spend: r.spend,
	})
}

// of are what the parties of a process have, of all.
func of[T any](e *protocol.EncryptedEnv, all []T) (out []T) {
	for _, b := range e.Blocks() {
		out = append(out, all[b.Index()])
	}
	return out
}

// slopes evaluates the gradients of the parties of a process.
func (r *trial) slopes(ctx context.Context, e *protocol.EncryptedEnv) ([]float64, error) {
	grad := of(e, [][]float64{like(1, 1), like(1, 2), like(1, 2)})
	err := e.Slopes(ctx, nil, of(e, at(r.blocks, r.n, 1, r.size)), grad)
	return slices.Concat(grad...), err
}

// run makes the run, and returns all numbers that it gives.
func (r *trial) run(t *testing.T, j *protocol.Journal, via *recorder) ([]float64, error) {
	if via.Env == nil {
		via.Env = r.clearing(t).Env(0, 1, 2)
	}
	return r.runIn(t.Context(), j, via)
}

func (r *trial) runIn(ctx context.Context, j *protocol.Journal, via *recorder) ([]float64, error) {
	via.on = j
	e, err := r.begin(ctx, j, via)
	if err != nil || r.brief {
		return nil, err
	}
	grad, err := r.slopes(ctx, e)
	gram, total := like(5, 5), like(1, 1)
	if err == nil {
		err = e.Curvatures(ctx, gram)
	}
	if err == nil {
		err = e.LogLik(ctx, nil, of(e, at(r.blocks, r.n, 1, r.size)), of(e, [][]float64{{1}, {2}, {3}}),
			total)
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
	j.Soon()
	return j
}

// A run is killed within or after every entry of its keys and columns and every eighth of those that follow,
// made again, and killed again. Each time it sends all that it had sent as it was; in the end its bytes and
// numbers are, bit for bit, those of a run with its journal that nobody killed.
func TestKilledAtEntries(t *testing.T) {
	const keysAndColumns = 3 * 7
	r, path := newTrial(), filepath.Join(t.TempDir(), "journal")
	sent, kills := &recorder{}, 0
	for i := 0; ; i++ {
		if i > keysAndColumns {
			i += 7
		}
		j, via := open(t, path), &recorder{}
		before := j.Entries()
		j.Kill(i-before, i%4)
		_, err := r.run(t, j, via)
		if !errors.Is(err, protocol.ErrKilled) && err != nil {
			t.Fatal(i, err)
		}
		if !sent.begins(via) {
			t.Fatalf("after %d entries other bytes are sent than before", before)
		}
		if sent = via; err == nil {
			break
		}
		if kills++; open(t, path).Entries() != i {
			t.Fatalf("%d entries are found of %d", open(t, path).Entries(), i)
		}
	}
	if kills < keysAndColumns+4 {
		t.Errorf("%d kills", kills)
	}
	var numbers [2][]float64
	for k := range numbers {
		var err error
		via := &recorder{}
		if numbers[k], err = r.run(t, open(t, path), via); err != nil || via.sent[1] == nil ||
			!sent.begins(via) || !via.begins(sent) {
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

// Parties that are apart, each with a copy of the journal of one process, send the bytes that it sent and
// find its numbers.
func TestJournalOfOneProcessSuitsParties(t *testing.T) {
	one := &recorder{}
	r := newTrial()
	path, _ := journalled(t, r, one)
	want, err := r.run(t, open(t, path), &recorder{})
	if err != nil {
		t.Fatal(err)
	}
	c := r.clearing(t)
	var wait sync.WaitGroup
	var numbers [3][]float64
	for k := range numbers {
		text, err := os.ReadFile(path)
		own := filepath.Join(t.TempDir(), "journal")
		if err = errors.Join(err, os.WriteFile(own, text, 0o600)); err != nil {
			t.Fatal(err)
		}
		j := open(t, own)
		before := j.Entries()
		wait.Go(func() {
			via := &recorder{Env: c.Env(k)}
			got, err := r.run(t, j, via)
			if numbers[k] = got; err != nil || j.Entries() != before || len(via.sent[k]) == 0 ||
				!slices.Equal(via.sent[k], one.sent[k]) {
				t.Errorf("party %d: %v, or it sends other bytes than in one process", k, err)
			}
		})
	}
	wait.Wait()
	got := slices.Concat(numbers[0][:1], numbers[1][:2], numbers[2][:2], numbers[0][1:])
	if !slices.Equal(got, want) {
		t.Errorf("%v, and in one process %v", got, want)
	}
}

// apart runs all parties, each with a journal of its own, and ends all where one ends.
func (r *trial) apart(t *testing.T, paths [3]string,
	kill func(party int, j *protocol.Journal)) (via [3]*recorder, numbers [3][]float64, errs [3]error) {
	t.Helper()
	c := r.clearing(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wait sync.WaitGroup
	for k := range via {
		via[k] = &recorder{Env: c.Env(k), tamper: r.tamper}
		j := open(t, paths[k])
		kill(k, j)
		wait.Go(func() {
			if numbers[k], errs[k] = r.runIn(ctx, j, via[k]); errs[k] != nil {
				cancel()
			}
		})
	}
	wait.Wait()
	return via, numbers, errs
}

// What a client finds of another's is said to be that one's or the server's, which has brought it.
func TestTheServerMayHaveAlteredWhatItBrings(t *testing.T) {
	r, dir := newTrial(), t.TempDir()
	paths := [3]string{filepath.Join(dir, "0"), filepath.Join(dir, "1"), filepath.Join(dir, "2")}
	r.tamper = func(to int, own [][]byte) [][]byte {
		if to == 1 && own[2] != nil {
			own[2] = slices.Clone(own[2])
			own[2][5] ^= 1
		}
		return own
	}
	_, _, errs := r.apart(t, paths, func(int, *protocol.Journal) {})
	if errs[1] == nil ||
		!strings.HasSuffix(errs[1].Error(),
			"another opening; the server, which has brought it, may have altered it") {
		t.Error(errs)
	}
}

// Parties that are apart go on where one of them was killed, at an entry of its keys or later: each sends
// what it had sent as it was, and in the end they find what a run with their journals finds that nobody
// killed.
func TestPartiesGoOnWhereOneWasKilled(t *testing.T) {
	for _, entries := range []int{1, 2, 3, 4, 5, 6, 12} {
		r, dir := newTrial(), t.TempDir()
		r.brief = entries < 7
		paths := [3]string{filepath.Join(dir, "0"), filepath.Join(dir, "1"), filepath.Join(dir, "2")}
		before, _, errs := r.apart(t, paths, func(party int, j *protocol.Journal) {
			if party == entries%3 {
				j.Kill(entries, entries%4)
			}
		})
		if !errors.Is(errs[entries%3], protocol.ErrKilled) {
			t.Fatal(entries, errs)
		}
		untouched := func(int, *protocol.Journal) {}
		resumed, numbers, errs := r.apart(t, paths, untouched)
		again, same, more := r.apart(t, paths, untouched)
		for k := range paths {
			if errs[k] != nil || more[k] != nil || !before[k].begins(resumed[k]) ||
				!resumed[k].begins(again[k]) || !slices.Equal(numbers[k], same[k]) {
				t.Errorf("party %d, %d entries: %v, %v, or other bytes are sent than before", k, entries,
					errs[k], more[k])
			}
		}
	}
}

// A party that has lost its journal, or has an older one, does not get the others to make anew what they
// sent: the run ends.
func TestPartyWithoutItsJournal(t *testing.T) {
	r, dir := newTrial(), t.TempDir()
	paths := [3]string{filepath.Join(dir, "0"), filepath.Join(dir, "1"), filepath.Join(dir, "2")}
	untouched := func(int, *protocol.Journal) {}
	if _, _, errs := r.apart(t, paths, untouched); errs != [3]error{} {
		t.Fatal(errs)
	}
	for _, entries := range []int{0, 2, 4, 5, 10} {
		r.brief = entries < 6
		lost := filepath.Join(dir, "lost")
		text, err := os.ReadFile(paths[1])
		if err = errors.Join(err, os.WriteFile(lost, text, 0o600)); err != nil {
			t.Fatal(err)
		}
		if entries == 0 {
			err = os.Remove(lost)
		} else {
			err = open(t, lost).Cut(1, entries)
		}
		if err != nil {
			t.Fatal(err)
		}
		var whole [3][]byte
		for k, path := range paths {
			whole[k], _ = os.ReadFile(path)
		}
		_, _, errs := r.apart(t, [3]string{paths[0], lost, paths[2]}, untouched)
		var refused *protocol.JournalError
		if !errors.As(errors.Join(errs[:]...), &refused) {
			t.Errorf("with %d entries: %v", entries, errs)
		}
		for _, k := range []int{0, 2} {
			if after, _ := os.ReadFile(paths[k]); !bytes.Equal(after, whole[k]) {
				t.Errorf("with %d entries party %d has made something anew", entries, k)
			}
		}
	}
}

// A run that ends where a number is counted, at each in turn, is made again with the terms that it had, and
// tells of the same numbers with the same keys, and then of more.
func TestNumbersOfARunThatIsMadeAgain(t *testing.T) {
	r, path, stop := newTrial(), filepath.Join(t.TempDir(), "journal"), errors.New("stop")
	type known struct {
		keys    string
		numbers int
	}
	var before []known
	for ended := false; !ended; r.openings-- {
		var told []known
		r.spend = func(keys string, numbers int) error {
			if told = append(told, known{keys, numbers}); len(told) > len(before) {
				return stop
			}
			return nil
		}
		_, err := r.run(t, open(t, path), &recorder{})
		if ended = err == nil; !ended && !errors.Is(err, stop) {
			t.Fatal(err)
		}
		if n := len(before); len(told) < n || !slices.Equal(told[:n], before) || n > 0 && !ended &&
			(told[n].keys != told[0].keys || told[n].numbers <= told[n-1].numbers) {
			t.Fatalf("told of %v, and before of %v", told, before)
		}
		before = told
	}
	if len(before) < 5 {
		t.Errorf("%d numbers were told of", len(before))
	}
}

// A run with other data, parameters of its fit or rows than its journal was begun with ends before it sends
// what depends on them, and writes nothing down.
func TestOtherInputs(t *testing.T) {
	path, _ := journalled(t, newTrial(), &recorder{})
	for what, c := range map[string]struct {
		change func(*trial)
		step   string
	}{
		"a cell of a client": {func(r *trial) { r.blocks[1].(*block).lin.Cuts.Matrix[3] += 1e-9 }, "columns"},
		"a response": {func(r *trial) {
			x := r.blocks[0].(*block).law.X
			x[0] = 1 - x[0]
		}, "response"},
		"a point of the fit": {func(r *trial) { r.size = .2 + 1e-12 }, "contribution"},
		"a bound of a point": {func(r *trial) { r.size = .3 }, "told"},
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

// A ciphertext of log likelihoods takes the bytes that are stated, of which there are as many as are
// afforded.
func TestBytesOfLogLikelihoods(t *testing.T) {
	r, path := newTrial(), filepath.Join(t.TempDir(), "journal")
	j := open(t, path)
	e, err := r.begin(t.Context(), j, &recorder{Env: r.clearing(t).Env(0, 1, 2), on: j})
	if err == nil {
		_, err = r.slopes(t.Context(), e)
	}
	before := j.Size()
	if err == nil {
		err = e.LogLik(t.Context(), nil, at(r.blocks, r.n, 1, r.size), [][]float64{{1}, {2}, {3}}, like(1, 1))
	}
	if err != nil {
		t.Fatal(err)
	}
	_, stated := e.Bytes()
	if got := (j.Size() - before) / 3; got < stated || got > stated+1000 {
		t.Errorf("a log likelihood takes %d bytes, and %d are stated", got, stated)
	}
	n, bytes := e.Afford(1 << 24)
	// there is room for one draw
	if all := int64(n) * stated; all > protocol.LogLikBytes || all < protocol.LogLikBytes*9/10 || !bytes {
		t.Errorf("%d log likelihoods are afforded, by their bytes: %v", n, bytes)
	}
}

// What is not whole at the end was not sent, and goes; what was altered elsewhere may have been, and ends the
// run.
func TestDamagedJournal(t *testing.T) {
	r := newTrial()
	r.brief = true
	path, steps := journalled(t, r, &recorder{})
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

// A journal that another version has begun is refused by name, with two ways out, and stays as it is.
func TestJournalOfAnotherVersion(t *testing.T) {
	r := newTrial()
	r.brief = true
	path, _ := journalled(t, r, &recorder{})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.IndexByte(whole, '\n') - 1
	for _, form := range "1309" {
		whole[at] = byte(form)
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		var other *protocol.FormError
		_, err := protocol.OpenJournal(path)
		if !errors.As(err, &other) ||
			!strings.Contains(err.Error(), "with that version, or run the model again with --overwrite") {
			t.Errorf("form %c: %v", form, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, whole) {
			t.Errorf("form %c: the file was changed", form)
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
	first := slices.IndexFunc(steps, func(s protocol.Step) bool { return s.Name == "secret" })
	if kept != 6 || !found(append([]byte("planted"), steps[first].Bytes[100:200]...)) {
		t.Errorf("%d secrets, of %d pieces, in which a planted one must be found", kept, len(pieces))
	}
}
