package graph

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
)

// A recursion of few steps on long vectors is its steps written out, with the same value and gradient.
func TestUnrolled(t *testing.T) {
	const length, steps = 40, 5
	for _, down := range []bool{false, true} {
		for _, long := range []bool{false, true} { // with more steps it is one operation
			n := steps
			if long {
				n = mostUnrolled
			}
			var got [2][]float64
			for plain := range got {
				body := New("step")
				body.Plain()
				w, x := body.Input("w", Shape{length}), body.Input("x", Shape{length})
				one, two := body.Input("one", Shape{length}), body.Input("two", Shape{length})
				body.Output("h", body.must("add", body.must("mul", body.must("tanh", w), one),
					body.must("mul", body.must("sin", x), body.must("sub", two, body.Scalar(0.3)))))
				g, err := body.Build()
				if err != nil {
					t.Fatal(err)
				}
				r := &Recursion{Name: "h", Body: g, First: 2, Last: n + 1, Rows: n + 2, Start: []int{0, 1},
					State: Shape{length}, Down: down, Reads: []Read{{Kind: ReadWhole},
						{Kind: ReadRow, Input: 1, Offset: 1}, {Kind: ReadState, Offset: -1},
						{Kind: ReadState, Offset: -2}}}
				if down {
					r.First, r.Last, r.Start = n-1, 0, []int{n + 1, n}
					r.Reads[2].Offset, r.Reads[3].Offset = 1, 2
				}
				b := New("outer")
				if plain == 1 {
					b.Plain()
				}
				in := []ID{b.Param("w", Shape{length}), b.Param("x", Shape{n + 3, length})}
				h, err := b.Recur(r, []ID{b.Param("a", Shape{length}), b.Param("b", Shape{length})}, in)
				if err != nil {
					t.Fatal(err)
				}
				c := make([]float64, (n+2)*length)
				for i := range c {
					c[i] = math.Cos(float64(i))
				}
				if err := b.Add("h", b.must("mul", h, b.Const("", Shape{n + 2, length}, c)), 1); err != nil {
					t.Fatal(err)
				}
				whole, err := b.Build()
				if err != nil {
					t.Fatal(err)
				}
				if one := strings.Contains(whole.String(), "recur."); one != (plain == 1 || long) {
					t.Errorf("%d steps, plain %d: one operation: %v", n, plain, one)
				}
				e, at := whole.NewExec(), make([]float64, whole.Dim())
				for i := range at {
					at[i] = math.Sin(float64(i))
				}
				e.Forward(at)
				got[plain] = append([]float64{e.Target()}, e.Grad()...)
			}
			for i, want := range got[1] {
				if math.Abs(got[0][i]-want) > 1e-12*(1+math.Abs(want)) {
					t.Fatalf("%d steps, down %v, number %d: %v, want %v", n, down, i, got[0][i], want)
				}
			}
		}
	}
}

