package released

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/release"
)

// prefix is that of the names that the model of a posterior adds.
const prefix = "released_"

// leastRows is how many rows more than coefficients a release is read with: its noise-free sums of squares
// then have nearly the distribution that a gamma with the same three moments has.
const leastRows = 20

// Program is the text of the posterior's model: the parameters and priors of the design's model, and as its
// factors the log likelihood of the released moments, in which the rows' variation and the noise are
// accounted for. It has no data. The error says what of the moments does not fit the model.
func (d *Design) Program(m *release.Moments) (string, error) {
	w, err := d.writer(m)
	if err != nil {
		return "", err
	}
	w.declarations()
	w.coefficients()
	if m.Gradients != nil {
		w.scored()
	} else {
		w.moments()
		w.normal()
	}
	return w.b.String(), nil
}

// A writer writes a model for some of the columns of a release.
type writer struct {
	*Design
	m       *release.Moments
	columns []int // of the moments, by coefficient; 0 is the 1
	terms   []int // by column but the first, which of the design it is of, with its place there
	places  []int
	b       strings.Builder
}

func (d *Design) writer(m *release.Moments) (*writer, error) {
	w := &writer{Design: d, m: m, columns: []int{0}}
	last := m.Columns[len(m.Columns)-1]
	switch {
	case m.Family != d.Family:
		return nil, fmt.Errorf("they are of a %s response", m.Family)
	case d.Scale == nil && m.Gradients == nil:
		return nil, errors.New("they have no gradients, without which nothing is known of a binary response")
	case last != d.Response:
		return nil, fmt.Errorf("their response is %s, and the model's has another name, owner or bounds",
			last.Name)
	}
	for k, t := range d.Terms {
		found := 0
		for j, c := range m.Columns[:len(m.Columns)-1] {
			if of, _, _ := strings.Cut(c.Name, "["); of != t.Column.Name {
				continue
			}
			c.Name = t.Column.Name
			if t.Within != nil && found == len(t.Within) || !sameBounds(c, t.at(found)) {
				return nil, fmt.Errorf("their column %s has another owner or other bounds", t.Column.Name)
			}
			found++
			w.columns, w.terms, w.places = append(w.columns, j+1), append(w.terms, k), append(w.places, found)
		}
		if found == 0 || found > 1 && t.Matrix == "" || t.Levels != nil && found != len(t.Levels)-1 {
			return nil, fmt.Errorf("they have no column %s", t.Column.Name)
		}
	}
	if d.Scale == nil && len(w.columns) < len(m.Columns) {
		return nil, fmt.Errorf("they are of %d columns, and the slopes of a logistic regression hold "+
			"for all of them together", len(m.Columns)-1)
	}
	if m.Rows < len(w.columns)+leastRows {
		return nil, fmt.Errorf("they are of %d rows, and %d coefficients take %d", m.Rows, len(w.columns),
			len(w.columns)+leastRows)
	}
	return w, nil
}

// sameBounds compares columns; that one has two values may be known of it in the release or not.
func sameBounds(a, b release.BoundedColumn) bool {
	a.Binary = b.Binary
	return a == b
}

func (w *writer) line(text string, args ...any) {
	w.b.WriteString(strings.ReplaceAll(fmt.Sprintf(text, args...), "$", prefix) + "\n")
}

// declarations copies what the likelihood does not read.
func (w *writer) declarations() {
	w.line("// The posterior given the release %s, without rows.", w.m.Digest[:16])
	f := &finder{Program: w.program}
	sizes := map[string]bool{}
	for k, t := range w.Terms {
		if t.Matrix == "" || sizes[t.Matrix] {
			continue
		}
		sizes[t.Matrix] = true
		n := min(1, len(t.Levels))
		for _, of := range w.terms {
			if of == k {
				n++
			}
		}
		if s := w.program.Symbols[t.Matrix]; (s == nil || s.Kind != check.Const) &&
			w.program.Sizes[t.Matrix] != nil {
			w.line("const %s = %d", t.Matrix, n)
		}
	}
	for _, s := range w.program.File.Stmts {
		switch s := s.(type) {
		case *ast.Const, *ast.Param, *ast.Client, *ast.Server, *ast.Distribution:
			w.line("%s", strings.Join(strings.Fields(format.Stmt(s)), " "))
		case *ast.Let:
			if !f.reads(s.Value) {
				w.line("%s", strings.Join(strings.Fields(format.Stmt(s)), " "))
			}
		}
	}
	if len(w.program.Clients) > 0 {
		w.line("transform none")
	}
}

