package model

import "slices"

// windows checks that the windows are plans of the same parties with the same parameters, and that every row
// is in one of them.
func (v *verifier) windows() error {
	if len(v.plan.Windows) == 1 {
		return wrong("windows", "there is only one")
	}
	n := 0
	for _, w := range v.plan.Windows {
		n += len(w.Rows)
	}
	const several = 2
	in, seen := make([]byte, n), map[*Plan]bool{} // how many windows have a row, at most several
	for _, w := range v.plan.Windows {
		if err := v.window(w, seen[w.Plan]); err != nil {
			return err
		}
		seen[w.Plan] = true
		for _, r := range w.Rows {
			if 0 <= r && r < n { // else another one is in none
				in[r] = min(in[r]+1, several)
			}
		}
	}
	if r := slices.IndexFunc(in, func(windows byte) bool { return windows != 1 }); r >= 0 {
		return wrong("windows", "row %d is in none of them or in several", r+1)
	}
	return nil
}

// window checks one window, whose plan may have been seen with another.
func (v *verifier) window(w Window, seen bool) error {
	for _, p := range w.Parties {
		if variants := w.variants(p); w.Variant < 0 || w.Variant >= variants {
			return wrong("windows", "data %d of %s, which has %d", w.Variant, p.Party, variants)
		}
	}
	if seen {
		return v.sameRows(w)
	}
	if err := w.Verify(); err != nil {
		return err
	}
	if len(w.Windows) > 0 || !slices.Equal(w.Names, v.plan.Names) {
		return wrong("windows", "one is divided itself or has other parties")
	}
	return v.sameParties(w)
}

// variants is of how many windows a party has data in the plan of this one.
func (w Window) variants(p *Spec) int {
	switch {
	case p == nil:
		return w.Variant + 1
	case p.Variants == nil:
		return 1
	}
	return p.Variants.Len()
}

// sameParties compares the parties that this process holds: their parameters, and the rows of their cuts.
func (v *verifier) sameParties(w Window) error {
	for i, whole := range v.plan.Parties {
		part := w.Parties[i]
		if (whole == nil) != (part == nil) {
			return wrong(party(v.plan.Names[i]), "a window has no program of it, or only a window has")
		}
		if whole == nil {
			continue
		}
		if whole.Graph.Dim() != part.Graph.Dim() || len(whole.Cuts) != len(part.Cuts) {
			return wrong(party(whole.Party), "other parameters or other cuts in a window")
		}
		for k, c := range part.Cuts {
			if c.Cols != whole.Cuts[k].Cols {
				return wrong(party(whole.Party), "the cut %s has %d columns in a window and %d over all rows",
					c.Name, c.Cols, whole.Cuts[k].Cols)
			}
		}
	}
	return v.sameRows(w)
}

// sameRows compares the rows of the cuts with those of the window.
func (v *verifier) sameRows(w Window) error {
	for _, part := range w.Parties {
		if part == nil {
			continue
		}
		for _, c := range part.Cuts {
			if c.Rows != len(w.Rows) {
				return wrong(party(part.Party), "the cut %s has %d rows in a window of %d", c.Name, c.Rows,
					len(w.Rows))
			}
		}
	}
	return nil
}
