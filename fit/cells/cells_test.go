package cells

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A result is found under the same name as long as what it depends on is the same, wherever the files are.
func TestNamesFollowFromContents(t *testing.T) {
	name := func(part *Steps, flags []Flag, inputs ...Input) string {
		c := &Cell{Command: "run", Model: "anywhere/m.vfl", Flags: flags, Part: part, Inputs: inputs}
		return c.ID()
	}
	model, other := Digest("model", []byte("a")), Digest("model", []byte("b"))
	rho, data := Flag{Name: "rho", Value: "1"}, Flag{Name: "data", Value: "a=x.csv"}
	one := name(nil, []Flag{rho, data}, model)
	data.Value = "a=y.csv"
	if one != name(nil, []Flag{rho, data}, model) ||
		one != name(nil, []Flag{rho, {Name: "module", Value: "a=m.vfl"}}, model) {
		t.Error("the path of a file changes the name")
	}
	if one == name(nil, []Flag{{Name: "rho", Value: "2"}}, model) || one == name(nil, []Flag{rho}, other) ||
		one == name(&Steps{0, 1}, []Flag{rho}, model) {
		t.Error("a flag, the text of the model or the part does not change the name")
	}
}

// Paths of files are moved, and nothing else.
func TestMoved(t *testing.T) {
	up := func(path string) string { return "/up/" + path }
	for value, want := range map[string]string{"a=x.csv": "a=/up/x.csv",
		"a=x.csv,y.csv": "a=/up/x.csv,/up/y.csv", "x.csv": "/up/x.csv", "d/x=1.csv": "/up/d/x=1.csv"} {
		if got := (Flag{Name: "data", Value: value}).Moved(up).Value; got != want {
			t.Errorf("%s becomes %s, want %s", value, got, want)
		}
	}
	c := &Cell{Model: "m.vfl", Flags: []Flag{{Name: "set", Value: "k=3"}, {Name: "module", Value: "a=p.vfl"}}}
	moved := c.Moved(up)
	if moved.Model != "/up/m.vfl" || moved.Flags[0].Value != "k=3" || moved.Flags[1].Value != "a=/up/p.vfl" ||
		c.Flags[1].Value != "a=p.vfl" {
		t.Errorf("%v of %v", moved, c)
	}
}

func TestParts(t *testing.T) {
	got := Parts(12, 5)
	if !slices.Equal(got, []Steps{{0, 5}, {5, 10}, {10, 12}}) {
		t.Error(got)
	}
	for _, p := range []Steps{{-1, 1}, {2, 2}, {3, 2}, {0, 13}} {
		if p.Within(12) == nil {
			t.Errorf("%v is within 12", p)
		}
	}
	if err := got[2].Within(12); err != nil {
		t.Error(err)
	}
}

// cellsOf are n cells of one step each.
func cellsOf(n int) (all []*Cell) {
	for _, p := range Parts(n, 1) {
		all = append(all, &Cell{Command: "cv", Part: &p})
	}
	return all
}

