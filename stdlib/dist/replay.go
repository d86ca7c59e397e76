package dist

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// block is how many rows a tape takes at a time.
const block = 64

// A workspace holds the numbers of a tape for a block of rows. The value of a register, and the derivative of
// the density by it, are its rows in a block; a register that is one number for all rows has it in each.
type workspace struct {
	rows         int
	value, slope [][]float64
	own, ownBack [][]float64 // where those that are no arguments and outputs of the caller stand
	same, need   []bool
	by           []float64 // the derivative of a function of a register that is the same in all rows
	lp, scratch  []float64
	ones         []float64
	terms        []nested
	row          []float64
	chosen       []int
}

// A nested holds the arguments of a density in a term.
type nested struct {
	batch        def.Batch
	args, dtheta [][]float64
	by           []float64
}

func (t *tape) workspace(rows int) *workspace {
	rows = min(rows, block)
	if w, ok := t.workspaces.Get().(*workspace); ok && w.rows >= rows {
		return w
	}
	n := len(t.steps)
	arrays := func(n int) [][]float64 {
		out := make([][]float64, n)
		for k := range out {
			out[k] = make([]float64, rows)
		}
		return out
	}
	w := &workspace{rows: rows, value: make([][]float64, n), slope: make([][]float64, n), own: arrays(n),
		ownBack: arrays(n), same: make([]bool, n), need: make([]bool, n), by: make([]float64, n),
		lp: make([]float64, rows), scratch: make([]float64, rows), terms: make([]nested, len(t.terms)),
		ones: make([]float64, rows), chosen: make([]int, rows)}
	fill(w.ones, 1)
	for k, m := range t.terms {
		if m.density != nil {
			w.terms[k] = nested{args: arrays(len(m.theta) + 1), dtheta: arrays(len(m.theta) + 2),
				by: make([]float64, len(m.by))}
			w.terms[k].batch.Theta = make([]def.BlockArg, len(m.theta))
			w.terms[k].batch.DTheta = make([][]float64, len(m.theta))
		}
	}
	if t.dist != nil {
		w.row = make([]float64, len(t.dist.Params))
	}
	return w
}

// run is the log density of the rows of a batch.
func (t *tape) run(b *def.Batch) float64 {
	w := t.workspace(b.N)
	defer t.workspaces.Put(w)
	sum := 0.0
	for from := 0; from < b.N; from += block {
		n := min(block, b.N-from)
		t.load(w, b, from, n)
		t.forward(w, from == 0, n)
		lp := w.lp[:n]
		if b.LP != nil {
			lp = b.LP[from : from+n]
		}
		for i := range lp {
			lp[i] = t.each
		}
		for k := range t.terms {
			t.add(w, k, lp)
		}
		t.back(w, n)
		if t.dist != nil {
			t.outside(w, b, from, lp)
		}
		for _, v := range lp {
			sum += v
		}
	}
	return sum
}

// output is where the partials by an argument go, nil where they are not wanted.
func (t *tape) output(b *def.Batch, k def.Value) []float64 {
	switch {
	case k == 0 && (t.dist == nil || !t.dist.Discrete):
		return b.DX
	case k > 0 && (t.dist == nil || !t.dist.Params[k-1].Integral):
		return partial(b, int(k)-1)
	}
	return nil
}

// load binds the arguments of rows, and finds what is to be computed.
func (t *tape) load(w *workspace, b *def.Batch, from, n int) {
	if t.dist != nil && from == 0 {
		t.clear(b)
	}
	for r := range t.steps {
		s := &t.steps[r]
		w.value[r], w.slope[r] = w.own[r], w.ownBack[r]
		switch s.op {
		case argument:
			a := b.X
			if s.a > 0 {
				a = b.Theta[s.a-1]
			}
			w.same[r], w.need[r] = a.Step == 0, false
			if out := t.output(b, s.a); out != nil {
				w.need[r], w.slope[r] = true, out[from:from+n]
			}
			if a.Step == 0 && from == 0 {
				fill(w.value[r][:n], a.V[0])
			} else if a.Step != 0 {
				w.value[r] = a.V[from : from+n]
			}
		case number:
			w.same[r], w.need[r] = true, false
			if from == 0 {
				fill(w.value[r][:n], s.number)
			}
		case function:
			w.same[r], w.need[r] = w.same[s.a], w.need[s.a]
		case less, lessEqual, equal:
			w.same[r], w.need[r] = w.same[s.a] && w.same[s.b], false
		default:
			w.same[r], w.need[r] = w.same[s.a] && w.same[s.b], w.need[s.a] || w.need[s.b]
		}
		if w.need[r] {
			clear(w.slope[r][:n])
		}
	}
}

