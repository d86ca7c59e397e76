package graph

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// Normal errors. The density of rows y ~ normal(X β, σ) depends on the data by a sum of squares, which an
// orthogonal transformation of the rows leaves as it is: QR of [X y] has as many rows as columns (Golub,
// Numerical methods for solving linear least squares problems, Numerische Mathematik 7, 1965; in blocks of
// rows, Gentleman, Journal of the IMA 12, 1973). Where coefficients differ by group, the rows of each group
// are transformed by its own columns first; what these leave has the common columns alone, and is transformed
// once for all groups with the same σ.

// rowsSaved is how many times as many rows there are as rows that are left, at least, and leastSaved by how
// many they are more: few are as fast as they are. blockOfRows is how many rows are transformed at a time.
const (
	rowsSaved   = 2
	leastSaved  = 64
	blockOfRows = 1024
)

// A linearTerm is a column of data times a coefficient, which may differ by group.
type linearTerm struct {
	column      ID // NoID: ones
	coefficient ID
}

// A linearBlock is a matrix of data times a vector.
type linearBlock struct{ matrix, coefficients ID }

// A linearForm is the predictor of rows as a sum; none where ok is false.
type linearForm struct {
	terms  []linearTerm // one for each column
	blocks []linearBlock
	ok     bool
}

// byGroup reports whether a value is a number or may differ by group, and is linear in no column of data.
func (f *linearForm) byGroup() bool {
	return f.ok && len(f.blocks) == 0 && !slices.ContainsFunc(f.terms, func(t linearTerm) bool {
		return t.column != NoID
	})
}

// mostTerms bounds the terms of a form; a predictor of more is not linear.
const mostTerms = 64

// A linearising writes values of a shape as linear forms, each once.
type linearising struct {
	*Builder
	shape Shape
	known map[ID]linearForm
}

func (l *linearising) form(id ID) linearForm {
	f, known := l.known[id]
	if !known {
		if f = l.write(id); len(f.terms) > mostTerms {
			f = l.one(NoID, id)
		}
		l.known[id] = f
	}
	return f
}

func (l *linearising) one(column, coefficient ID) linearForm {
	return linearForm{terms: []linearTerm{{column, coefficient}}, ok: true}
}

func (l *linearising) write(id ID) (f linearForm) {
	n := l.nodes[id]
	switch {
	case len(n.shape) == 0:
		return l.one(NoID, id)
	case !n.shape.equal(l.shape) || l.isOutput(id):
		return f
	case n.kind == constant:
		return l.one(id, l.Scalar(1))
	case n.op == opAdd || n.op == opAddN || n.op == opSub || n.op == opNeg:
		f.ok = true
		for k, p := range n.in {
			part := l.form(p)
			if n.op == opNeg || n.op == opSub && k == 1 {
				part = l.times(part, l.Scalar(-1))
			}
			f = l.plus(f, part)
		}
		return f
	case n.op == opMul:
		for k, p := range n.in {
			if by := l.form(p); by.byGroup() {
				return l.times(l.form(n.in[1-k]), p)
			}
		}
		for k, p := range n.in {
			if of := l.form(n.in[1-k]); l.nodes[p].kind == constant && len(of.blocks) == 0 {
				return l.timesData(of, p)
			}
		}
	case n.op == opDiv:
		if by := l.form(n.in[1]); by.byGroup() {
			return l.times(l.form(n.in[0]), l.must("div", l.Scalar(1), n.in[1]))
		}
	case n.op == opRowDot:
		for k := range 2 {
			if x, of := n.in[k], l.nodes[n.in[1-k]]; l.nodes[x].kind == constant && of.op == opGather {
				return l.slopes(x, of)
			}
		}
	case n.op == opMatMul && l.nodes[n.in[0]].kind == constant:
		return linearForm{blocks: []linearBlock{{n.in[0], n.in[1]}}, ok: true}
	}
	return l.one(NoID, id)
}

// slopes is the form of Σ_j x_j·B[g, j] over the columns of data and of a table that is looked up by row.
func (l *linearising) slopes(x ID, gather node) (f linearForm) {
	n, table := l.nodes[x], l.nodes[gather.in[0]].shape
	if len(gather.in) != 2 || len(table) != 2 || !n.shape.equal(gather.shape) {
		return f
	}
	part := func(of ID, rows, j int) ID {
		id, err := l.Apply("slice", Attr{Slices: []Slice{{Hi: rows}, {j, j + 1, true}}}, of)
		if err != nil {
			panic("graph: " + err.Error())
		}
		return id
	}
	f.ok = true
	for j := range table[1] {
		coefficient := l.must("gather", part(gather.in[0], table[0], j), gather.in[1])
		f = l.plus(f, l.one(part(x, n.shape[0], j), coefficient))
	}
	return f
}

