package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Apply computes the value from another table, such as new rows to predict, with the encoders as they were
// fitted: the mean of the old rows is subtracted, and a category that they did not have is an error. The
// value is nil when there are errors.
func (r Recipe) Apply(v View) (*BoundValue, diag.List) {
	var list diag.List
	return r.apply(v, &list), list
}

func (r Recipe) apply(v View, list *diag.List) *BoundValue {
	out := &BoundValue{Recipe: r}
	var parts [][]float64 // the values of the columns so far
	room, err := r.room(v)
	if err != nil {
		fail(list, diag.NoSpill, v.Name, "%v", err)
		return nil
	}
	ok := true
	for k := range r.Encoders {
		f := &r.Encoders[k]
		cs, found := v.columns(*f, list)
		if !found || slices.ContainsFunc(cs, func(c column) bool { return !r.fits(c, list) }) {
			ok = false
			continue
		}
		c := cs[0]
		var part [][]float64
		names, good := f.names(), false
		part, room, good = r.encode(cs, f, len(names), room, list)
		ok = ok && good
		parts = append(parts, part...)
		out.ColumnNames = append(out.ColumnNames, names...)
		out.Dims, out.ByRow = c.array.Dims, c.byRow()
		out.Labels = f.labels()
	}
	held := 0
	if room == nil {
		held = v.held
	}
	if !ok || !r.shape(v, out, parts, held, list) || r.Impute && !out.fill(v, list) {
		return nil
	}
	if r.Elem == types.Level.String() && r.Levels == 0 {
		out.Levels = max(len(out.Labels), int(slices.Max(out.Values)))
	}
	return out
}

// room allocates the memory that the encoders write to, column by column; nil where all columns are used
// without change.
func (r Recipe) room(v View) ([]float64, error) {
	n, written := 0, false
	for k := range r.Encoders {
		f := &r.Encoders[k]
		if a, ok := v.Array(f.Column); ok {
			n += a.Len() * len(f.names())
		}
		_, encoded := encoderNamed(f.Encoder)
		written = written || encoded || f.Words != nil
	}
	if !written {
		return nil, nil
	}
	return v.hold.Floats(n, 1)
}

// Plain reports whether the encoders of a recipe leave cells as they are, so that nothing was fitted to the
// rows.
func (r Recipe) Plain() bool {
	return !slices.ContainsFunc(r.Encoders, func(f Fitted) bool {
		_, encoded := encoderNamed(f.Encoder)
		return encoded || f.Words != nil
	})
}

// Made returns, for each column of a value, the affine map that gave its numbers from those of the table:
// that which changes nothing for a column as it is, and where the encoder is no affine map. It is nil for
// values that were not read from a table.
func (b *BoundValue) Made() []def.Rescaling {
	var out []def.Rescaling
	for k := range b.Encoders {
		f := &b.Encoders[k]
		out = append(out, slices.Repeat([]def.Rescaling{f.affine()}, len(f.names()))...)
	}
	if len(out) == 1 && len(b.Dims) > 1 { // an entry of a document as a whole
		columns := 1
		for _, d := range b.Dims[1:] {
			columns *= d
		}
		return slices.Repeat(out, columns)
	}
	return out
}

// fits reports whether an array can enter the declaration: as a column of it, or as all of it.
func (r Recipe) fits(c column, list *diag.List) bool {
	have := len(c.array.Dims)
	several := len(r.Encoders) > 1
	if have == r.Rank && (r.Rank < 2 || !several) || have == 1 && r.Rank == 2 &&
		(!c.view.Document || r.columnwise()) {
		return true
	}
	wanted := shapeWanted(r.Rank)
	if several {
		wanted = "put together from vectors"
	}
	c.fail(list, issue{diag.DataShape, fmt.Sprintf("is %s, but data %s is %s", shapeWords(c.array.Dims),
		r.Name, wanted)})
	return false
}

// columnwise reports whether a matrix of a document is put together from columns. Without a `from` clause it
// is not: its only encoder reads the entry with the name of the declaration.
func (r Recipe) columnwise() bool {
	return len(r.Encoders) > 1 || r.Encoders[0].Column != r.Name || !r.Encoders[0].elementwise()
}

func shapeWords(dims []int) string {
	if len(dims) == 0 {
		return "a single number"
	}
	text := make([]string, len(dims))
	for i, d := range dims {
		text[i] = fmt.Sprint(d)
	}
	if len(dims) == 1 {
		return "an array of " + grouped.Count(dims[0], "value")
	}
	return "an array of " + strings.Join(text, " × ") + " values"
}

func shapeWanted(rank int) string {
	switch rank {
	case 0:
		return "a scalar"
	case 1:
		return "a vector"
	case 2:
		return "a matrix"
	}
	return fmt.Sprintf("of %d dimensions", rank)
}

