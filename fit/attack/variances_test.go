package attack

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// showVariances lets totals at 40 draws from the priors be seen, and some totals of variances, each of
// another (P + X'WX)⁻¹ by client, or of matrices that are not by client.
func showVariances(v *Variances, totals int, byClient bool) {
	columns, _ := plantedColumns()
	random, d := rand.New(rand.NewPCG(51, 52)), len(columns)
	const draws = 40
	up := make([]float64, (draws+2)*plantedRows)
	for k := 1; k <= draws; k++ {
		to := up[k*plantedRows:][:plantedRows]
		for _, c := range columns {
			b := random.NormFloat64()
			for i, x := range c {
				to[i] += b * x
			}
		}
	}
	copy(up[draws*plantedRows:], up[plantedRows:][:plantedRows])
	client := make([]int, 0, d)
	for j, n := range planted {
		for range n {
			client = append(client, j)
		}
	}
	for at := range totals {
		precision := mat.NewSymDense(d, nil)
		for i := range plantedRows {
			w := math.Exp(random.NormFloat64())
			for j := range d {
				for k := j; k < d; k++ {
					if !byClient || client[j] == client[k] {
						precision.SetSym(j, k, precision.At(j, k)+w*columns[j][i]*columns[k][i])
					}
				}
			}
		}
		var c mat.Cholesky
		c.Factorize(precision)
		var sigma mat.SymDense
		if c.InverseTo(&sigma) != nil {
			panic("no inverse")
		}
		to := up[(draws+1)*plantedRows:]
		if at < totals-1 {
			to = make([]float64, 2*plantedRows)[plantedRows:]
		}
		for i := range plantedRows {
			to[i] = 0
			for j := range d {
				for k := range d {
					to[i] += columns[j][i] * sigma.At(j, k) * columns[k][i]
				}
			}
		}
		if at < totals-1 {
			v.Relayed(exchangeOf("moments", density.MeanOfZ, density.SlopeByZ), 0, 2,
				[][]float64{append(make([]float64, plantedRows), to...)},
				[][]float64{make([]float64, 2*plantedRows)})
		}
	}
	v.Relayed(exchangeOf("solving", density.CutThenVector, density.Nothing), 0, draws+2, [][]float64{up}, nil)
}

// exchangeOf is a round trip whose messages show so much.
func exchangeOf(name string, up, down density.Shown) *density.Exchange {
	message := func(shows density.Shown) density.MessageKind {
		return density.MessageKind{Name: name,
			Carries: []density.Carried{{Content: &density.Content{Shows: shows}}}}
	}
	return &density.Exchange{Name: name, Up: message(up), Down: message(down)}
}

// Three totals of variances separate the clients; two give directions; one, and matrices that are not by
// client, give nothing of one client.
func TestPlantedVariancesSeparate(t *testing.T) {
	plan := planOf(plantedRows, 0, 0, 0)
	plan.Exact = true
	for _, c := range []struct {
		totals     int
		byClient   bool
		directions int
		groups     int
	}{{4, true, 13, 3}, {2, true, 13, 13}, {1, true, 0, 0}, {4, false, 13, 1}} {
		v := NewVariances(plan, 0)
		showVariances(v, c.totals, c.byClient)
		s := variances(plan, []*Variances{v}, plantedTruth)[0]
		if s.Directions != c.directions || c.byClient && len(s.Groups) != c.groups {
			t.Errorf("%+v: %d directions, %d groups: %s", c, s.Directions, len(s.Groups), s.Missing)
		}
		for _, g := range s.Groups {
			if c.byClient != (g.Within > 0.999) || c.groups == 3 && (!g.Whole || len(g.Columns.Found) > 0) {
				t.Errorf("%+v: %+v", c, g)
			}
		}
	}
}

// What was kept of them is the same after it was saved and loaded.
func TestVariancesAreSaved(t *testing.T) {
	plan := planOf(plantedRows, 0.5, 0.5, 0.5)
	whole, part := NewVariances(plan, 0), NewVariances(plan, 0)
	showVariances(whole, 3, true)
	var first, second bytes.Buffer
	save := func(v *Variances, to *bytes.Buffer) {
		if err := backends.SaveState(to, "heading", v.state); err != nil {
			t.Fatal(err)
		}
	}
	save(whole, &first)
	if err := backends.LoadState(bytes.NewReader(first.Bytes()), "heading", part.state); err != nil {
		t.Fatal(err)
	}
	if save(part, &second); !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("what was loaded is something else")
	}
}
