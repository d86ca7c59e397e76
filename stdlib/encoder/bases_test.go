package encoder

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/stdlib/def"
)

// fitted fits an encoder to numbers; nil where it refuses them.
func fitted(t *rapid.T, e def.Encoder, option string, k int, x []float64) (*def.Fitted, [][]float64) {
	f := &def.Fitted{Options: map[string]string{option: strconv.Itoa(k)}}
	if fault := e.Fit(numbers(x...), f); fault != nil {
		return nil, nil
	}
	return f, columns(t, e, f, x)
}

func columns(t *rapid.T, e def.Encoder, f *def.Fitted, x []float64) [][]float64 {
	out, faulty := encode(e, numbers(x...), f)
	if len(faulty) > 0 {
		t.Fatalf("%s refuses cells of %v", e.Name, x)
	}
	return out
}

// Orthogonal polynomials have sum 0, sum of squares 1 and products of sum 0, at any location and scale of the
// column; a map of the column that is linear and increasing leaves them as they are.
func TestPolynomialsAreOrthonormal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfNDistinct(rapid.Float64Range(-3, 3), 5, 30, func(v float64) int {
			return int(10 * v)
		}).Draw(t, "x")
		degree := rapid.IntRange(1, 3).Draw(t, "degree")
		shift, scale := rapid.Float64Range(-1e4, 1e4).Draw(t, "shift"),
			rapid.Float64Range(0.1, 1e6).Draw(t, "scale")
		f, p := fitted(t, Poly(), "degree", degree, x)
		if f == nil {
			t.Skip()
		}
		for j := range p {
			sum := 0.0
			for _, v := range p[j] {
				sum += v
			}
			if math.Abs(sum) > 1e-9 {
				t.Fatalf("degree %d of %v: sum %v", j+1, x, sum)
			}
			for k := range j + 1 {
				product, want := 0.0, 0.0
				for i := range x {
					product += p[j][i] * p[k][i]
				}
				if j == k {
					want = 1
				}
				if math.Abs(product-want) > 1e-9 {
					t.Fatalf("degrees %d and %d of %v: %v, want %v", j+1, k+1, x, product, want)
				}
			}
		}
		moved := make([]float64, len(x))
		for i, v := range x {
			moved[i] = shift + scale*v
		}
		_, q := fitted(t, Poly(), "degree", degree, moved)
		for k := range q {
			for i := range x {
				if math.Abs(q[k][i]-p[k][i]) > 1e-6 {
					t.Fatalf("degree %d of %v moved by %v and %v: %v, not %v", k+1, x, shift, scale, q[k][i],
						p[k][i])
				}
			}
		}
	})
}

// A natural spline is linear beyond the data, where it continues with the same slope, and has continuous
// second derivatives at its knots.
func TestSplinesAreNatural(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfNDistinct(rapid.Float64Range(0, 10), 8, 40, func(v float64) int {
			return int(4 * v)
		}).Draw(t, "x")
		df := rapid.IntRange(1, 5).Draw(t, "df")
		f, s := fitted(t, Spline(), "df", df, x)
		if f == nil {
			t.Skip()
		}
		if len(s) != df {
			t.Fatalf("%d columns, want %d", len(s), df)
		}
		low, span := f.Numbers[0], f.Numbers[1]
		const h = 1e-3
		second := func(u float64) []float64 { // second differences at places in units of the range
			at := make([]float64, 3)
			for k := range at {
				at[k] = low + span*(u+h*float64(k-1))
			}
			var out []float64
			for _, v := range columns(t, Spline(), f, at) {
				out = append(out, (v[0]-2*v[1]+v[2])/(h*h))
			}
			return out
		}
		for _, u := range []float64{-2, -h, 1 + h, 3} {
			for k, d := range second(u) {
				if math.Abs(d) > 1e-6 {
					t.Fatalf("column %d bends by %v at %v", k+1, d, u)
				}
			}
		}
		for _, u := range append([]float64{0, 1}, f.Numbers[6:5+df]...) {
			before, after, widest := second(u-h), second(u+h), 0.0
			for k := range before {
				for _, d := range third(f, df, k) {
					widest = max(widest, math.Abs(d))
				}
				if math.Abs(after[k]-before[k]) > 3*h*widest+1e-5 {
					t.Fatalf("column %d: second derivative %v before the knot %v, %v after", k+1, before[k],
						u, after[k])
				}
			}
		}
	})
}

// third returns the third derivatives of a column in the pieces between knots.
func third(f *def.Fitted, df, k int) []float64 {
	knots, matrix := f.Numbers[2:df+9], f.Numbers[df+9:]
	c := []float64{0}
	for j := range df + 2 {
		c = append(c, matrix[j*df+k])
	}
	for p := cubic; p > 0; p-- {
		for i := 0; i+1 < len(c); i++ {
			c[i] = float64(p) * (c[i+1] - c[i]) / (knots[i+p+1] - knots[i+1])
		}
		c, knots = c[:len(c)-1], knots[1:len(knots)-1]
	}
	return c
}

// What a call of an encoder may not be.
func TestWrongCalls(t *testing.T) {
	for _, x := range []struct {
		e       def.Encoder
		columns int
		further []string
		named   [][2]string
		want    string
	}{
		{Poly(), 1, nil, nil, "poly is written poly(a, degree), where degree is a whole number from 1 to 20"},
		{Poly(), 1, []string{"0"}, nil, "degree of poly is a whole number from 1 to 20, not 0"},
		{Poly(), 1, []string{"2.5"}, nil, "degree of poly is a whole number from 1 to 20, not 2.5"},
		{Poly(), 1, []string{"2"}, [][2]string{{"raw", "TRUE"}},
			"poly has no option raw=TRUE; it has no options"},
		{Spline(), 1, []string{"4"}, nil, "spline is written spline(a), with options df=4"},
		{Spline(), 1, nil, [][2]string{{"df", "3"}, {"df", "4"}}, "df stands twice in the call of spline"},
		{Spline(), 1, nil, [][2]string{{"knots", "3"}}, "spline has no option knots=3; its options: df=4"},
		{Interact(), 1, nil, nil, "interact is written interact(a, b)"},
		{Is(), 1, nil, nil, `is is written is(a, category), where category is a category, as "Y" or 3`},
		{OneHot(), 1, nil, [][2]string{{"keep", "b"}},
			"onehot has no option keep=b; its options: drop=first"},
	} {
		e := x.e
		if _, err := e.Settings(x.columns, x.further, x.named); err == nil || err.Error() != x.want {
			t.Errorf("%v, want %s", err, x.want)
		}
	}
	spline := Spline()
	if got, err := spline.Settings(1, nil, [][2]string{{"df", "3"}}); err != nil || got["df"] != "3" {
		t.Errorf("%v %v", got, err)
	}
}