// plus is the sum of two forms.
func (l *linearising) plus(f, g linearForm) linearForm {
	out := linearForm{slices.Clone(f.terms), slices.Concat(f.blocks, g.blocks), f.ok && g.ok}
	for _, t := range g.terms {
		k := slices.IndexFunc(out.terms, func(s linearTerm) bool { return s.column == t.column })
		if k < 0 {
			out.terms = append(out.terms, t)
		} else {
			out.terms[k].coefficient = l.must("add", out.terms[k].coefficient, t.coefficient)
		}
	}
	return out
}

// timesData is a form without blocks times a column of data.
func (l *linearising) timesData(f linearForm, column ID) linearForm {
	out := linearForm{ok: f.ok}
	for _, t := range f.terms {
		if t.column == NoID {
			t.column = column
		} else {
			t.column = l.must("mul", column, t.column)
		}
		out = l.plus(out, linearForm{terms: []linearTerm{t}, ok: true})
	}
	return out
}

// times is a form times a value; there is none where that differs by group, and a block has one vector.
func (l *linearising) times(f linearForm, by ID) linearForm {
	out := linearForm{ok: f.ok && (len(f.blocks) == 0 || len(l.nodes[by].shape) == 0)}
	for _, t := range f.terms {
		out.terms = append(out.terms, linearTerm{t.column, l.must("mul", by, t.coefficient)})
	}
	for _, m := range f.blocks {
		if out.ok {
			out.blocks = append(out.blocks, linearBlock{m.matrix, l.must("mul", by, m.coefficients)})
		}
	}
	return out
}

// leastSquares is a likelihood of normal errors with fewer rows.
type leastSquares struct {
	*expanding
	shape   Shape
	dist    *def.Dist
	sigma   ID
	terms   []linearTerm
	byGroup int // of the terms
	blocks  []linearBlock
	columns [][]float64 // of all terms, of all blocks, and the values
	scale   []float64   // of each row, where it is data: its standard deviation; else nil
	common  int         // columns that are not by group, without the values

	groups *groups
	// row k of each group, column by column, 0 for groups that have none: by columns from k on
	rows [][][]float64
	// the pools: rows of common columns and values, by columns, of each set of groups with the same sigma
	pools  *groups // of groups
	pooled [][][]float64
}

// reduce writes a density of normal errors by fewer rows. It reports false where that is not possible or does
// not save rows.
func (b *Builder) reduce(term string, n *node) bool {
	x := b.nodes[n.in[0]]
	r := &leastSquares{shape: x.shape, dist: n.likely.dist, sigma: n.in[2],
		expanding: &expanding{b, term, n.power, x.shape, x.shape[0], false}}
	f := (&linearising{b, x.shape, map[ID]linearForm{}}).form(n.in[1])
	if !f.ok || !r.prepare(f, x.values) || !r.transform() {
		return false
	}
	r.write()
	return true
}

// prepare finds the groups and the columns, and reports whether rows are saved.
func (r *leastSquares) prepare(f linearForm, y []float64) bool {
	rows := r.shape[0]
	if s := &r.nodes[r.sigma]; s.kind == constant && s.shape.Len() == rows {
		if r.scale, r.sigma = s.values, r.Scalar(1); slices.ContainsFunc(r.scale, func(v float64) bool {
			return !(v > 0 && v <= math.MaxFloat64)
		}) {
			return false
		}
	}
	r.order(f)
	y = r.withoutOffsets(y)
	differ := []ID{r.sigma}
	for _, t := range r.terms[:r.byGroup] {
		differ = append(differ, t.coefficient)
	}
	ofSigma, ok := r.rowData(r.shape, r.sigma)
	keys, all := r.rowData(r.shape, differ...)
	if !ok || !all {
		return false
	}
	for _, t := range r.terms {
		r.columns = append(r.columns, r.of(t.column))
	}
	for _, m := range r.blocks {
		v := r.nodes[m.matrix].values
		for j := range r.nodes[m.matrix].shape[1] {
			r.columns = append(r.columns, v[j*rows:][:rows])
		}
	}
	r.columns = append(r.columns, y)
	r.common = len(r.columns) - 1 - r.byGroup
	if rows < rowsSaved*(r.common+r.byGroup) {
		return false
	}
	if r.groups = groupsOf(keys, rows, rows/rowsSaved); r.groups == nil {
		return false
	}
	r.pools = r.groups.sets(ofSigma)
	left := len(r.pools.first) * (r.common + 2) // a row of residuals, and log sigma
	for _, n := range r.groups.count {
		left += min(int(n), r.byGroup)
	}
	return rows >= max(rowsSaved*left, left+leastSaved)
}

