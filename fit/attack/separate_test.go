package attack

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
)

// A walker shows a recorder the trajectories of a chain: a logistic regression on columns of several clients, normal priors, leapfrogs under a metric of its own.
type walker struct {
	random  *rand.Rand
	columns [][]float64 // of all clients
	y       []float64
	inverse [][]float64 // M⁻¹
}

const plantedRows = 300

var planted = []int{5, 4, 4}

func plantedColumns() (columns [][]float64, y []float64) {
	random := rand.New(rand.NewPCG(21, 22))
	eta := make([]float64, plantedRows)
	for range 13 {
		c, b := make([]float64, plantedRows), random.NormFloat64()
		for i := range c {
			c[i] = random.NormFloat64()
			eta[i] += 0.7 * b * c[i]
		}
		columns = append(columns, c)
	}
	for _, e := range eta {
		v := 0.0
		if random.Float64() < 1/(1+math.Exp(-e)) {
			v = 1
		}
		y = append(y, v)
	}
	return columns, y
}

// newWalker draws a metric: of blocks by client, or diagonal.
func newWalker(seed uint64, dense bool) *walker {
	w := &walker{random: rand.New(rand.NewPCG(seed, 3))}
	w.columns, w.y = plantedColumns()
	from := 0
	for range w.columns {
		w.inverse = append(w.inverse, make([]float64, len(w.columns)))
	}
	for _, p := range planted {
		for i := range p {
			w.inverse[from+i][from+i] = 0.02 * math.Exp(0.3*w.random.NormFloat64())
			for j := range i {
				if dense {
					v := 0.003 * w.random.NormFloat64()
					w.inverse[from+i][from+j], w.inverse[from+j][from+i] = v, v
				}
			}
		}
		from += p
	}
	return w
}

func (w *walker) total(theta []float64) []float64 {
	out := make([]float64, plantedRows)
	for k, c := range w.columns {
		for i, x := range c {
			out[i] += theta[k] * x
		}
	}
	return out
}

func (w *walker) adjoint(total []float64) []float64 {
	out := make([]float64, len(total))
	for i, t := range total {
		out[i] = w.y[i] - 1/(1+math.Exp(-t-0.3))
	}
	return out
}

// show lets a recorder see some trajectories of five leapfrogs; of a shuffled one, at places at random.
func (w *walker) show(r *Recorder, trajectories int, wander bool) {
	theta, p := make([]float64, len(w.columns)), make([]float64, len(w.columns))
	adjoint := w.adjoint(w.total(theta))
	for trajectory := range trajectories {
		for k := range p {
			p[k] = w.random.NormFloat64() / math.Sqrt(w.inverse[k][k])
		}
		const length, eps = 5, 0.5
		for point := 1; point <= length; point++ {
			w.kick(p, theta, adjoint, eps/2)
			for k := range theta {
				for j, v := range p {
					theta[k] += eps * w.inverse[k][j] * v
				}
				if wander {
					theta[k] = w.random.NormFloat64()
				}
			}
			total := w.total(theta)
			adjoint = w.adjoint(total)
			w.kick(p, theta, adjoint, eps/2)
			r.Placed(density.PathPoint{Trajectory: trajectory, Start: length * min(1, trajectory), Point: point})
			r.Sent(session.AllRows, [][][]float64{{}}, [][]float64{total})
			r.Answered([][]float64{adjoint}, [][][]float64{{}})
		}
	}
}

func (w *walker) kick(p, theta, adjoint []float64, eps float64) {
	for k, c := range w.columns {
		g := -theta[k]
		for i, x := range c {
			g += x * adjoint[i]
		}
		p[k] += eps * g
	}
}

// plantedTruth has draws of each client's cut, and its columns.
func plantedTruth(party, _ int) (t Truth) {
	columns, _ := plantedColumns()
	random, from := rand.New(rand.NewPCG(5, 6)), 0
	for _, p := range planted[:party-1] {
		from += p
	}
	t.Mean = make([]float64, plantedRows)
	for k := range planted[party-1] {
		t.Columns = append(t.Columns, Column{Name: string(rune('a' + k)), Values: columns[from+k]})
	}
	for range 20 {
		v := make([]float64, plantedRows)
		for k := range planted[party-1] {
			b := random.NormFloat64()
			for i, x := range columns[from+k] {
				v[i] += b * x
			}
		}
		t.Draws = append(t.Draws, v)
	}
	return t
}

func plantedChains(chains int, dense, wander bool) (out []*Recorder) {
	plan := planOf(plantedRows, 0, 0, 0)
	plan.Exact, plan.Wire.Masked, plan.Wire.Fixed = true, true, true
	for k := range chains {
		r := NewRecorder(plan)
		newWalker(uint64(k), dense).show(r, 400, wander)
		out = append(out, r)
	}
	return out
}

// From masked sums of three clients the steps of four chains separate all 13 directions, and group them by client; under diagonal metrics each is a column.
func TestPlantedClientsAreSeparated(t *testing.T) {
	for _, dense := range []bool{true, false} {
		s := separations(plantedChains(4, dense, false), plantedTruth)[0]
		if s.Directions != 13 || s.Dimensions != 13 || s.Missing != "" {
			t.Errorf("dense %t: %+v", dense, s)
		}
		var sizes []int
		single := 0
		for _, g := range s.Groups {
			sizes = append(sizes, g.Directions)
			single += len(g.Single)
			if !(g.Within >= 0.99) || g.Whole != dense {
				t.Errorf("dense %t, client %s: %v of the directions in its columns, whole %t", dense, g.Party, g.Within, g.Whole)
			}
		}
		if dense && !slices.Equal(sizes, planted) || !dense && (len(sizes) != 13 || single != 13) {
			t.Errorf("dense %t: groups of %v directions, %d single columns", dense, sizes, single)
		}
	}
}

// Nothing is claimed of draws that are no leapfrogs, nor of one chain alone; two show directions, and not whose they are.
func TestNothingIsSeparatedFromNoise(t *testing.T) {
	for _, c := range []struct {
		chains, directions int
		wander             bool
	}{{4, 0, true}, {1, 0, false}, {2, 13, false}} {
		s := separations(plantedChains(c.chains, true, c.wander), plantedTruth)[0]
		if s.Directions != c.directions || s.Missing == "" {
			t.Errorf("%+v: %+v", c, s)
		}
		for _, g := range s.Groups {
			if g.Directions != 1 || g.Whole {
				t.Errorf("%+v: %+v", c, g)
			}
		}
	}
}

// What was kept of the steps is the same after it was saved and loaded.
func TestStepsAreSaved(t *testing.T) {
	whole := plantedChains(1, true, false)[0]
	var state bytes.Buffer
	if err := whole.Save(&state); err != nil {
		t.Fatal(err)
	}
	part := NewRecorder(whole.plan)
	if err := part.Load(&state); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Recorder{whole, part} {
		newWalker(9, true).show(r, 40, false)
	}
	if !bytes.Equal(written(t, whole), written(t, part)) {
		t.Error("it continues otherwise")
	}
}
