package encrypted

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

func (d *table) arguments() []float64 {
	out := make([]float64, len(d.y))
	for _, cut := range d.cuts {
		for i, v := range cut {
			out[i] += v
		}
	}
	return out
}

// A slope y·A(s) + B(s), its curvature with two columns, its total, and sums of columns alone, against
// arithmetic in the clear.
func TestSumsAreThoseInTheClear(t *testing.T) {
	const k, holders = 5, 2
	r := start(t, logTest, holders, 100)
	d := draw(7, 600, holders, 2, k)
	for i := range d.y {
		d.y[i] = float64(i % 7)
	}
	v := r.vectors(t, d, k)
	const phi = 3
	weight := func(s float64) float64 { return math.Exp(s) / (phi + math.Exp(s)) }
	slope := PolynomialForm{
		Factor:   interpolate(31, k, func(s float64) float64 { return 1 - weight(s) }),
		Term:     interpolate(63, k, func(s float64) float64 { return -phi * weight(s) }),
		Interval: k, Products: 1,
	}
	curvature := PolynomialForm{Term: interpolate(63, k, weight), Interval: k, Products: 2}
	at := func(f PolynomialForm, i int, s float64) float64 {
		out := polynomialAt(f.Term, s/k)
		if f.Factor != nil {
			out += d.y[i] * polynomialAt(f.Factor, s/k)
		}
		return out
	}
	ones := slices.Repeat([]float64{1}, len(d.y))
	check := func(name string, sum *EncryptedSum, f PolynomialForm, x, z []float64) {
		t.Helper()
		want := 0.0
		for i, s := range d.arguments() {
			w := 1.0
			if f.Interval > 0 {
				w = at(f, i, s)
			}
			want += w * x[i] * z[i]
		}
		got := r.open(t, sum)
		if math.Abs(got-want) > sum.Error()+6*sum.Deviation()+1e-10 || sum.Deviation() > 1e-3 {
			t.Errorf("%s: %.9g, want %.9g, deviation %g", name, got, want, sum.Deviation())
		}
	}
	rows := must(r.keys.Rows(must(r.params.Plan(slope, holders))(t), v.cuts, v.y))(t)
	check("slope", must(rows.Product(v.columns[0]))(t), slope, d.x[0], ones)
	check("total", must(rows.Total(nil))(t), slope, ones, ones)
	check("weighted total", must(rows.Total(d.x[1]))(t), slope, d.x[1], ones)
	weights := must(r.keys.Rows(must(r.params.Plan(curvature, holders))(t), v.cuts, nil))(t)
	weighed := must(weights.Weigh(v.columns[0]))(t)
	check("curvature", must(weighed.Product(v.columns[0]))(t), curvature, d.x[0], d.x[0])
	check("curvature of two columns", must(weighed.Product(v.columns[1]))(t), curvature, d.x[0], d.x[1])
	steep := PolynomialForm{Term: interpolate(127, k, func(s float64) float64 {
		return 1 / (1 + 25*s*s/k/k)
	}), Interval: k, Products: 1}
	both := must(r.keys.Multiply(v.columns[0], v.columns[1]))(t)
	last := must(r.keys.Rows(must(r.params.Plan(steep, holders))(t), v.cuts, nil))(t)
	check("steep curvature of two columns", must(last.Product(both))(t), steep, d.x[0], d.x[1])
	if _, err := last.Weigh(both); err == nil {
		t.Error("a third product follows two")
	}
	check("columns", must(r.keys.Cross(v.columns[0], v.columns[1]))(t), PolynomialForm{}, d.x[0], d.x[1])
	check("column and response", must(r.keys.Cross(v.columns[0], v.y))(t), PolynomialForm{}, d.x[0], d.y)
}

