package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
)

// A notebook is one party's end of its connections that keeps arrays of one number a row: by round what the
// party has sent, and what it has received.
type notebook struct {
	transport.Transport
	rows           int
	sent, received map[uint64][]float64
}

func (n *notebook) keep(in map[uint64][]float64, channel string, m transport.Message) {
	for _, a := range m.Arrays {
		if strings.HasPrefix(a.Name, channel+" ") && len(a.Data) == n.rows {
			in[m.Round] = slices.Clone(a.Data)
		}
	}
}

func (n *notebook) Send(ctx context.Context, to string, m transport.Message) error {
	n.keep(n.sent, "cut", m)
	return n.Transport.Send(ctx, to, m)
}

func (n *notebook) Recv(ctx context.Context, from string) (transport.Message, error) {
	m, err := n.Transport.Recv(ctx, from)
	if err == nil {
		n.keep(n.received, "adjoint", m)
	}
	return m, err
}

// notebooks runs the first steps of a fit with a goroutine for each party, each of which keeps what it sends
// and receives.
func notebooks(t *testing.T, p *Prepared, rows, steps int) []*notebook {
	t.Helper()
	keys, err := session.SimulatedKeys(7, p.Plan.Names).WithMasks(p.Plan)
	good(t, nil, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var wait sync.WaitGroup
	var out []*notebook
	for i, end := range transport.NewMem(p.Plan.Names) {
		n := &notebook{end, rows, map[uint64][]float64{}, map[uint64][]float64{}}
		out = append(out, n)
		wait.Go(func() {
			defer end.Close()
			if err := firstSteps(ctx, p, i, n, keys, steps); err != nil {
				cancel(fmt.Errorf("%s: %w", p.Plan.Names[i], err))
			}
		})
	}
	wait.Wait()
	good(t, nil, context.Cause(ctx))
	return out
}

// firstSteps is one party's part of the first steps.
func firstSteps(ctx context.Context, p *Prepared, i int, end transport.Transport, keys session.Keys,
	steps int) error {
	env, err := session.NewRemote(p.Plan.Only(i), i, end, keys.Only(p.Plan.Names[i]))
	if err != nil {
		return err
	}
	k, err := p.Algorithm.New(density.Chain(env, 1), p.Settings)
	if err == nil {
		err = k.Init(ctx)
	}
	for range steps {
		if err == nil {
			_, err = k.Step(ctx)
		}
	}
	if err == nil {
		err = env.(density.Chained).End(ctx)
	}
	return err
}

// labelled is a logistic regression whose response registry alone has, on three continuous covariates of
// each of some hospitals; and the response.
func labelled(t *testing.T, names []string, n int) (path string, y []float64) {
	t.Helper()
	dir, random := t.TempDir(), rand.New(rand.NewPCG(41, 42))
	model, sum := "client registry, "+strings.Join(names, ", ")+
		"\ndata y : binary[N] @ registry\nparam m ~ normal(0, 2)\n", ""
	eta := make([]float64, n)
	for k, name := range names {
		var table strings.Builder
		table.WriteString("id,x1,x2,x3\n")
		for i := range eta {
			x1, x2, x3 := random.NormFloat64(), random.NormFloat64(), random.NormFloat64()
			eta[i] += 0.8*x1 - 0.6*x2 + 0.3*x3
			fmt.Fprintf(&table, "%03d,%g,%g,%g\n", i, x1, x2, x3)
		}
		write(t, filepath.Join(dir, "m", name+".csv"), table.String())
		model += fmt.Sprintf("data X%[1]d : real[N, P%[1]d] @ %[2]s\nparam u%[1]d : real[P%[1]d] "+
			"~ normal(0, 1) @ %[2]s\n", k, name)
		sum += fmt.Sprintf(" + X%d * u%d", k, k)
	}
	var response strings.Builder
	response.WriteString("id,y\n")
	for i, e := range eta {
		y = append(y, 0)
		if random.Float64() < 1/(1+math.Exp(-e)) {
			y[i] = 1
		}
		fmt.Fprintf(&response, "%03d,%g\n", i, y[i])
	}
	write(t, filepath.Join(dir, "m", "registry.csv"), response.String())
	path = filepath.Join(dir, "m.vfl")
	write(t, path, model+"y ~ bernoulli_logit(m"+sum+")\n")
	return path, y
}

// bracket bounds the number that all rows of an answer have in common beside the slopes of the likelihood,
// which lie between 0 and 1 where the response is 1, and between -1 and 0 where it is 0. Of a row that is not
// there the response is not known yet.
func bracket(adjoint []float64, response map[int]float64) (least, most float64) {
	least, most = math.Inf(-1), math.Inf(1)
	for i, g := range adjoint {
		least, most = max(least, g-1), min(most, g+1)
		if y, known := response[i]; known && y == 1 {
			most = min(most, g)
		} else if known {
			least = max(least, g)
		}
	}
	return least, most
}

// othersOf is what a client computes from what it has sent and received alone: the response of the rows, and
// for every evaluation what the others contribute to them, up to a constant. Where all rows of an answer have
// a number in common, each row whose slope is beyond the bounds of that number tells its response, and these
// narrow the bounds in other evaluations.
func othersOf(own *notebook, common bool) (response map[int]float64, others map[uint64][]float64) {
	const rounding = 1e-9
	bounds := func(round uint64) (least, most float64) {
		if !common {
			return 0, 0
		}
		return bracket(own.received[round], response)
	}
	response, others = map[int]float64{}, map[uint64][]float64{}
	for before := -1; before < len(response); {
		before = len(response)
		for round, adjoint := range own.received {
			least, most := bounds(round)
			for i, g := range adjoint {
				if g > most+rounding {
					response[i] = 1
				} else if g < least-rounding {
					response[i] = 0
				}
			}
		}
	}
	for round, adjoint := range own.received {
		least, most := bounds(round)
		at := (least + most) / 2
		for i, g := range adjoint {
			y := response[i]
			others[round] = append(others[round], math.Log(y-g+at)-math.Log(1-y+g-at)-own.sent[round][i])
		}
	}
	return response, others
}

// Under exact a client computes, from what it has sent and received in the first steps of a fit, the response
// of every row: the sign of the adjoint, but for one number that all rows have in common where nuts takes the
// intercept relative to the sum. So it has the probability of every row, and its logit without the client's
// own cut is what the others contribute, up to the intercept: the other's cut with two clients, their sum
// with three. The verdict of the audit names each of the others in place of their sum, which separates for
// whoever has it in every evaluation, as for the server.
func TestClientHasTheResponseAndTheOthers(t *testing.T) {
	const rows = 80
	all := []string{"hospital_a", "hospital_b", "hospital_c"}
	for _, clients := range []int{2, 3} {
		path, y := labelled(t, all[:clients], rows)
		o := check.Options{Transform: stdlib.Exact, Accept: diag.Accepted{"label-leak"}}
		b := bound(t, path, o)
		m, sources := compiled(t, path, o)
		two := m.Tables(sources, data.Joining{})
		if two == nil {
			t.Fatal("the tables cannot be read")
		}
		for _, c := range []struct {
			name, setting, value string
			least                float64 // correlation, in the median of the evaluations
		}{{"nuts", "coordinates", "declared", 1 - 1e-9}, {"nuts", "coordinates", "auto", 0.98},
			{"sfvi", "estimator", "sampled", 1 - 1e-9}} {
			what := fmt.Sprintf("%d clients, %s, %s %s", clients, c.name, c.setting, c.value)
			// so that the truth, what the others send, can be read below
			given := map[string]string{c.setting: c.value, "secure-sum": "off"}
			p := wired(t, b, withSetting(given, "backend", c.name), nil)
			books := notebooks(t, p, rows, 30)
			response, others := othersOf(books[1], c.value == "auto")
			for i := range y {
				if found, known := response[i]; !known || found != y[i] {
					t.Errorf("%s: the response of row %d is %g, found %g: %t", what, i, y[i], found, known)
				}
			}
			var correlations []float64
			for round, rest := range others {
				truth := make([]float64, rows)
				for _, other := range books[2:] {
					for i, x := range other.sent[round] {
						truth[i] += x
					}
				}
				correlations = append(correlations, stat.Correlation(rest, truth, nil))
			}
			slices.Sort(correlations)
			if n := len(correlations); n < 20 || !(correlations[n/2] >= c.least) {
				t.Errorf("%s: correlations with what the others contribute in %d evaluations: %v", what, n,
					correlations)
			}
			want := compile.Verdict{Receivers: []string{"hospital_a"}, Response: []string{"registry's y"},
				Each: all[1:clients]}
			lines := verdictOf(t, b, c.name, given, two)
			at := slices.IndexFunc(lines, func(v compile.Verdict) bool {
				return v.Receivers[0] == "hospital_a"
			})
			if at < 0 {
				t.Fatalf("%s: no line of hospital_a: %v", what, lines)
			}
			got := lines[at]
			got.Receivers, got.Text = got.Receivers[:1], ""
			// a line of several receivers names all of them
			got.Each, got.Sum = without(got.Each, "hospital_a"), without(got.Sum, "hospital_a")
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(compile.Verdict{})); diff != "" {
				t.Errorf("%s: what the attack has (-) and what the verdict says (+):\n%s", what, diff)
			}
		}
	}
}

// withSetting is a copy of settings and one more.
func withSetting(given map[string]string, name, value string) map[string]string {
	out := map[string]string{name: value}
	for k, v := range given {
		out[k] = v
	}
	return out
}

// without is a list without one name; nil where nothing is left.
func without(list []string, name string) (out []string) {
	for _, one := range list {
		if one != name {
			out = append(out, one)
		}
	}
	return out
}