// encode returns the columns of one encoder of the columns cs, each in the order of the array's cells, and
// what remains of room. If room is nil the columns are used without change.
func (r Recipe) encode(cs []column, f *Fitted, columns int, room []float64,
	list *diag.List) (parts [][]float64, rest []float64, ok bool) {
	bad := make([]*faults, len(cs))
	for k, c := range cs {
		bad[k] = &faults{list: list, col: c}
		bad[k].gaps(f, r.Elem, r.Impute)
		if r.Elem == types.Int.String() || r.Elem == types.Count.String() {
			if bad[k].part = ", or declare the data real"; r.Rank == 0 {
				bad[k].part += ", unless it is a size"
			}
		}
		if r.Rank == 2 {
			bad[k].word = fmt.Sprintf("; for categories write %s(%s), or leave the column out",
				ofCategories(), c.array.Name)
		}
	}
	if room == nil {
		parts = [][]float64{f.asIs(cs[0], bad[0])}
	} else {
		n := cs[0].array.Len()
		for range columns {
			parts, room = append(parts, room[:n]), room[n:]
		}
		f.encode(cs, parts, bad)
	}
	r.check(parts, bad[0])
	for _, b := range bad {
		if !b.done() {
			return parts, room, false
		}
	}
	return parts, room, true
}

// check reports the cells with a result outside the declared limits.
func (r Recipe) check(parts [][]float64, bad *faults) {
	if r.Lower == nil && r.Upper == nil && r.Levels == 0 || len(parts) == 0 {
		return
	}
	for i := range parts[0] {
		for _, part := range parts {
			if is := r.limits(part[i]); is.bad() {
				bad.add(i, is)
				break
			}
		}
	}
}

// shape arranges the columns as a matrix, or keeps a single one as an array. held is the number of values
// that stay in memory with any of the columns.
func (r Recipe) shape(v View, out *BoundValue, parts [][]float64, held int, list *diag.List) bool {
	if r.Rank == 2 && len(out.Dims) == 1 {
		for k := 1; k < len(parts); k++ {
			if len(parts[k]) != len(parts[0]) { // entries of a document may differ
				fail(list, diag.DataShape, place(v.Name, 1),
					"%s: its columns %s and %s have %d and %d values", r.Name, out.ColumnNames[0],
					out.ColumnNames[k], len(parts[0]), len(parts[k]))
				return false
			}
		}
		out.Dims, out.Values = []int{len(parts[0]), len(parts)}, sideBySide(parts, held)
		return true
	}
	if len(parts) != 1 {
		fail(list, diag.DataShape, place(v.Name, 1), "%s: from has %s (%s), but it is %s", r.Name,
			grouped.Count(len(parts), "column"), listed(out.ColumnNames), shapeWanted(r.Rank))
		return false
	}
	out.Dims, out.Values = slices.Clone(out.Dims), columnMajor(sideBySide(parts, held), out.Dims)
	if r.Rank != 1 {
		out.ColumnNames = nil
	}
	return true
}

// sideBySide returns the matrix of the columns. Columns that are adjacent in memory are not copied, unless
// they would keep more than twice their size in memory.
func sideBySide(parts [][]float64, held int) []float64 {
	n := len(parts[0])
	whole := parts[0][:cap(parts[0])]
	alone := held > 2*n*len(parts)
	for k, part := range parts {
		if alone || len(whole) < (k+1)*n || &whole[k*n] != &part[0] {
			return slices.Concat(parts...)
		}
	}
	return slices.Clip(whole[:len(parts)*n])
}

// columnMajor reorders the cells of a document, whose last index runs fastest, so that the first does.
func columnMajor(v []float64, dims []int) []float64 {
	if len(dims) < 2 {
		return v
	}
	out := make([]float64, len(v))
	index := make([]int, len(dims))
	for _, x := range v {
		at := 0
		for k := len(dims) - 1; k >= 0; k-- {
			at = at*dims[k] + index[k]
		}
		out[at] = x
		for k := len(dims) - 1; k >= 0; k-- { // the next cell
			if index[k]++; index[k] < dims[k] {
				break
			}
			index[k] = 0
		}
	}
	return out
}

// limits returns the error in an encoded value: outside declared bounds, or a level above the last.
func (r Recipe) limits(v float64) issue {
	if r.Elem == types.Level.String() && r.Levels > 0 && v > float64(r.Levels) {
		return issue{diag.OutOfRange, fmt.Sprintf("is level %v, but the model has %s", v,
			grouped.Count(r.Levels, "level"))}
	}
	return bounds(v, r.Lower, r.Upper)
}
