package backends_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/backends"
)

type state struct {
	n    int
	yes  bool
	x    float64
	list []float64
}

func (s *state) carry(c *backends.Codec) {
	c.Ints(&s.n)
	c.Bool(&s.yes)
	c.Float(&s.x)
	c.Floats(s.list)
}

// Everything comes back bit for bit, not-a-numbers too; whatever is cut off is an error.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := state{rapid.Int().Draw(rt, "n"), rapid.Bool().Draw(rt, "yes"),
			math.Float64frombits(rapid.Uint64().Draw(rt, "x")),
			rapid.SliceOf(rapid.Float64()).Draw(rt, "list")}
		var b bytes.Buffer
		if err := backends.SaveState(&b, "a heading", want.carry); err != nil {
			rt.Fatal(err)
		}
		got := state{list: make([]float64, len(want.list))}
		if err := backends.LoadState(bytes.NewReader(b.Bytes()), "a heading", got.carry); err != nil {
			rt.Fatal(err)
		}
		if got.n != want.n || got.yes != want.yes || math.Float64bits(got.x) != math.Float64bits(want.x) {
			rt.Fatalf("got %v, want %v", got, want)
		}
		for i, v := range want.list {
			if math.Float64bits(v) != math.Float64bits(got.list[i]) {
				rt.Fatalf("got %v, want %v", got, want)
			}
		}
		cut := rapid.IntRange(0, b.Len()-1).Draw(rt, "cut")
		if backends.LoadState(bytes.NewReader(b.Bytes()[:cut]), "a heading", got.carry) == nil {
			rt.Fatalf("%d of %d bytes were enough", cut, b.Len())
		}
	})
}

func TestHeadingOfAnother(t *testing.T) {
	var b bytes.Buffer
	if err := backends.SaveState(&b, "one", func(*backends.Codec) {}); err != nil {
		t.Fatal(err)
	}
	err := backends.LoadState(&b, "two", func(*backends.Codec) { t.Error("the state was read") })
	if err == nil || !strings.Contains(err.Error(), `"one"`) || !strings.Contains(err.Error(), `"two"`) {
		t.Errorf("got %v", err)
	}
}

// What cannot be used is the error of Load, and nothing after it is read.
func TestFail(t *testing.T) {
	var b bytes.Buffer
	x := 3.0
	if err := backends.SaveState(&b, "h", func(c *backends.Codec) { c.Float(&x) }); err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("wrong")
	y := 1.0
	err := backends.LoadState(&b, "h", func(c *backends.Codec) {
		c.Fail(wrong)
		c.Float(&y)
	})
	if !errors.Is(err, wrong) || y != 0 {
		t.Errorf("got %v, read %v", err, y)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestSaveTellsOfTheDisk(t *testing.T) {
	if backends.SaveState(full{}, "h", func(c *backends.Codec) { c.Floats(make([]float64, 10000)) }) == nil {
		t.Error("nothing was said")
	}
}

// A state that no Load would take is not saved.
func TestTooMuchIsRemembered(t *testing.T) {
	memory := make([]int, 1<<20+1)
	if err := backends.SaveState(io.Discard, "a heading", func(c *backends.Codec) {
		c.Remembered(nil, &memory)
	}); err == nil || !strings.Contains(err.Error(), "remembers") {
		t.Error(err)
	}
}