// order lists the columns first whose coefficients differ by group.
func (r *leastSquares) order(f linearForm) {
	r.blocks = f.blocks
	for _, byGroup := range []bool{true, false} {
		for _, t := range f.terms {
			if len(r.nodes[t.coefficient].shape) > 0 == byGroup {
				r.terms = append(r.terms, t)
			}
		}
		if byGroup {
			r.byGroup = len(r.terms)
		}
	}
}

// withoutOffsets takes columns with a known coefficient away from the values.
func (r *leastSquares) withoutOffsets(y []float64) []float64 {
	r.terms = slices.DeleteFunc(r.terms, func(t linearTerm) bool {
		v, known := r.scalarValue(t.coefficient)
		if !known {
			return false
		}
		y = slices.Clone(y)
		for i, c := range r.of(t.column) {
			y[i] -= float64(v * c)
		}
		return true
	})
	return y
}

// of is a column of data.
func (r *leastSquares) of(column ID) []float64 {
	if column == NoID {
		return constantOf(r.shape[0], 1)
	}
	return r.nodes[column].values
}

// sets puts groups together that are the same in all columns of rows.
func (g *groups) sets(columns [][]float64) *groups {
	of := make([][]float64, len(columns))
	for k, c := range columns {
		for _, row := range g.first {
			of[k] = append(of[k], c[row])
		}
	}
	out := oneGroup(len(g.first))
	for _, c := range of {
		out = out.divided(c, len(g.first))
	}
	return out
}

// transform computes the rows that are left. It reports false where they are not finite.
func (r *leastSquares) transform() bool {
	q := r.common + 1
	pools := make([]pool, len(r.pools.first))
	for k := range pools {
		pools[k] = pool{columns: make([][]float64, q)}
	}
	r.rows = make([][][]float64, r.byGroup)
	for k := range r.rows {
		r.rows[k] = make([][]float64, len(r.columns))
		for j := k; j < len(r.columns); j++ {
			r.rows[k][j] = make([]float64, len(r.groups.first))
		}
	}
	own, last := make([][]float64, len(r.columns)), -1
	r.groups.each(blockOfRows, func(g int, rows []int32) {
		if g != last {
			own, last = make([][]float64, len(r.columns)), g
		}
		r.gather(own, rows)
		householder(own, r.byGroup)
		kept := min(r.byGroup, len(own[0]))
		pools[r.pools.at(g)].add(own[r.byGroup:], kept)
		for j, c := range own {
			own[j] = c[:kept]
		}
		for k := range kept {
			for j := k; j < len(own); j++ {
				r.rows[k][j][g] = own[j][k]
			}
		}
	})
	for k := range pools {
		p := &pools[k]
		p.reduce()
		r.pooled = append(r.pooled, p.columns)
	}
	for _, list := range [][][][]float64{r.rows, r.pooled} {
		for _, columns := range list {
			for _, c := range columns {
				for _, v := range c {
					if v-v != 0 {
						return false
					}
				}
			}
		}
	}
	return true
}

// gather adds rows to all columns, divided by their standard deviations where these are data.
func (r *leastSquares) gather(to [][]float64, rows []int32) {
	for j, c := range r.columns {
		for _, row := range rows {
			v := c[row]
			if r.scale != nil {
				v /= r.scale[row]
			}
			to[j] = append(to[j], v)
		}
	}
}

// A pool is rows of the common columns, of which the values are the last.
type pool struct{ columns [][]float64 }

// add adds the rows of a matrix from one on.
func (p *pool) add(m [][]float64, from int) {
	for j := range p.columns {
		p.columns[j] = append(p.columns[j], m[j][from:]...)
	}
	if len(p.columns[0]) >= blockOfRows {
		p.reduce()
	}
}

// reduce leaves as many rows as there are columns.
func (p *pool) reduce() {
	householder(p.columns, len(p.columns))
	for j, c := range p.columns {
		p.columns[j] = c[:min(len(c), len(p.columns))]
	}
}

