package fit

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A tape keeps what was sent last, by sender, receiver and channel, and shows it to heard with the kind of
// each message.
type tape struct {
	sync.Mutex
	last  map[string][]float64
	heard func(from, kind string, last map[string][]float64)
}

type taped struct {
	transport.Transport
	name string
	*tape
}

func (r taped) Send(ctx context.Context, to string, m transport.Message) error {
	r.Lock()
	for _, a := range m.Arrays {
		r.last[r.name+" "+to+" "+a.Name] = slices.Clone(a.Data)
	}
	r.heard(r.name, m.Kind, r.last)
	r.Unlock()
	return r.Transport.Send(ctx, to, m)
}

// residual is how much of v is not a multiple of x, relative to v.
func residual(v, x []float64) float64 {
	vx, xx, vv, rr := 0.0, 0.0, 0.0, 0.0
	for i := range x {
		vx, xx, vv = vx+v[i]*x[i], xx+x[i]*x[i], vv+v[i]*v[i]
	}
	for i := range x {
		rr += math.Pow(v[i]-x[i]*vx/xx, 2)
	}
	return math.Sqrt(rr / vv)
}

// column reads a table of one column.
func column(t *testing.T, table string) (out []float64) {
	for _, cell := range strings.Fields(table)[1:] {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// What the audit claims a curious receiver can compute, it can: the cut of client a, whose direction is its
// only column x, without an error where the audit says that no noise is on it, and not where it says so.
func TestWhatAReceiverComputes(t *testing.T) {
	fixture := audited["plain"]
	x, y := column(t, rowsOf("x")), column(t, rowsOf("y"))
	z := func(last map[string][]float64) []float64 { return last["a server z z_1+z_2"] }
	bare := func(last map[string][]float64) []float64 { return last["a server cut z_1+z_2"] }
	for name, c := range map[string]struct {
		backend   string
		transform def.Transform
		given     map[string]string
		kind      string // of a's messages after which cut is asked
		cut       func(last map[string][]float64) []float64
		first     bool // only the first such message counts
		exact     bool
	}{
		"z of nuts": {backend: "nuts", transform: stdlib.Augmented, kind: "aux", cut: z},
		"the cut of nuts": {backend: "nuts", transform: stdlib.Exact, kind: "aux", cut: bare,
			exact: true},
		"the cut of a fit": {backend: "sfvi", transform: stdlib.Exact, kind: "aux", cut: bare,
			exact: true},
		"the first z of soul": {backend: "soul", transform: stdlib.Augmented, kind: "aux", cut: z,
			first: true, exact: true},
		"the adjoint in power": {backend: "nuts", transform: stdlib.Power, kind: "partial", exact: true,
			cut: func(last map[string][]float64) []float64 {
				out := make([]float64, len(y))
				for i := range out { // the adjoint is (y − b − others − cut)/J, J = 2
					others := last["server a sum o_1"][i] - last["a server z o_1"][i]
					out[i] = y[i] - last["server a value b"][0] - others - 2*last["a server adjoint o_1"][i]
				}
				return out
			}},
	} {
		t.Run(name, func(t *testing.T) {
			given := short(backend(t, c.backend))
			if c.backend == "sfvi" {
				given["iterations"] = "20"
			}
			for k, v := range c.given {
				given[k] = v
			}
			bound, asked, worst := fixture.Bind(t, check.Options{Transform: c.transform, Rho: 0.5}), 0, 0.0
			r := &tape{last: map[string][]float64{},
				heard: func(from, kind string, last map[string][]float64) {
					if from == "a" && kind == c.kind && (asked == 0 || !c.first) {
						asked++
						worst = max(worst, residual(c.cut(last), x))
					}
				}}
			together(t, bound, backend(t, c.backend), given,
				func(name string, end transport.Transport) transport.Transport {
					return taped{end, name, r}
				})
			switch {
			case asked == 0:
				t.Error("no such message was sent")
			case c.exact && worst > 1e-9:
				t.Errorf("the cut is found with a relative error of %g in %d messages", worst, asked)
			case !c.exact && worst < 0.01:
				t.Errorf("the cut is found with a relative error of %g, in spite of the noise", worst)
			}
		})
	}
}

// Once soul has settled, z − rho²·(its adjoint) is the mean of the cut over the client's chains: up to the
// fit's own tolerance it lies along the column x.
func TestSettledSoulShowsTheCut(t *testing.T) {
	bound, latest := audited["plain"].Bind(t, check.Options{Transform: stdlib.Augmented, Rho: 0.5}),
		math.NaN()
	x := column(t, rowsOf("x"))
	r := &tape{last: map[string][]float64{}, heard: func(from, kind string, last map[string][]float64) {
		z, adjoint := last["a server z z_1+z_2"], last["server a adjoint z_1+z_2"]
		if from == "server" && kind == "reply" && adjoint != nil {
			cut := make([]float64, len(x))
			for i := range cut {
				cut[i] = z[i] - 0.25*adjoint[i]
			}
			latest = residual(cut, x)
		}
	}}
	together(t, bound, backend(t, "soul"), short(backend(t, "soul")),
		func(name string, end transport.Transport) transport.Transport {
			return taped{end, name, r}
		})
	if !(latest < 0.1) {
		t.Errorf("the cut is found with a relative error of %g", latest)
	}
}