// The rows of a recursion whose rows are matrices are its steps written out where one of them is read, as the
// last of a forward algorithm is.
func TestUnrolledRows(t *testing.T) {
	const length, steps, states = 40, 5, 2
	var got [2][]float64
	for plain := range got {
		body := New("step")
		body.Plain()
		x, one := body.Input("x", Shape{length}), body.Input("one", Shape{length, states})
		to := body.must("mul", body.must("col", body.must("sin", x)), body.Const("", Shape{states},
			[]float64{1, -0.5}))
		total := body.must("log_sum_exp", body.must("add", one, to))
		body.Output("h", body.must("add", body.must("col", total), body.must("tanh", one)))
		g, err := body.Build()
		if err != nil {
			t.Fatal(err)
		}
		r := &Recursion{Name: "h", Body: g, First: 1, Last: steps, Rows: steps + 1, Start: []int{0},
			State: Shape{length, states}, Reads: []Read{{Kind: ReadRow}, {Kind: ReadState, Offset: -1}}}
		b := New("outer")
		if plain == 1 {
			b.Plain()
		}
		h, err := b.Recur(r, []ID{b.Param("a", r.State)}, []ID{b.Param("x", Shape{steps + 1, length})})
		if err != nil {
			t.Fatal(err)
		}
		last, err := b.Apply("slice", Attr{Slices: []Slice{{Lo: steps, Hi: steps + 1, Drop: true},
			{Hi: length}, {Hi: states}}}, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Add("h", b.must("log_sum_exp", last), 1); err != nil {
			t.Fatal(err)
		}
		whole, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if one := strings.Contains(whole.String(), "recur."); one != (plain == 1) {
			t.Errorf("plain %d: one operation: %v", plain, one)
		}
		e, at := whole.NewExec(), make([]float64, whole.Dim())
		for i := range at {
			at[i] = math.Sin(float64(i))
		}
		e.Forward(at)
		got[plain] = append([]float64{e.Target()}, e.Grad()...)
	}
	for i, want := range got[1] {
		if math.Abs(got[0][i]-want) > 1e-12*(1+math.Abs(want)) {
			t.Fatalf("number %d: %v, want %v", i, got[0][i], want)
		}
	}
}

// A recursion of many steps keeps its rows together, as columns: nothing is transposed for a density of
// them, and what reads them as they are written, such as an output, a report, or a sum over rows, has the
// same numbers. It reads rows of data, of parameters and of vectors, and earlier rows of its own, whose
// elements need each other.
func TestTurnedRecursions(t *testing.T) {
	const length, steps = mostEntries + 1, mostUnrolled
	data := make([]float64, (steps+1)*length)
	for i := range data {
		data[i] = math.Sin(float64(7 * i))
	}
	for _, by := range []string{"the density", "all", "another party"} { // what reads it
		var got [2][]float64
		for plain := range got {
			body := New("step")
			body.Plain()
			x, m, v := body.Input("x", Shape{length}), body.Input("m", Shape{length}), body.Input("v", Shape{})
			a, last := body.Input("a", Shape{length}), body.Input("last", Shape{length})
			body.Output("h", body.must("add", body.must("mul", body.must("softmax", last), a),
				body.must("mul", body.must("add", x, m), v)))
			g, err := body.Build()
			must(t, err)
			r := &Recursion{Name: "h", Body: g, First: 1, Last: steps, Rows: steps + 1, Start: []int{0},
				State: Shape{length}, Reads: []Read{{Kind: ReadRow}, {Kind: ReadRow, Input: 1, Offset: -1},
					{Kind: ReadRow, Input: 2}, {Kind: ReadWhole, Input: 3}, {Kind: ReadState, Offset: -1}}}
			b := New("outer")
			b.plain = plain == 1
			size := Shape{steps + 1, length}
			seen := b.Const("data", size, data)
			in := []ID{seen, b.must("transpose", b.must("exp", b.Param("m", Shape{length, steps + 1}))),
				b.Param("v", Shape{steps + 1}), b.Param("a", Shape{length})}
			h, err := b.Recur(r, []ID{b.Param("first", Shape{length})}, in)
			must(t, err)
			normal := pick(t, dist.All(), "normal", func(d def.Dist) string { return d.Name })
			must(t, b.Likelihood("y", &normal, seen, []ID{b.must("tanh", h), b.Scalar(0.7)}, NoID, 0.5))
			if by == "another party" {
				b.Output("h", h)
			}
			if by != "the density" {
				b.Report("twice", b.must("add", h, h))
				must(t, b.Add("sums", b.must("tanh", b.must("cumulative_sum", h)), 0.1))
			}
			whole, err := b.Build()
			must(t, err)
			text := whole.String()
			if moved := strings.Contains(text, "transpose("); moved == (by == "the density") && plain == 0 {
				t.Errorf("read by %s: something is transposed: %v\n%s", by, moved, text)
			}
			e, at := whole.NewExec(), make([]float64, whole.Dim())
			for i := range at {
				at[i] = math.Sin(float64(i)) / 2
			}
			e.Forward(at)
			got[plain] = append([]float64{e.Target()}, e.Grad()...)
			if by != "the density" {
				got[plain] = append(got[plain], e.Report(0)...)
			}
			if by == "another party" {
				seed := make([]float64, len(e.Output(0)))
				for i := range seed {
					seed[i] = math.Sin(float64(5 * i))
				}
				e.Pull([][]float64{seed})
				got[plain] = slices.Concat(got[plain], e.Output(0), e.Own(0), e.Grad())
			}
		}
		for i, want := range got[1] {
			if math.Abs(got[0][i]-want) > 1e-11*(1+math.Abs(want)) {
				t.Fatalf("read by %s, number %d: %v, want %v", by, i, got[0][i], want)
			}
		}
	}
}
