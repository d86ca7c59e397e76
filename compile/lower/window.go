package lower

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// A Window is some of the rows of a model whose rows are independent, as package rows finds.
type Window struct {
	Size  string  // the name of the size that counts rows
	Rows  []int   // counted from 0, ascending
	Scale float64 // of likelihoods over rows
}

// size is the number of rows of the window where name is that of the size.
func (w *Window) size(name string) (int, bool) {
	if w == nil || name != w.Size {
		return 0, false
	}
	return len(w.Rows), true
}

// over reports whether a value has an element, or a row of them, for each row.
func (w *Window) over(t types.Type) bool {
	return w != nil && len(t.Dims) > 0 && t.Dims[0].Equal(types.Named(w.Size))
}

// of is the window's part of a bound value.
func (w *Window) of(s *check.Symbol, b *data.BoundValue) (graph.Shape, []float64) {
	if !w.over(s.Type) {
		return graph.Shape(b.Dims), b.Values
	}
	dims := append(graph.Shape{len(w.Rows)}, b.Dims[1:]...)
	return dims, choose(b.Values, b.Dims[0], w.Rows)
}

// choose takes some rows of values in column-major order.
func choose(values []float64, rows int, chosen []int) []float64 {
	out := make([]float64, 0, len(values)/max(rows, 1)*len(chosen))
	for from := 0; from < len(values); from += rows {
		for _, r := range chosen {
			out = append(out, values[from+r])
		}
	}
	return out
}

// scale is the factor by which the window scales a likelihood.
func (l *lowerer) scale(k *check.Likelihood) float64 {
	for _, e := range append([]ast.Expr{k.Stmt.Left}, k.Args...) {
		if e != nil && l.Window.over(l.Program.Info[e].Type) {
			return l.Window.Scale
		}
	}
	return 1
}

// Divide adds windows to a plan: its parties, lowered for each part of the rows that size counts, with
// likelihoods over rows scaled. Every row is in one part.
func Divide(plan *model.Plan, parties []*Lowered, size string, parts [][]int, scale float64) (diag.List,
	error) {
	d := &divider{plan: plan}
	for _, rows := range parts {
		w := &Window{Size: size, Rows: rows, Scale: scale}
		part, diags, err := w.lower(parties)
		if err != nil || diags.HasErrors() {
			return diags, err
		}
		d.add(w, part)
	}
	return nil, d.pack()
}

// A divider adds windows to a plan. Programs of windows that differ in their data alone are kept once, so
// that an evaluation finds them, and the arrays in which it works, in the caches.
type divider struct {
	plan *model.Plan
	kept []*model.Plan
}

// add adds a window.
func (d *divider) add(w *Window, part *model.Plan) {
	part.Wire = d.plan.Wire
	w.label(d.plan, part)
	for _, like := range d.kept {
		if k, ok := variantOf(like, part, len(w.Rows)); ok {
			d.plan.Windows = append(d.plan.Windows, model.Window{Plan: like, Rows: w.Rows, Variant: k})
			return
		}
	}
	for _, p := range part.Parties {
		if p != nil {
			p.Variants = graph.NewVariants(p.Graph)
		}
	}
	d.kept = append(d.kept, part)
	d.plan.Windows = append(d.plan.Windows, model.Window{Plan: part, Rows: w.Rows})
}

// variantOf adds the data of a plan of so many rows to one that is like it in all else, and returns their
// number.
func variantOf(like, part *model.Plan, rows int) (k int, ok bool) {
	for i, p := range part.Parties {
		if p != nil && !like.Parties[i].Like(p, rows) {
			return 0, false
		}
	}
	for i, p := range part.Parties {
		if p != nil {
			k = like.Parties[i].Variants.Add(p.Graph)
		}
	}
	return k, true
}

// pack ends the adding of windows.
func (d *divider) pack() error {
	for _, plan := range d.kept {
		for _, p := range plan.Parties {
			if p != nil {
				p.Variants.Pack()
			}
		}
	}
	if err := d.plan.Verify(); err != nil {
		return fmt.Errorf("windows: %w", err)
	}
	return nil
}

// DivideOne is Divide where the other parties are elsewhere. Every cut has an element, or a row of them, for
// each of the n rows, so that the wiring of a window is that of the whole with sums of its length.
func DivideOne(plan *model.Plan, index int, party *Lowered, size string, n int, parts [][]int,
	scale float64) (diag.List, error) {
	d := &divider{plan: plan}
	for _, rows := range parts {
		own := party.PartyData
		w := &Window{Size: size, Rows: rows, Scale: scale}
		own.Window, own.Storage = w, own.Storage.Streaming()
		l, diags := Lower(own)
		if diags.HasErrors() {
			return diags, nil
		}
		part := plan.Only(index)
		part.Parties[index] = l.Spec
		part.Groups = slices.Clone(plan.Groups)
		for g := range part.Groups {
			part.Groups[g].Len = part.Groups[g].Len / n * len(rows)
		}
		for k := range l.Spec.Cuts {
			l.Spec.Cuts[k].Group = plan.Parties[index].Cuts[k].Group
		}
		part.Windows = nil
		d.add(w, part)
	}
	return nil, d.pack()
}

func (w *Window) lower(parties []*Lowered) (*model.Plan, diag.List, error) {
	var own []*Lowered
	for _, p := range parties {
		party := p.PartyData
		party.Window, party.Storage = w, party.Storage.Streaming()
		l, diags := Lower(party)
		if diags.HasErrors() {
			return nil, diags, nil
		}
		own = append(own, l)
	}
	plan, err := Link(own)
	return plan, nil, err
}

// label gives the window's cuts their part of the responses.
func (w *Window) label(whole, part *model.Plan) {
	for i, p := range part.Parties {
		if p == nil {
			continue
		}
		for k := range p.Cuts {
			if label := whole.Parties[i].Cuts[k].Label; label != nil {
				p.Cuts[k].Label = choose(label, len(label), w.Rows)
			}
		}
	}
}
