package backends

// A Forecast says before a run between parties how many evaluations it takes: the fewest and the most of what is usual.
type Forecast struct {
	Sequential Range // one after another: each is a round trip, or what a transform needs
	All        Range // of the joint density, as bytes are counted
}

// A Range is from a number to another.
type Range struct{ Least, Most int }

// Times is a range of so many times as much.
func (r Range) Times(n int) Range { return Range{r.Least * n, r.Most * n} }

// Plus is the forecast of a run after another.
func (f Forecast) Plus(first Forecast) Forecast {
	add := func(a, b Range) Range { return Range{a.Least + b.Least, a.Most + b.Most} }
	return Forecast{add(f.Sequential, first.Sequential), add(f.All, first.All)}
}