// coefficients are those of scaled columns for the scaled response: with x = middle + half·z,
// a + Σ b·x = (a + Σ b·middle) + Σ (b·half)·z.
func (w *writer) coefficients() {
	scale, middle := w.Response.Half(), w.Response.Middle()
	if w.Scale == nil { // log odds are in units of their own
		scale, middle = 1, 0
	}
	first := append([]string{number(-middle)}, w.Offset...)
	var rest []string
	for k, of := range w.terms {
		t := w.Terms[of]
		by := "(" + t.By + ")"
		switch {
		case t.Levels != nil: // the first category has no column: u[g] = u[1] + Σ (u[k] − u[1])·(g is k)
			if w.places[k] == 1 {
				first = append(first, by+"[1]")
			}
			by = fmt.Sprintf("(%s[%d] - %s[1])", by, w.places[k]+1, by)
		case t.Matrix != "":
			by += fmt.Sprintf("[%d]", w.places[k])
		}
		c := t.at(w.places[k] - 1)
		first = append(first, number(c.Middle())+" * "+by)
		rest = append(rest, number(c.Half()/scale)+" * "+by)
	}
	w.line("let $first = (%s) / %s", strings.Join(first, " + "), number(scale))
	w.line("let $b = append($first, %s)", strings.Join(rest, ", "))
}

// moments writes those of the columns, and the matrix that stands for it where one must be positive definite.
func (w *writer) moments() {
	all, p := w.m.Matrix(), len(w.columns)
	y := len(w.m.Columns)
	xx, xy, known := make([][]float64, p), make([]float64, p), make([]float64, p)
	for i, a := range w.columns {
		xx[i] = make([]float64, p)
		for j, b := range w.columns {
			xx[i][j] = all[a][b]
		}
		xy[i] = all[a][y]
		if w.m.Known(a) {
			known[i] = 1
		}
	}
	w.line("const $p = %d", p)
	w.line("let $one = diag(rep(1, $p))")
	w.line("let $xx = %s", matrix(xx))
	w.line("let $pd = %s", matrix(positive(xx, w.floor())))
	w.line("let $xy = %s", vector(xy))
	w.line("let $known = %s", vector(known))
	w.line("let $yy = %s", number(all[y][y]))
}

// floor is the least eigenvalue of moments that is taken for possible: of as many rows, the square of a
// thousandth of the half range each, or what the noise does not tell from 0.
func (w *writer) floor() float64 { return 1e-6 * float64(w.m.Rows) }

// noise writes the covariance of the noise Z·u of the released sums, of a symmetric matrix Z whose elements
// have variance T on the diagonal and T/2 off it, with u = (−c, 1) and without the diagonal elements that are
// known: T·(½(|u|²I + uuᵀ) − diag(u²) there).
func (w *writer) noise(c string) {
	w.line("let $t = %s", number(w.m.Variance()))
	w.line("let $c = %s", c)
	w.line("let $u2 = 1 + dot($c, $c)")
	w.line("let $z = $t * (0.5 * ($u2 * $one + outer($c, $c)) - diag($known .* $c .* $c))")
}

// gaussian writes the density of a vector g with covariance v.
func (w *writer) gaussian() {
	w.line("let $l = cholesky($v)")
	w.line("let $x = solve($v, $g)")
	w.line("factor -0.5 * dot($g, $x) - sum(log($l[k, k]) for k in 1..$p)")
}

