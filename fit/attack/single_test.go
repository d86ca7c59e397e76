package attack

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// nearColumns is plantedTruth whose first client has columns at the directions that the first two of the
// dense chains have in common, as columns may be by chance.
func nearColumns(byColumn bool) func(party, cut int) Truth {
	var blocks [2]*mat.SymDense
	for k := range blocks {
		blocks[k] = mat.NewSymDense(planted[0], nil)
		inverse := newWalker(uint64(k), true).inverse
		for i := range planted[0] {
			for j := range planted[0] {
				blocks[k].SetSym(i, j, inverse[i][j])
			}
		}
	}
	common, _ := together(blocks[0], blocks[1])
	return func(party, cut int) Truth {
		t := plantedTruth(party, cut)
		if t.ByColumn = byColumn; party != 1 {
			return t
		}
		was := slices.Clone(t.Columns)
		for k := range t.Columns {
			values := make([]float64, plantedRows)
			for j, c := range was {
				for i, x := range c.Values {
					values[i] += common.At(j, k) * x
				}
			}
			t.Columns[k].Values = values
		}
		return t
	}
}

// A direction that is near a column by chance is none that the server knows for one: it is claimed where the
// settings make directions columns, and not where two chains leave open which directions couple, nor where a
// third couples it with others.
func TestADirectionNearAColumnByChance(t *testing.T) {
	for _, c := range []struct {
		chains   int
		byColumn bool
		single   int
		known    bool
	}{{2, true, 5, true}, {2, false, 0, false}, {4, false, 0, true}} {
		s, single := separations(plantedChains(c.chains, true, false, 0), nearColumns(c.byColumn))[0], 0
		if s.Directions != 13 {
			t.Errorf("%+v: %d directions", c, s.Directions)
		}
		for _, g := range s.Groups {
			single += len(g.Single)
			if known := g.Single != nil; known != c.known {
				t.Errorf("%+v: of client %s it is known: %t", c, g.Party, known)
			}
		}
		if single != c.single {
			t.Errorf("%+v: %d single columns", c, single)
		}
	}
}

// A direction is alone where it couples with none in the other chains: neither with one that does not settle,
// nor with one that the largest gap divides from it.
func TestOnlyUncoupledDirectionsAreAlone(t *testing.T) {
	for _, c := range []struct {
		couplings        [4][4]float64
		stable, expected []bool
		noise            float64
	}{
		{[4][4]float64{0: {3: 0.1}}, []bool{true, true, true, false}, []bool{false, true, true, false},
			1e-10},
		{[4][4]float64{0: {1: 0.1}}, []bool{true, true, true, true}, []bool{false, false, true, true}, 1e-10},
		{[4][4]float64{0: {1: 0.11}, 1: {2: 0.05}}, []bool{true, true, true, true},
			[]bool{false, false, false, true}, 0.02},
		{[4][4]float64{}, []bool{true, true, true, true}, []bool{true, true, true, true}, 1e-10},
	} {
		whole, half := mat.NewDense(4, 4, nil), mat.NewDense(4, 4, nil)
		for i := range 4 {
			for j := range 4 {
				whole.Set(i, j, max(c.couplings[i][j], c.couplings[j][i]))
				half.Set(i, j, whole.At(i, j)+c.noise)
			}
		}
		s := &separation{stable: c.stable}
		if s.divide([]coupled{{whole, whole, half}}); !slices.Equal(s.alone, c.expected) {
			t.Errorf("%+v: %v", c, s.alone)
		}
	}
}

// Directions of a client are a basis of what its columns span, so that a column follows from its values in as
// many rows as there are directions, and one for the constant.
func TestAColumnFollowsFromAFewOfItsRows(t *testing.T) {
	chains := plantedChains(4, true, false, 0)
	s := &sums{rows: plantedRows}
	for _, r := range chains {
		s.chains = append(s.chains, r.steps[0])
	}
	s.gather()
	laws, halves, _ := s.laws()
	found, rebuilt := separated(laws, halves), 0
	_, members := begun(chains[0].plan, 0, plantedTruth)
	for g := range found.groups {
		directions, _ := s.directionsOf(found, g)
		of, _ := memberOf(directions, members)
		for _, c := range of.columns {
			got := fromFew(t, directions, c.Values[:len(directions)+1])
			if r := stat.Correlation(got, c.Values, nil); !(r > 0.999) {
				t.Errorf("column %s of client %s: correlation %v", c.Name, of.party, r)
			}
			rebuilt++
		}
	}
	if rebuilt != 13 {
		t.Errorf("%d columns", rebuilt)
	}
}

// fromFew is the combination of directions and a constant that has these values in the first rows.
func fromFew(t *testing.T, directions [][]float64, values []float64) []float64 {
	t.Helper()
	n := len(values)
	a, x := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		a.Set(i, n-1, 1)
		for k, d := range directions {
			a.Set(i, k, d[i])
		}
	}
	if err := x.SolveVec(a, mat.NewVecDense(n, values)); err != nil {
		t.Fatal(err)
	}
	out := slices.Repeat([]float64{x.AtVec(n - 1)}, len(directions[0]))
	for k, d := range directions {
		for i, v := range d {
			out[i] += x.AtVec(k) * v
		}
	}
	return out
}
