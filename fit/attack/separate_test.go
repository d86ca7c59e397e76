package attack

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/tests/brief"
)

// A walker shows a recorder the trajectories of a chain: a logistic regression on columns of several clients,
// normal priors, leapfrogs under a metric of its own.
type walker struct {
	random  *rand.Rand
	columns [][]float64 // of all clients
	y       []float64
	inverse [][]float64 // M⁻¹
	rho     float64     // sd of the noise of the total: 0 where there is none
	linear  bool        // the likelihood is normal, with a known sd
	step    float64     // of the grid to which each client's cut is rounded; 0: it is not
	sums    [][]float64 // of the cuts, without noise
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

// rounded is a total with each client's cut, the last one with all noise, rounded to the grid.
func (w *walker) rounded(theta, total []float64) []float64 {
	if w.step == 0 {
		return total
	}
	out, rest, from := make([]float64, plantedRows), slices.Clone(total), 0
	for j, p := range planted {
		for i := range out {
			cut := 0.0
			for k := from; k < from+p; k++ {
				cut += theta[k] * w.columns[k][i]
			}
			if j == len(planted)-1 {
				cut = rest[i]
			}
			out[i] += w.step * math.RoundToEven(cut/w.step)
			rest[i] -= cut
		}
		from += p
	}
	return out
}

func (w *walker) adjoint(total []float64) []float64 {
	out := make([]float64, len(total))
	for i, t := range total {
		if w.linear {
			out[i] = (3*w.y[i] - t) / knownVariance
			continue
		}
		out[i] = w.y[i] - 1/(1+math.Exp(-t-0.3))
	}
	return out
}

// knownVariance is that of a normal response.
const knownVariance = 1.5

// The noise of a walker's total turns around its mean, as that of a sampler: its coordinates are normal a
// priori, and the step is of a normal distribution whose mean is not the right one.
const (
	turnedBy   = 0.4
	turnedMean = 0.1
)

// show lets a recorder see some trajectories of five leapfrogs; of a shuffled one, at places at random.
func (w *walker) show(r *Recorder, trajectories int, wander bool) {
	theta, p := make([]float64, len(w.columns)), make([]float64, len(w.columns))
	noise, q := make([]float64, plantedRows), make([]float64, plantedRows)
	at := func() []float64 {
		total := w.total(theta)
		w.sums = append(w.sums, slices.Clone(total))
		for i, e := range noise {
			total[i] += w.rho * e
		}
		return w.rounded(theta, total)
	}
	adjoint := w.adjoint(at())
	for trajectory := range trajectories {
		for k := range p {
			p[k] = w.random.NormFloat64() / math.Sqrt(w.inverse[k][k])
		}
		for i := range q {
			q[i] = w.random.NormFloat64()
		}
		const length, eps = 5, 0.5
		sin, cos := math.Sincos(turnedBy)
		for point := 1; point <= length; point++ {
			w.kick(p, theta, adjoint, eps/2)
			for i, e := range noise {
				q[i] += turnedBy / 2 * (w.rho*adjoint[i] - turnedMean)
				noise[i], q[i] = turnedMean+cos*(e-turnedMean)+sin*q[i], cos*q[i]-sin*(e-turnedMean)
			}
			for k := range theta {
				for j, v := range p {
					theta[k] += eps * w.inverse[k][j] * v
				}
				if wander {
					theta[k] = w.random.NormFloat64()
				}
			}
			total := at()
			adjoint = w.adjoint(total)
			w.kick(p, theta, adjoint, eps/2)
			for i := range q {
				q[i] += turnedBy / 2 * (w.rho*adjoint[i] - turnedMean)
			}
			r.Placed(density.PathPoint{Trajectory: trajectory, Start: length * min(1, trajectory),
				Point: point, Settled: true})
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
		t.Columns = append(t.Columns, Covariate{Name: string(rune('a' + k)), Values: columns[from+k]})
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

// plantedChains are those of a masked sum under noise of sd rho at each client.
func plantedChains(chains int, dense, wander bool, rho float64) []*Recorder {
	return chainsOf(chains, dense, wander, false, rho)
}

func chainsOf(chains int, dense, wander, linear bool, rho float64) (out []*Recorder) {
	plan := planOf(plantedRows, rho, rho, rho)
	plan.Exact, plan.Wire.Masked, plan.Wire.Fixed = rho == 0, true, true
	for k := range chains {
		r, w := NewRecorder(plan), newWalker(uint64(k), dense)
		w.rho, w.linear = rho*math.Sqrt(3), linear
		w.show(r, 400, wander)
		out = append(out, r)
	}
	return out
}

// From masked sums of three clients the steps of four chains separate all 13 directions, and group them by
// client; under diagonal metrics each is a column. Noise on the sums changes nothing in that.
func TestPlantedClientsAreSeparated(t *testing.T) {
	for k, rho := range []float64{0, 0.05, 1} {
		for j, dense := range []bool{true, false} {
			if !brief.Share(2, k, j) {
				continue
			}
			s := separations(plantedChains(4, dense, false, rho), plantedTruth)[0]
			if s.Directions != 13 || s.Dimensions != 13 || s.Missing != "" {
				t.Errorf("rho %v, dense %t: %+v", rho, dense, s)
			}
			var sizes []int
			single := 0
			for _, g := range s.Groups {
				sizes = append(sizes, g.Directions)
				single += len(g.Single)
				if !(g.Within >= 0.99) || g.Whole != dense {
					t.Errorf("rho %v, dense %t, client %s: %v of the directions in its columns, whole %t",
						rho, dense, g.Party, g.Within, g.Whole)
				}
			}
			if dense && !slices.Equal(sizes, planted) || !dense && (len(sizes) != 13 || single != 13) {
				t.Errorf("rho %v, dense %t: groups of %v directions, %d single columns", rho, dense, sizes,
					single)
			}
		}
	}
}

// They do in a linear regression with a known residual too, where the adjoint is a linear function of the
// total and only one number of the noise's law can be known.
func TestPlantedLinearRegressionIsSeparated(t *testing.T) {
	for k, rho := range []float64{0.05, 1} {
		for j, dense := range []bool{true, false} {
			if !brief.Share(2, k, j) {
				continue
			}
			s := separations(chainsOf(4, dense, false, true, rho), plantedTruth)[0]
			if groups := map[bool]int{true: 3, false: 13}[dense]; s.Directions != 13 ||
				len(s.Groups) != groups {
				t.Errorf("rho %v, dense %t: %+v", rho, dense, s)
			}
			for _, g := range s.Groups {
				if !(g.Within >= 0.99) || g.Whole != dense || !dense && len(g.Single) != 1 {
					t.Errorf("rho %v, dense %t: %+v", rho, dense, g)
				}
			}
		}
	}
}

// Nothing is claimed of draws that are no leapfrogs, nor of one chain alone; two show directions, and not
// whose they are.
func TestNothingIsSeparatedFromNoise(t *testing.T) {
	for _, rho := range []float64{0, 0.5} {
		for _, c := range []struct {
			chains, directions int
			wander             bool
		}{{4, 0, true}, {1, 0, false}, {2, 13, false}} {
			s := separations(plantedChains(c.chains, true, c.wander, rho), plantedTruth)[0]
			if s.Directions != c.directions || s.Missing == "" {
				t.Errorf("rho %v, %+v: %+v", rho, c, s)
			}
			for _, g := range s.Groups {
				if g.Directions != 1 || g.Whole {
					t.Errorf("rho %v, %+v: %+v", rho, c, g)
				}
			}
		}
	}
}

// The noise comes off every point: from a total with noise of sd 1.7 the sum of the cuts follows, but for a
// constant of each row, which averages out.
func TestNoiseComesOffSinglePoints(t *testing.T) {
	plan := planOf(plantedRows, 1, 1, 1)
	plan.Wire.Masked, plan.Wire.Fixed = true, true
	r, w := NewRecorder(plan), newWalker(2, true)
	w.rho = math.Sqrt(3)
	w.show(r, 400, false)
	s := &sums{rows: plantedRows, chains: r.steps[:1]}
	s.gather()
	entries, rank := s.kept[0], s.base.rank
	l := lawOf(stepsOf(entries, rank), rank)
	if l == nil || !s.base.restore(entries, l, 3) {
		t.Fatalf("%d dimensions, %d points: no law", rank, len(entries))
	}
	const length = 5
	first, last := entries[0], entries[len(entries)-1]
	for i := range plantedRows {
		change, truth := 0.0, w.sums[1+int(last[0])*length+int(last[1])-1][i]-
			w.sums[1+int(first[0])*length+int(first[1])-1][i]
		for k := range rank {
			change += s.base.basis[k*plantedRows+i] * (last[header+k] - first[header+k])
		}
		if math.Abs(change-truth) > 1e-5*(1+math.Abs(truth)) {
			t.Fatalf("row %d: the sum changes by %v, and the reconstruction by %v", i, truth, change)
		}
	}
}

// What was kept of the steps is the same after it was saved and loaded.
func TestStepsAreSaved(t *testing.T) {
	for _, rho := range []float64{0, 0.1} {
		savedSteps(t, plantedChains(1, true, false, rho)[0], rho)
	}
	plan := planOf(plantedRows, 1, 1)
	plan.Wire.Masked, plan.Wire.Fixed = true, true
	short, w := NewRecorder(plan), newWalker(3, true) // its span is not found yet
	w.show(short, 5, false)
	savedSteps(t, short, 0.5)
}

func savedSteps(t *testing.T, whole *Recorder, rho float64) {
	t.Helper()
	var state bytes.Buffer
	if err := whole.Save(&state); err != nil {
		t.Fatal(err)
	}
	part := NewRecorder(whole.plan)
	if err := part.Load(&state); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Recorder{whole, part} {
		w := newWalker(9, true)
		w.rho = rho
		w.show(r, 40, false)
	}
	if !bytes.Equal(written(t, whole), written(t, part)) {
		t.Error("it continues otherwise")
	}
}