// A response of zeros and ones passes with any weights; one number that is neither shows.
func TestBinaryResponsesProveTheirForm(t *testing.T) {
	r := start(t, logTest, 2, 10)
	rng := rand.New(rand.NewPCG(3, 3))
	y, weights := make([]float64, 600), make([]float64, 600)
	for i := range y {
		y[i], weights[i] = float64(rng.IntN(2)), rng.Float64()
	}
	total := func() (float64, float64) {
		v := r.encrypt(t, Response, y, Range{Max: 2, Squares: squares(y) + 4})
		s := must(must(r.keys.Binary(v, 1))(t).Total(weights))(t)
		return r.open(t, s), 6*s.Deviation() + s.Error()
	}
	if got, error := total(); math.Abs(got) > error {
		t.Errorf("a binary response: %g", got)
	}
	y[555] = .5
	if got, error := total(); math.Abs(got-.25*weights[555]) > error || math.Abs(got) < error {
		t.Errorf("one number of 1/2: %g, want %g", got, .25*weights[555])
	}
}

func TestDepth(t *testing.T) {
	p := must(Insecure(logTest, 2, 10))(t)
	texts := func(degree int) []string {
		return interpolate(degree, 1, func(x float64) float64 { return math.Exp(3 * x) })
	}
	for _, c := range []struct {
		factor, term, products int
		fits                   bool
	}{
		{0, 255, 1, true}, {0, 127, 2, true}, {0, 255, 2, false}, {127, 127, 1, true}, {63, 63, 2, true},
		{63, 127, 2, true}, {127, 127, 2, false}, {255, 127, 1, false}, {-1, 1, 1, true},
	} {
		form := PolynomialForm{Term: texts(c.term), Interval: 1, Products: c.products}
		if c.factor >= 0 {
			form.Factor = texts(c.factor)
		}
		if c.factor == 0 {
			form.Factor = []string{"-0x1p+00"}
		}
		if _, err := p.Plan(form, 2); (err == nil) != c.fits {
			t.Errorf("degrees %d and %d with %d products: %v", c.factor, c.term, c.products, err)
		}
	}
	const one = "0x1p+00"
	for _, bad := range []PolynomialForm{
		{Term: []string{"0.1", one}, Interval: 1, Products: 1}, {Term: []string{"NaN", one}, Interval: 1,
			Products: 1},
		{Term: []string{one}, Interval: 1, Products: 1}, {Term: []string{one, "0x0p+00"}, Interval: 1,
			Products: 1},
		{Term: []string{one, one}, Products: 1}, {Term: []string{one, one}, Interval: 1},
		{Factor: []string{"0x1p-01"}, Interval: 1, Products: 1},
		{Term: make([]string, 300), Interval: 1, Products: 1},
	} {
		if _, err := p.Plan(bad, 2); err == nil {
			t.Errorf("%+v is a plan", bad)
		}
	}
}

// Every degree that fits is evaluated: the library's own approximation panics at some.
func TestEveryDegree(t *testing.T) {
	p := must(Insecure(4, 1, 10))(t)
	r := ceremony(t, p, ReferenceString{})
	cut := []float64{.3, -.7, 1, -1, 0}
	s := r.encrypt(t, Contribution, cut, Range{Max: 1, Squares: 5, Interval: 1})
	y := r.encrypt(t, Response, make([]float64, 5), Range{Max: 1, Squares: 5})
	for degree := 1; degree <= MaxDegree; degree += 1 + degree/16 {
		form := PolynomialForm{Factor: []string{"0x1p+00"}, Interval: 1, Products: 1}
		form.Term = interpolate(degree, 1, func(x float64) float64 { return 1 / (1.1 + x) })
		sum := must(must(r.keys.Rows(must(p.Plan(form, 1))(t), []*Vector{s}, y))(t).Total(nil))(t)
		want := 0.0
		for _, u := range cut {
			want += polynomialAt(form.Term, u)
		}
		r.secrets[0].opened = 0
		if got := r.open(t, sum); math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
			t.Errorf("degree %d: %.12g, want %.12g", degree, got, want)
		}
	}
}

// drawn has random bytes in the form of a share or a vector, the same in every run.
func drawn(rng *rand.Rand, header []byte, n int, chains ...[]uint64) []byte {
	out := header
	for _, primes := range chains {
		for _, q := range primes {
			for range n {
				v := rng.Uint64N(q)
				for range width(q) {
					out, v = append(out, byte(v)), v>>8
				}
			}
		}
	}
	return out
}