// householder makes the first k columns of a matrix upper triangular by reflections of its rows (Golub and
// Van Loan, Matrix Computations, algorithm 5.2.1).
func householder(m [][]float64, k int) {
	for j := range min(k, len(m[0])) {
		v := m[j][j:]
		norm := math.Sqrt(vector.Dot(len(v), v, v))
		if norm == 0 {
			continue
		}
		norm = -math.Copysign(norm, v[0])
		v[0] -= norm
		half := -float64(norm * v[0]) // vᵀv/2
		for _, c := range m[j+1:] {
			if c := c[j:]; half > 0 {
				vector.Axpy(len(v), c, -vector.Dot(len(v), v, c)/half, v)
			}
		}
		clear(v[1:])
		v[0] = norm
	}
}

// write adds the density to the target: that of the rows that are left, and of the others log σ alone.
func (r *leastSquares) write() {
	of := r.pickAll([]ID{r.sigma}, r.groups)[0]
	count := slices.Clone(r.groups.count)
	rows := r.shape[0]
	r.together = false // what is left stays as it is
	for _, list := range [][]slot{r.ofGroups(of), r.ofPools(of)} {
		for _, s := range list {
			values, eta := s.predictor(r)
			theta := []ID{eta, s.sigma}
			if err := r.Builder.Density(r.term, r.dist, values, theta, NoID, r.power); err != nil {
				panic("graph: " + err.Error())
			}
			for _, g := range s.groups {
				count[g]--
			}
			rows -= len(s.groups)
		}
	}
	r.together = true
	groups := &expanding{r.Builder, r.term, r.power, Shape{len(count)}, len(count), false}
	left := def.Value(r.Builder.Const("rows", groups.shape, count))
	groups.Sum(groups.Mul(left, groups.Func("log", def.Value(of))), -1)
	constant := -float64(halfLogTwoPi * float64(rows))
	for _, s := range r.scale {
		constant -= portable.Log(s)
	}
	r.constantPart(r.term, r.power*constant)
}

// A slot is some rows: each with its group, its columns, which are those of terms, of the blocks, and the
// values, the coefficients of the terms, and the standard deviation.
type slot struct {
	groups       []int
	columns      [][]float64
	coefficients []ID
	sigma        ID
}

// ofGroups are row k of all groups, for each k.
func (r *leastSquares) ofGroups(sigma ID) (out []slot) {
	var coefficients []ID
	for _, t := range r.terms {
		coefficients = append(coefficients, t.coefficient)
	}
	coefficients = r.pickAll(coefficients, r.groups)
	all := make([]int, len(r.groups.first))
	for g := range all {
		all[g] = g
	}
	for k, columns := range r.rows {
		out = append(out, slot{all, columns[k:], coefficients[k:], sigma})
	}
	return out
}

// ofPools are the rows of all pools.
func (r *leastSquares) ofPools(sigma ID) []slot {
	out := slot{columns: make([][]float64, r.common+1), sigma: sigma}
	var index []float64
	for k, columns := range r.pooled {
		for j, c := range columns {
			out.columns[j] = append(out.columns[j], c...)
		}
		for range columns[0] {
			out.groups = append(out.groups, r.pools.first[k])
			index = append(index, float64(r.pools.first[k]+1))
		}
	}
	if len(index) == 0 {
		return nil
	}
	if len(r.nodes[sigma].shape) > 0 {
		out.sigma = r.must("gather", sigma, r.Builder.Const("pools", Shape{len(index)}, index))
	}
	for _, t := range r.terms[r.byGroup:] {
		out.coefficients = append(out.coefficients, t.coefficient)
	}
	return []slot{out}
}

// predictor is that of the rows, and their values.
func (s *slot) predictor(r *leastSquares) (values, eta ID) {
	shape := Shape{len(s.groups)}
	eta = NoID
	plus := func(id ID) {
		if eta == NoID {
			eta = id
		} else {
			eta = r.must("add", eta, id)
		}
	}
	for j, c := range s.coefficients {
		plus(r.must("mul", r.Builder.Const("column", shape, s.columns[j]), c))
	}
	at := len(s.coefficients)
	for _, block := range r.blocks {
		k := r.nodes[block.matrix].shape[1]
		matrix := slices.Concat(s.columns[at:][:k]...)
		at += k
		plus(r.must("matmul", r.Builder.Const("columns", Shape{shape[0], k}, matrix), block.coefficients))
	}
	if eta == NoID {
		eta = r.Scalar(0)
	}
	return r.Builder.Const("values", shape, s.columns[at]), eta
}
