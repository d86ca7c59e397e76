package fit

import (
	"strings"
	"testing"
)

// Draws alone need 8 bytes a number: a bound that lets more of them pass than the memory holds is none, and
// one that refuses a tenth of it is too strict.
func TestMemoryOfChains(t *testing.T) {
	const memory = 8e9
	for _, c := range []struct {
		chains, draws, width int
		fits                 bool
	}{{4, 1000, 100, true}, {1000, 1000, 20, true}, {4, 100000, 10, true}, {1000000, 1000, 1, false},
		{1 << 40, 1 << 40, 1, false}, {4, 1000, 1000000, false}, {1 << 30, 0, 1, false}} {
		err := within(c.chains, c.draws, c.width, c.width, memory)
		if (err == nil) != c.fits {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && !strings.Contains(err.Error(), "this process may have 8 GB") {
			t.Error(err)
		}
		if err := within(c.chains, c.draws, c.width, c.width, 0); err != nil {
			t.Errorf("unknown memory: %v", err)
		}
	}
}

// Vectors over the rows are refused where they would leave no room for the rest, and the message says what to
// do.
func TestMemoryOfRows(t *testing.T) {
	for _, c := range []struct {
		vectors, rows int
		most          float64
		fits          bool
	}{{16, 1_000_000, 150e6, true}, {16, 1_000_000, 50e6, false}, {0, 1 << 40, 1e6, true},
		{16, 1 << 40, 0, true}} {
		err := withinRows(c.vectors, c.rows, c.most)
		if (err == nil) != c.fits {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && !strings.Contains(err.Error(), "there are 0.05 GB for them") {
			t.Error(err)
		}
	}
}