// Every cell is made once, by at most so many at a time, and reported once; none is begun after an interrupt,
// and what was begun and given up is not reported.
func TestLocal(t *testing.T) {
	for _, jobs := range []int{1, 3, 60} {
		all := cellsOf(40)
		var lock sync.Mutex
		at, most, times := 0, 0, map[*Cell]int{}
		make := func(_ context.Context, c *Cell) ([]byte, error) {
			lock.Lock()
			at++
			most = max(most, at)
			times[c]++
			lock.Unlock()
			defer func() { lock.Lock(); at--; lock.Unlock() }()
			return []byte{byte(c.Part.First)}, nil
		}
		reported := map[byte]int{}
		if err := (Local{jobs, make}).Work(t.Context(), all, func(_ *Cell, result []byte, failed error) (bool,
			error) {
			reported[result[0]]++
			return false, failed
		}); err != nil || len(times) != 40 || len(reported) != 40 || most > jobs {
			t.Errorf("%d jobs: %v, %d made, %d reported, %d at a time", jobs, err, len(times), len(reported),
				most)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	made := 0
	err := Local{1, func(ctx context.Context, c *Cell) ([]byte, error) {
		if c.Part.First == 2 {
			end()
		}
		return nil, ctx.Err()
	}}.Work(ctx, cellsOf(5), func(*Cell, []byte, error) (bool, error) { made++; return false, nil })
	if !errors.Is(err, context.Canceled) || made != 2 {
		t.Errorf("%v after %d cells", err, made)
	}
}

// An untilEnough is a pool that closes a channel when it has heard that it has made enough.
type untilEnough struct {
	Pool
	heard chan struct{}
}

func (p untilEnough) Work(ctx context.Context, all []*Cell, done Done) error {
	var once sync.Once
	return p.Pool.Work(ctx, all, func(c *Cell, result []byte, failed error) (bool, error) {
		enough, err := done(c, result, failed)
		if enough {
			once.Do(func() { close(p.heard) })
		}
		return enough, err
	})
}

// The error of a computation is that of its first part that fails, whoever is done first, and parts behind it
// are not waited for.
func TestFirstFailureInOrder(t *testing.T) {
	for _, jobs := range []int{1, 2, 8} {
		slow, known := make(chan struct{}), make(chan struct{})
		begun := 0
		var lock sync.Mutex
		pool := Local{jobs, func(_ context.Context, c *Cell) ([]byte, error) {
			lock.Lock()
			begun++
			lock.Unlock()
			switch c.Part.First {
			case 3:
				if jobs > 1 {
					<-slow // fails after part 4
				}
				return nil, errors.New("three")
			case 4:
				close(slow)
				return nil, errors.New("four")
			}
			if c.Part.First > 4 {
				<-known
			}
			return []byte("fine"), nil
		}}
		steps := 0
		err := Gather(t.Context(), untilEnough{pool, known}, cellsOf(100),
			func(p Steps, result []byte) error {
				if string(result) != "fine" {
					t.Errorf("%v gives %q", p, result)
				}
				return nil
			}, func(done, all int) { steps = done })
		if err == nil || err.Error() != "three" || begun > 5+jobs || steps < 3 {
			t.Errorf("%d jobs: %v after %d parts, %d of them fine", jobs, err, begun, steps)
		}
	}
	bad := errors.New("no result")
	if err := Gather(t.Context(), Local{1, func(context.Context, *Cell) ([]byte, error) {
		return nil, nil
	}}, cellsOf(2), func(Steps, []byte) error { return bad }, nil); !errors.Is(err, bad) {
		t.Error(err)
	}
}

// An error that was sent is the error that it was: its text, its kind, its diagnostics with their places, and
// what they print.
func TestFailureIsSent(t *testing.T) {
	file := source.New("/w/root/h/m.vfl", "data y : real[N]\ny ~ normal(0, 1)\n")
	var diags diag.List
	diags.Errorf(diag.NoStart, file, source.Span{Start: 17, End: 33},
		"not finite with /w/root/h/t.csv").NoteAt(file, source.Span{Start: 5, End: 6}, "y").Note("a way out")
	print := func(l diag.List) string {
		var b strings.Builder
		if err := diag.Text(&b, l.Shown(), false); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := strings.NewReplacer("/w/root/h/m.vfl", "m.vfl", "/w/root/h/t.csv",
		"../t.csv").Replace(print(diags))
	for _, c := range []struct {
		err          error
		usage, coded bool
	}{{errors.New("plain /w/root/h/t.csv"), false, false},
		{fmt.Errorf("fold 1: %w", &fit.UsageError{Err: errors.New("use")}), true, false},
		{fmt.Errorf("fold 2: %w", data.Errors(diags)), false, true}} {
		text, err := json.Marshal(FailureOf(c.err).Renamed("/w/root/", "/"))
		if err != nil {
			t.Fatal(err)
		}
		sent, err := ReadFailure(text)
		if err != nil {
			t.Fatal(err)
		}
		var got error = sent.Renamed("/h/m.vfl", "m.vfl", "/h/t.csv", "../t.csv")
		var usage *fit.UsageError
		var found data.Errors
		if errors.As(got, &usage) != c.usage || errors.As(got, &found) != c.coded ||
			got.Error() != strings.ReplaceAll(c.err.Error(), "/w/root/h/t.csv", "../t.csv") {
			t.Errorf("%v became %v", c.err, got)
		}
		if c.coded && print(diag.List(found)) != want {
			t.Errorf("%s\nwant\n%s", print(diag.List(found)), want)
		}
	}
	if FailureOf(nil) != nil {
		t.Error("a failure without an error")
	}
}

// What is sent as a failure and is none is refused, so that printing it cannot fail.
func TestGarbageIsNoFailure(t *testing.T) {
	for _, text := range []string{
		``, `3`, `{"diagnostics": [null]}`, `{"diagnostics": [{"Code": "V0101", "Severity": 9}]}`,
		`{"diagnostics": [{"Code": "V9999"}]}`,
		`{"diagnostics": [{"Code": "V0101", "File": {"Name": "m", "Text": "abc"}, "Span": {"Start": -1, "End": 2}}]}`,
		`{"diagnostics": [{"Code": "V0101", "File": {"Name": "m", "Text": "abc"}, "Span": {"Start": 1, "End": 9}}]}`,
		`{"diagnostics": [{"Code": "V0101", "File": {"Name": "m", "Text": "abc"}, "Fixes": [{"Span": {"Start": 3, "End": 2}}]}]}`,
		`{"diagnostics": [{"Code": "V0101", "Notes": [{"File": {"Name": "m", "Text": "abc"}, "Span": {"Start": 1, "End": 9}}]}]}`,
	} {
		if f, err := ReadFailure([]byte(text)); err == nil {
			t.Errorf("%s is taken as %v", text, f)
		}
	}
}
