package fit

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/accept"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib/transforms"
)

// encryptedModel is a binary response of two clients with a column each.
const encryptedModel = "client left, right\ndata y : binary[N] @ shared\ndata x : real[N] @ left\ndata z : real[N] @ right\n" +
	"param b ~ normal(0, 5)\nparam u ~ normal(0, 2.5) @ left\nparam v ~ normal(0, 2.5) @ right\ny ~ bernoulli_logit(b + x * u + z * v)\n"

// separate are files of a model of clients with columns of their own and a binary response of n rows, and its
// text.
func separate(n, clients, columns int) (text string, files map[string]string) {
	r, of := rand.New(rand.NewPCG(uint64(clients), uint64(columns))), map[string]*strings.Builder{"server.csv": {}}
	names, predictor := []string{}, "b"
	declared := "data y : binary[N]\nparam b ~ normal(0, 5)\n"
	fmt.Fprint(of["server.csv"], "id,y\n")
	for k := range clients {
		name, table := fmt.Sprintf("c%d", k), &strings.Builder{}
		names, of[name+".csv"] = append(names, name), table
		fmt.Fprint(table, "id")
		for j := range columns {
			fmt.Fprintf(table, ",x%d_%d", k, j)
			declared += fmt.Sprintf("data x%d_%d : real[N] @ %s\nparam u%d_%d ~ normal(0, 2.5) @ %s\n", k, j, name, k, j, name)
			predictor += fmt.Sprintf(" + x%d_%d * u%d_%d", k, j, k, j)
		}
		fmt.Fprintln(table)
	}
	for i := range n {
		eta := -1.0
		for _, name := range names {
			fmt.Fprint(of[name+".csv"], i)
			for range columns {
				x := r.NormFloat64()
				eta += .3 * x
				fmt.Fprintf(of[name+".csv"], ",%.4f", x)
			}
			fmt.Fprintln(of[name+".csv"])
		}
		fmt.Fprintf(of["server.csv"], "%d,%v\n", i, indicator(r.Float64() < 1/(1+math.Exp(-eta))))
	}
	files = map[string]string{}
	for name, table := range of {
		files[name] = table.String()
	}
	return "client " + strings.Join(names, ", ") + "\n" + declared + "y ~ bernoulli_logit(" + predictor + ")\n", files
}