// normal writes the likelihood of X'y and y'y given X'X and the parameters. Without noise it is that of the
// rows: g = X'y − X'X·b ~ normal(0, σ²X'X), and y'y − b'… leaves σ²χ² with N − p degrees of freedom. With
// noise g has its covariance too, and what remains after regression on g has the mean, the variance and the
// third moment of that sum of a χ² and noise; the density is the shifted gamma (Pearson's type III) with
// these. Terms of relative order p/N in its variance are left out.
func (w *writer) normal() {
	w.line("let $s2 = (%s / %s)^2", "("+w.scale()+")", number(w.Response.Half()))
	w.noise("$b")
	w.line("let $v = $s2 * $pd + $z")
	w.line("let $g = $xy - $xx * $b")
	w.gaussian()
	// covariance of the noises of g and of what follows
	w.line("let $k = -$t * ($u2 * $c - $known .* $c .* $c .* $c)")
	w.line("let $h = $yy - 2 * dot($b, $xy) + quad_form($xx, $b)")
	w.line("let $m = %d * $s2", w.m.Rows)
	w.line("let $mean = $m - $s2^2 * sum($pd .* solve($v, $one)) + $s2^2 * quad_form($pd, $x) + dot($k, $x)")
	w.line("let $n = %d - $p", w.m.Rows)
	w.line("let $var = 2 * $n * $s2^2 + $t * ($u2^2 - sum($known .* $c .* $c .* $c .* $c)) " +
		"- dot($k, solve($v, $k))")
	w.line("let $skew = $var^3 / (16 * $n^2 * $s2^6)") // 4·var³/(8·n·s2³)²
	// beyond 1e12 it is the normal distribution to 6 digits, and rounding would show
	w.line("let $shape = $skew / (1 + 1e-12 * $skew)")
	w.line("let $r = ($h - $mean) / sqrt($var * $shape)")
	w.line("factor ($shape - 1) * log1p($r) - $shape * $r - 0.5 * log($var) - 1 / (12 * " +
		"$shape) + 1 / (360 * $shape^3)")
}

// scale is that of a normal response, as it is written.
func (w *writer) scale() string { return format.Expr(w.Scale) }

// number writes a value so that it is read as the same.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func vector(v []float64) string {
	var out []string
	for _, x := range v {
		out = append(out, number(x))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func matrix(rows [][]float64) string {
	var out []string
	for _, r := range rows {
		out = append(out, vector(r))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// Columns lists what is released, the response last, where matrices have so many columns with names.
func (d *Design) Columns(of func(declared string) []string) []release.BoundedColumn {
	var out []release.BoundedColumn
	for _, t := range d.Terms {
		names := []string{t.Column.Name}
		if t.Matrix != "" {
			if names = MatrixNames(t.Column.Name, of(t.Column.Name)); t.Levels != nil {
				names = MatrixNames(t.Column.Name, t.Levels[1:])
			}
		}
		for k, n := range names {
			c := t.at(k)
			c.Name = n
			out = append(out, c)
		}
	}
	return append(out, d.Response)
}

// Names lists the columns of the model's matrices in a release, and the categories of levels, by their size.
func (d *Design) Names(m *release.Moments) map[string][]string {
	out := map[string][]string{}
	for _, t := range d.Terms {
		if t.Matrix == "" || out[t.Matrix] != nil {
			continue
		}
		if t.Levels != nil {
			out[t.Matrix] = t.Levels
			continue
		}
		for _, c := range m.Columns {
			if name, of := strings.CutPrefix(c.Name, t.Column.Name+"["); of {
				out[t.Matrix] = append(out[t.Matrix], strings.TrimSuffix(name, "]"))
			}
		}
	}
	return out
}

// MatrixNames are what the columns of a matrix are called in a release.
func MatrixNames(matrix string, columns []string) (out []string) {
	for _, n := range columns {
		out = append(out, matrix+"["+n+"]")
	}
	return out
}

// Declared are the declarations that are released, the response last; a matrix whose columns have bounds of
// their own stands there once for each.
func (d *Design) Declared() (out []release.BoundedColumn) {
	for _, t := range d.Terms {
		for k := range max(1, len(t.Within)) {
			out = append(out, t.at(k))
		}
	}
	return append(out, d.Response)
}

// LevelsOf are the categories of a level that is released; nil: it is none.
func (d *Design) LevelsOf(declared string) []string {
	for _, t := range d.Terms {
		if t.Column.Name == declared {
			return t.Levels
		}
	}
	return nil
}

// Described names the columns that are released, the response last.
func (d *Design) Described() string {
	var out []string
	for _, t := range d.Terms {
		out = append(out, t.Column.Name)
	}
	return strings.Join(append(out, d.Response.Name), ", ")
}