// clear sets the partials of what is data to 0.
func (t *tape) clear(b *def.Batch) {
	if t.dist.Discrete {
		clear(b.DX)
	}
	for k, p := range t.dist.Params {
		if p.Integral {
			clear(partial(b, k))
		}
	}
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// forward computes the registers, those that are the same in all rows with the first block.
func (t *tape) forward(w *workspace, first bool, n int) {
	for r := range t.steps {
		s := &t.steps[r]
		if s.op < plus || w.same[r] && !first {
			continue
		}
		m := n
		if w.same[r] {
			m = 1
		}
		y, a, b := w.value[r][:m], w.value[s.a][:m], w.value[s.b][:m]
		s.compute(y, a, b)
		if !w.same[r] {
			continue
		}
		if s.op == function && w.need[r] {
			w.by[r] = 0
			s.fn.Backward(w.by[r:r+1], w.ones[:1], a, y)
		}
		fill(w.value[r][:n], y[0])
	}
}

// compute is a step of rows.
func (s *instruction) compute(y, a, b []float64) {
	switch s.op {
	case plus:
		for i := range y {
			y[i] = a[i] + b[i]
		}
	case minus:
		for i := range y {
			y[i] = a[i] - b[i]
		}
	case product:
		for i := range y {
			y[i] = a[i] * b[i]
		}
	case quotientOf:
		for i := range y {
			y[i] = a[i] / b[i]
		}
	case timesData:
		for i := range y {
			y[i] = times(a[i], b[i])
		}
	case function:
		s.fn.Forward(y, a)
	case risen:
		for i := range y {
			y[i] = portable.LgammaDiff(a[i], b[i])
		}
	case coxed:
		for i := range y {
			y[i] = boxCox(a[i], b[i])
		}
	default:
		s.piece(y, a, b)
	}
}

// piece is a step of a density that a model declares, which may be made of pieces.
func (s *instruction) piece(y, a, b []float64) {
	for i := range y {
		holds := false
		switch s.op {
		case raised:
			y[i] = portable.Pow(a[i], b[i])
			continue
		case chosen:
			if y[i] = 0; a[i] != 0 {
				y[i] = b[i]
			}
			continue
		case less:
			holds = a[i] < b[i]
		case lessEqual:
			holds = a[i] <= b[i]
		case equal:
			holds = a[i] == b[i]
		}
		if y[i] = 0; holds {
			y[i] = 1
		}
	}
}

// back carries the derivatives from the registers to the arguments. A row whose derivative is 0 gives
// nothing, even where that of its function is not finite.
func (t *tape) back(w *workspace, n int) {
	for r := len(t.steps) - 1; r >= 0; r-- {
		if s := &t.steps[r]; s.op >= plus && w.need[r] {
			s.reverse(w, r, n)
		}
	}
}

func (s *instruction) reverse(w *workspace, r, n int) {
	d, a, b := w.slope[r][:n], w.value[s.a][:n], w.value[s.b][:n]
	da, db := w.slope[s.a][:n], w.slope[s.b][:n]
	if s.op == function {
		w.through(s.fn, r, da, d, a)
		return
	}
	toA, toB := w.need[s.a], w.need[s.b]
	y := w.value[r]
	for i, d := range d {
		if d == 0 {
			continue
		}
		byA, byB := 1.0, 1.0
		switch s.op {
		case minus:
			byB = -1
		case product, timesData:
			byA, byB = b[i], a[i]
		case quotientOf:
			byA, byB = 1/b[i], -y[i]/b[i]
		case risen:
			byA = portable.DigammaDiff(a[i], b[i])
		case coxed:
			byA, byB = boxCoxSlopes(a[i], b[i])
		case raised:
			byA, byB = portable.PowSlope(a[i], b[i]), portable.PowLog(a[i], y[i])
		case chosen:
			if byA = 0; a[i] == 0 {
				continue
			}
		}
		if toA {
			da[i] += float64(d * byA)
		}
		if toB {
			db[i] += float64(d * byB)
		}
	}
}

// through is reverse of a function, whose slope is the same number whether a row stands alone or among
// others.
func (w *workspace) through(f *def.Func, r int, da, d, a []float64) {
	t := w.scratch[:len(d)]
	if w.same[r] {
		fill(t, w.by[r])
	} else {
		clear(t)
		f.Backward(t, w.ones[:len(d)], a, w.value[r][:len(d)])
	}
	for i, d := range d {
		if d != 0 {
			da[i] += float64(d * t[i])
		}
	}
}

// add adds term k to the density of rows, and its derivatives by registers to theirs.
func (t *tape) add(w *workspace, k int, lp []float64) {
	m := &t.terms[k]
	if m.density != nil {
		t.addDensity(w, m, &w.terms[k], lp)
		return
	}
	v := w.value[m.x][:len(lp)]
	for i := range lp {
		lp[i] += float64(m.k * v[i])
	}
	if w.need[m.x] {
		d := w.slope[m.x][:len(lp)]
		for i := range d {
			d[i] += m.k
		}
	}
}

// addDensity adds the density of the chosen rows.
func (t *tape) addDensity(w *workspace, m *term, in *nested, lp []float64) {
	rows := w.choose(m, in, len(lp))
	b := &in.batch
	if b.N = len(rows); b.N == 0 {
		return
	}
	bind := func(k int, r def.Value) (a def.BlockArg, d []float64) {
		if w.need[r] {
			d = in.dtheta[k][:b.N]
		}
		switch v := w.value[r]; {
		case w.same[r]:
			return def.BlockArg{V: v[:1]}, d
		case b.N == len(lp):
			return def.Vector(v[:b.N]), d
		default:
			for i, row := range rows {
				in.args[k][i] = v[row]
			}
			return def.Vector(in.args[k][:b.N]), d
		}
	}
	b.LP = in.dtheta[len(m.theta)+1][:b.N]
	for k, r := range m.theta {
		b.Theta[k], b.DTheta[k] = bind(k, r)
	}
	last := len(m.theta)
	if b.X, b.DX = nothing, nil; m.x != unknown {
		b.X, b.DX = bind(last, m.x)
	}
	m.density(b)
	for i, row := range rows {
		lp[row] += b.LP[i]
	}
	give := func(r def.Value, d []float64) {
		if d != nil {
			for i, row := range rows {
				w.slope[r][row] += d[i]
			}
		}
	}
	for k, r := range m.theta {
		give(r, b.DTheta[k])
	}
	if m.x != unknown {
		give(m.x, b.DX)
	}
}

// choose lists the rows of a term.
func (w *workspace) choose(m *term, in *nested, n int) []int {
	rows := w.chosen[:0]
	for i := range n {
		for k, r := range m.by {
			in.by[k] = w.value[r][i]
		}
		if m.is == nil || m.is(in.by) == m.holds {
			rows = append(rows, i)
		}
	}
	return rows
}

// outside makes the density of rows outside the support NaN, and on an end of it the limit that it has.
func (t *tape) outside(w *workspace, b *def.Batch, from int, lp []float64) {
	d := t.dist
	lower, upper := math.Inf(-1), math.Inf(1)
	moving := d.Support == def.Interval || d.Support == def.FromFirst // its bounds are Least and Most
	counts := d.Support == def.ZeroOne || d.Support == def.Naturals
	if !moving && !(d.Discrete && !counts) {
		lower, upper = d.Support.Bounds(nil)
	}
	for i := range lp {
		x := b.X.At(from + i)
		if !d.Discrete && lower < x && x < upper ||
			counts && lower <= x && x <= upper && x == math.Floor(x) && !math.IsInf(x, 1) {
			continue
		}
		lp[i] = t.onEnd(w, b, from+i, lp[i])
	}
}

// onEnd is the density of a row that may be outside the support, or on an end of it.
func (t *tape) onEnd(w *workspace, b *def.Batch, i int, lp float64) float64 {
	d, x := t.dist, b.X.At(i)
	for k, a := range b.Theta {
		w.row[k] = a.At(i)
		if p := &d.Params[k]; p.Integral && !p.Allows(w.row[k]) {
			return math.NaN()
		}
	}
	if !d.MayHold(x, w.row) {
		return math.NaN()
	}
	lower, upper := d.Support.Bounds(w.row)
	for side, end := range [2]float64{lower, upper} {
		if limit := t.atEnd[side]; limit != nil && x == end {
			one := &def.Batch{N: 1, X: def.Scalar(x)}
			for _, v := range w.row {
				one.Theta = append(one.Theta, def.Scalar(v))
			}
			return limit.run(one)
		}
	}
	return lp
}

// nothing is the left side of some rows, which have it among their arguments.
var nothing = def.Scalar(0)