// A row that a party's columns single out, alone or together, is refused before there are keys, by the parameter of the
// column and without a number of it.
func TestARowAloneIsRefused(t *testing.T) {
	text, files := separate(2400, 2, 2)
	lines := strings.Split(files["c1.csv"], "\n")
	const says = "c1: with the column of u1_1, %s of its columns %s a leverage above 1/5"
	for want, second := range map[string]func(i int, x, z string) string{
		fmt.Sprintf(says, "1 row", "has"): func(i int, _, z string) string { // far beyond all others
			if i == 7 {
				return "800"
			}
			return z
		},
		fmt.Sprintf(says, "2 rows", "have"): func(i int, x, _ string) string { // another in two rows alone
			if i == 7 || i == 9 {
				return "3"
			}
			return x
		},
	} {
		changed := lines[0] + "\n"
		for i, line := range lines[1 : len(lines)-1] {
			cells := strings.Split(line, ",")
			changed += cells[0] + "," + cells[1] + "," + second(i, cells[1], cells[2]) + "\n"
		}
		other := maps.Clone(files)
		other["c1.csv"] = changed
		p, diags, err := OpenBound(bindFiles(t, text, transforms.Exact, 0, other), Options{
			Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"}, ring: 8,
		})
		good(t, diags, err)
		_, err = p.Sample(t.Context(), nil)
		var refused data.Errors
		if !errors.As(err, &refused) || refused[0].Code != diag.AloneRows || !strings.HasPrefix(refused[0].Message, want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// What is foreseen of a run as often as it used each exchange is what it counts, for every party and for all
// but each.
func TestWhatIsForeseenIsCounted(t *testing.T) {
	for _, c := range []struct{ clients, columns int }{{1, 3}, {2, 1}, {2, 4}, {4, 2}} {
		text, files := separate(1500, c.clients, c.columns)
		a := backend(t, "sfvi")
		p, diags, err := OpenBound(bound(t, besideModel(t, text, files), check.Options{Transform: transforms.Exact, Accept: accept.Set{"few-rows"}}), Options{
			Algorithm: a, Settings: map[string]string{"wire": "encrypted", "correct": "false"}, ring: 8,
		})
		if err != nil || diags.HasErrors() {
			t.Fatal(err, diags)
		}
		r, err := p.Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Diagnose() { // nuts does not run on this wire
			if strings.Contains(f.Try, "--backend") && !strings.Contains(f.Try, "on another wire") || strings.Contains(f.Try, "guide") {
				t.Errorf("%+v: %s; try: %s", c, f.Text, f.Try)
			}
		}
		did, parts, own := map[density.Sums]int{}, 0, 0
		for o, times := range p.rows.Opened() {
			if did[o.Sums] += times; o.Sums == density.Parts {
				parts, own = parts+o.Number*times, own+times
			}
		}
		uses := p.Algorithm.Exchanges(p.Settings)
		for i := range uses {
			u := &uses[i]
			switch u.Openings[0].Sums {
			case density.OwnGradients, density.CrossProducts, density.Gradients:
				u.Times = did[u.Openings[0].Sums]
			case density.Parts:
				u.Times, u.Openings[0].Usual = own, parts
			}
			if u.Times > u.MostTimes {
				t.Errorf("%+v: %q was used %d times, which is more than at most", c, u.Exchange.Name, u.Times)
			}
		}
		columns, got := p.rows.Columns(), p.rows.Reckoning()
		for k := range columns {
			for alone, n := range map[bool]int{true: got.Alone[k], false: got.Rest[k]} {
				in := make([]bool, len(columns))
				for b := range in {
					in[b] = (b == k) == alone
				}
				if want, most := density.Opened(uses, columns, in); n != want || n > most {
					t.Errorf("%+v: coalition %v knows %d numbers, foreseen are %d, at most %d", c, in, n, want, most)
				}
			}
		}
	}
}

// overWire is the summary of a run of the model on a wire, and the line below it.
func overWire(t *testing.T, b *compile.Bound, settings map[string]string) ([]posterior.Row, string) {
	t.Helper()
	a := backend(t, "sfvi")
	p, diags, err := OpenBound(b, Options{Algorithm: a, Settings: settings, ring: 11})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Summary(), r.Footer()
}

// A run over encrypted rows, in a ring that is small, gives the joint Gaussian of the plain wire: means within
// a 20th of its standard deviations, these within a tenth, in few evaluations, and says below what is known.
func TestARunOfEncryptedRows(t *testing.T) {
	const n = 4000
	r := rand.New(rand.NewPCG(4, 2))
	tables := map[string]*strings.Builder{"server.csv": {}, "left.csv": {}, "right.csv": {}}
	for name, column := range map[string]string{"server.csv": "y", "left.csv": "x", "right.csv": "z"} {
		fmt.Fprintf(tables[name], "id,%s\n", column)
	}
	for i := range n {
		x, z := r.NormFloat64(), r.NormFloat64()
		y := indicator(r.Float64() < 1/(1+math.Exp(1.5-.5*x+.4*z)))
		fmt.Fprintf(tables["server.csv"], "%d,%v\n", i, y)
		fmt.Fprintf(tables["left.csv"], "%d,%.4f\n", i, x)
		fmt.Fprintf(tables["right.csv"], "%d,%.4f\n", i, z)
	}
	files := map[string]string{}
	for name, text := range tables {
		files[name] = text.String()
	}
	b := bindFiles(t, encryptedModel, transforms.Exact, 0, files)
	want, _ := overWire(t, b, map[string]string{"theta-guide": "joint", "estimator": "quadrature", "tolerance": "1e-7", "correct": "false"})
	got, line := overWire(t, b, map[string]string{"wire": "encrypted", "correct": "false"})
	for i, w := range want {
		shift, wider := float64(got[i].Mean-w.Mean)/float64(w.SD), float64(got[i].SD/w.SD)-1
		if !(math.Abs(shift) <= .05) || !(math.Abs(wider) <= .1) {
			t.Errorf("%s is %.3f standard deviations off, its standard deviation by %.3f", w.Name, shift, wider)
		}
	}
	if !strings.Contains(line, "Encrypted rows, n = 4000: the party that learned most knows D = ") {
		t.Error(line)
	}
}
