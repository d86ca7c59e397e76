package graph

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// A recursion of many entries, of which some alone need each other as those of a person in a panel do, is
// computed for all persons by what computes one, and has the value and the gradient of the graph that runs
// for each row: whether a person's entries are a column of a matrix or stand apart in a vector, what they
// read is theirs or the same for all, and whatever part of the result is read.
func TestLanes(t *testing.T) {
	const n, steps = 9, 161
	// Each is the row that follows from the last one and the one before, of two entries for each person.
	type step func(b *Builder, p, q, before, x, a, z, c ID) (p2, q2 ID)
	steppers := map[string]step{
		"affine": func(b *Builder, p, q, before, x, a, z, c ID) (ID, ID) {
			return b.must("add", b.must("mul", p, a), b.must("mul", before, c)),
				b.must("add", b.must("mul", q, b.Scalar(0.5)), b.must("mul", x, z))
		},
		"curved": func(b *Builder, p, q, before, x, a, z, c ID) (ID, ID) {
			f := b.must("div", p, b.must("add", b.must("mul", q, q), b.Scalar(1.5)))
			return b.must("add", f, b.must("mul", a, x)),
				b.must("add", b.must("mul", q, b.must("sin", b.must("mul", p, c))), z)
		},
		"one after the other": func(b *Builder, p, q, before, x, a, z, c ID) (ID, ID) {
			return b.must("add", b.must("div", before, b.Scalar(1.5)), b.must("mul", a, z)),
				b.must("add", b.must("mul", q, p), b.must("mul", c, x))
		},
		"alone": func(b *Builder, p, q, before, x, a, z, c ID) (ID, ID) { // the first is the same for all
			p2 := b.must("add", b.must("mul", p, b.Scalar(0.3)), b.must("mul", b.must("sin", before), z))
			return p2, b.must("add", b.must("cos", q), b.must("mul", x, p2))
		},
	}
	cut := func(b *Builder, id ID, cuts ...Slice) ID { return b.mustWith("slice", Attr{Slices: cuts}, id) }
	entry := func(i int) Slice { return Slice{Lo: i, Hi: i + 1, Drop: true} }
	for name, next := range steppers {
		for _, form := range []string{"matrix", "turned", "vector"} {
			for _, down := range []bool{false, true} {
				var got [2][]float64
				for plain := range got {
					body := New("step")
					body.Plain()
					state := map[string]Shape{"matrix": {2, n}, "turned": {n, 2}, "vector": {2 * n}}[form]
					last, before := body.Input("last", state), body.Input("before", state)
					x, a := body.Input("x", Shape{n}), body.Input("a", Shape{n})
					z, c := body.Input("z", Shape{}), body.Input("c", Shape{})
					half := func(id ID, k int) ID {
						switch form {
						case "matrix":
							return cut(body, id, entry(k), Slice{Hi: n})
						case "turned":
							return cut(body, id, Slice{Hi: n}, entry(k))
						}
						return cut(body, id, Slice{Lo: k * n, Hi: (k + 1) * n})
					}
					p, q := next(body, half(last, 0), half(last, 1), half(before, 0), x, a, z, c)
					switch form {
					case "matrix":
						body.Output("h", body.must("append", body.must("row", p), body.must("row", q)))
					case "turned":
						body.Output("h", body.must("transpose",
							body.must("append", body.must("row", p), body.must("row", q))))
					default:
						body.Output("h", body.must("append", p, q))
					}
					g, err := body.Build()
					must(t, err)
					r := &Recursion{Name: "h", Body: g, First: 2, Last: steps + 1, Rows: steps + 2,
						Start: []int{0, 1}, State: state, Down: down,
						Reads: []Read{{Kind: ReadState, Offset: -1}, {Kind: ReadState, Offset: -2},
							{Kind: ReadRow, Input: 0, Offset: 1}, {Kind: ReadWhole, Input: 1},
							{Kind: ReadRow, Input: 2}, {Kind: ReadWhole, Input: 3}}}
					if down {
						r.First, r.Last, r.Start = steps-1, 0, []int{steps + 1, steps}
						r.Reads[0].Offset, r.Reads[1].Offset = 1, 2
					}
					b := New("outer")
					b.plain = plain == 1
					in := []ID{b.Param("x", Shape{steps + 3, n}), b.Param("a", Shape{n}),
						b.Param("z", Shape{steps + 2}), b.Param("c", Shape{})}
					first, second := b.Param("first", state), b.Param("second", state)
					if name == "alone" {
						same := b.Const("", state, constantOf(2*n, 0.4))
						first, second = b.must("mul", same, b.Param("s", nil)), b.must("exp", same)
					}
					h, err := b.Recur(r, []ID{first, second}, in)
					must(t, err)
					all := Slice{Hi: steps + 2}
					var read []ID
					switch form {
					case "matrix":
						read = []ID{cut(b, h, all, entry(1), Slice{Hi: n}),
							cut(b, h, all, entry(0), Slice{Lo: 2, Hi: 5}),
							cut(b, h, entry(steps), Slice{Hi: 2}, entry(3)),
							cut(b, h, entry(7), entry(1), entry(4))}
					case "turned":
						read = []ID{cut(b, h, all, Slice{Hi: n}, entry(1)),
							cut(b, h, all, entry(4), Slice{Hi: 2})}
					default:
						read = []ID{cut(b, h, all, Slice{Lo: n, Hi: 2 * n}),
							cut(b, h, all, Slice{Lo: 3, Hi: n + 2}), cut(b, h, entry(steps), entry(n))}
					}
					for k, id := range append(read, h) {
						size := b.nodes[id].shape.Len()
						w := make([]float64, size)
						for i := range w {
							w[i] = math.Cos(float64(3*i + k))
						}
						must(t, b.Add(fmt.Sprint("term ", k), b.must("mul", b.must("tanh", id),
							b.Const("", b.nodes[id].shape, w)), 1))
					}
					whole, err := b.Build()
					must(t, err)
					each := slices.ContainsFunc(whole.nodes, func(n node) bool { return n.op == opRecur })
					if each && plain == 0 {
						t.Errorf("%s, %s: a graph runs for each row:\n%s", name, form, whole)
					}
					e, at := whole.NewExec(), make([]float64, whole.Dim())
					for i := range at {
						at[i] = math.Sin(float64(i)) / 2
					}
					e.Forward(at)
					got[plain] = append([]float64{e.Target()}, e.Grad()...)
				}
				for i, want := range got[1] {
					if math.Abs(got[0][i]-want) > 1e-12*(1+math.Abs(want)) {
						t.Fatalf("%s, %s, down %v, number %d: %v, want %v", name, form, down, i,
							got[0][i], want)
					}
				}
			}
		}
	}
}