// The ciphertexts of a circuit are a function of bytes: these digests must come out on every machine.
func TestTheSameBytesOnEveryMachine(t *testing.T) {
	p := must(Insecure(6, 1, 10))(t)
	rng := rand.New(rand.NewPCG(11, 12))
	qp := func(polynomials int) []byte {
		var out []byte
		for range polynomials {
			out = drawn(rng, out, p.Rows(), p.ckks.Q(), p.ckks.P())
		}
		return out
	}
	digits := (len(p.ckks.Q()) + specialPrimes - 1) / specialPrimes
	shares := [][]byte{qp(1), qp(2 * digits), qp(digits)}
	vector := func(kind Kind, within Range) *Vector {
		header := must((&Vector{params: p, kind: kind, n: 100, within: within}).MarshalBinary())(t)
		primes := p.ckks.Q()[:kind.level()+1]
		return must(p.Vector(100, drawn(rng, header, p.Rows(), primes, primes, primes, primes)))(t)
	}
	cut := vector(Contribution, Range{Max: 4, Squares: 100, Interval: 4})
	y, x := vector(Response, Range{Max: 1, Squares: 100}), vector(Column, Range{Max: 3, Squares: 100})
	form := PolynomialForm{
		Factor: []string{"0x1.8p+00", "-0x1.3333333333333p-02", "0x1.5555555555555p-05"},
		Term:   interpolateExactly(40), Interval: 4, Products: 2,
	}
	for range 2 { // two holders
		k := must(p.summed(ReferenceString{9}, shares[:1], shares[1:2], shares[2:]))(t)
		rows := must(k.Rows(must(p.Plan(form, 1))(t), []*Vector{cut}, y))(t)
		sum := must(must(rows.Weigh(x))(t).Product(x))(t)
		for _, c := range []struct{ name, want, got string }{
			{"parameters", "96d207626ec3a845", digestText(p.Digest())},
			{"rows", "da4b407c3ac46463", digestText(rows.Digest())},
			{"sum", "f473505a51cdc257", digestText(sum.Digest())},
			{"total", "b32d51e5a698d556", digestText(must(rows.Total(nil))(t).Digest())},
		} {
			if c.got != c.want {
				t.Errorf("%s: %s, and not %s", c.name, c.got, c.want)
			}
		}
	}
}

// interpolateExactly returns coefficients that need no elementary function.
func interpolateExactly(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = floatText(1 / float64(1+i*i))
	}
	return out
}

func digestText(d [32]byte) string { return hex.EncodeToString(d[:8]) }

// An adversary that knows every ciphertext but no key subtracts what it can compute itself from the rows that
// a circuit derived.
func TestResponsesCannotBeReadOff(t *testing.T) {
	const k = 6
	r := start(t, logTest, 2, 10)
	d := draw(5, 1<<logTest, 2, 0, k)
	v := r.vectors(t, d, k)
	form := residual(31, k, 1)
	public := must(r.params.Plan(PolynomialForm{Term: form.Term, Interval: k, Products: 1}, 2))(t)
	alone := must(r.keys.Rows(public, v.cuts, nil))(t)
	wrong := func(parts []*rlwe.Ciphertext) int {
		difference := must(r.keys.eval.SubNew(parts[0], alone.parts[0]))(t)
		plain := ckks.NewPlaintext(r.params.ckks, difference.Level())
		plain.Value, plain.Scale = difference.Value[0], difference.Scale
		read := make([]float64, len(d.y))
		if err := r.keys.encoder.Decode(plain, read); err != nil {
			t.Fatal(err)
		}
		count := 0
		for i, y := range d.y {
			if math.Abs(read[i]-y) > .5 {
				count++
			}
		}
		return count
	}
	added := alone.parts[0].CopyNew() // the control: a response that is added in the clear
	if err := r.keys.eval.Add(added, d.y, added); err != nil {
		t.Fatal(err)
	}
	if got := wrong([]*rlwe.Ciphertext{added}); got > 0 {
		t.Errorf("of %d responses that were added in the clear, the attack does not read %d", len(d.y), got)
	}
	rows := must(r.keys.Rows(must(r.params.Plan(form, 2))(t), v.cuts, v.y))(t)
	if got := wrong(rows.parts); got < len(d.y)*9/10 {
		t.Errorf("the attack reads %d of %d responses", len(d.y)-got, len(d.y))
	}
}
