package encrypted

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// A run is what all holders of one have.
type run struct {
	params  *Parameters
	secrets []*Secret
	keys    *CollectiveKeys
}

const logTest = 9 // log₂ of the degree in most tests

func start(t testing.TB, log, holders, openings int) *run {
	t.Helper()
	p, err := Insecure(log, holders, openings)
	if err != nil {
		t.Fatal(err)
	}
	return ceremony(t, p, ReferenceString{1, 2, 3})
}

func ceremony(t testing.TB, p *Parameters, reference ReferenceString) *run {
	t.Helper()
	r := &run{params: p}
	var public, ones, twos [][]byte
	for range p.holders {
		s := p.NewSecret()
		r.secrets = append(r.secrets, s)
		public = append(public, must(s.PublicShare(reference))(t))
		ones = append(ones, must(s.RoundOne(reference))(t))
	}
	first := must(p.first(ones))(t)
	for _, s := range r.secrets {
		twos = append(twos, must(s.RoundTwo(first))(t))
	}
	r.keys = must(p.summed(reference, public, ones, twos))(t)
	return r
}

// first is the sum of shares of the first round.
func (p *Parameters) first(ones [][]byte) (*Round, error) {
	r, _ := p.Rounds()
	return r, r.Add(r.Digits(), List(ones))
}

// summed are the keys of shares, of which the rounds are added up digit by digit.
func (p *Parameters) summed(reference ReferenceString, public, ones, twos [][]byte) (*CollectiveKeys, error) {
	first, err := p.first(ones)
	if err != nil {
		return nil, err
	}
	_, second := p.Rounds()
	for d := range second.Digits() {
		var digit [][]byte
		for _, v := range twos {
			end := len(v)
			if d < second.Digits()-1 {
				end = min(end, (d+1)*second.Size())
			}
			digit = append(digit, v[min(len(v), d*second.Size()):end])
		}
		if err := second.Add(1, List(digit)); err != nil {
			return nil, err
		}
	}
	return p.Keys(reference, List(public), first, second)
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (r *run) open(t testing.TB, s *EncryptedSum) float64 {
	t.Helper()
	var shares [][]byte
	for _, secret := range r.secrets {
		shares = append(shares, must(secret.Share(s))(t))
	}
	return must(s.Open(List(shares)))(t)
}

// interpolate returns Chebyshev coefficients of f on [-k, k] as hexadecimal text.
func interpolate(degree int, k float64, f func(float64) float64) []string {
	n := degree + 1
	out := make([]string, n)
	for j := range out {
		sum := 0.0
		for i := range n {
			angle := math.Pi * (float64(i) + .5) / float64(n)
			sum += f(k*math.Cos(angle)) * math.Cos(float64(j)*angle)
		}
		if sum *= 2 / float64(n); j == 0 {
			sum /= 2
		}
		out[j] = strconv.FormatFloat(sum, 'x', -1, 64)
	}
	return out
}

func polynomialAt(texts []string, u float64) float64 {
	sum := 0.0
	for j, text := range texts {
		c, _ := strconv.ParseFloat(text, 64)
		sum += c * math.Cos(float64(j)*math.Acos(u))
	}
	return sum
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// residual is y - logistic(s), by a polynomial.
func residual(degree int, k float64, products int) PolynomialForm {
	term := interpolate(degree, k, func(s float64) float64 { return -logistic(s) })
	return PolynomialForm{Factor: []string{"0x1p+00"}, Term: term, Interval: k, Products: products}
}

type table struct {
	cuts [][]float64
	y    []float64
	x    [][]float64
}

// draw makes n rows of parties' cuts that add up to at most k, binary responses and columns.
func draw(seed uint64, n, parties, columns int, k float64) *table {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := &table{y: make([]float64, n)}
	for range parties {
		cut := make([]float64, n)
		for i := range cut {
			cut[i] = k / float64(parties) * (2*rng.Float64() - 1)
		}
		out.cuts = append(out.cuts, cut)
	}
	for range columns {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Max(-4, math.Min(4, rng.NormFloat64()))
		}
		out.x = append(out.x, x)
	}
	for i := range out.y {
		if rng.Float64() < .4 {
			out.y[i] = 1
		}
	}
	return out
}

func squares(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return sum * (1 + 1e-9)
}

// encrypt has each vector go through bytes, as from its owner to a holder.
func (r *run) encrypt(t testing.TB, kind Kind, values []float64, within Range) *Vector {
	t.Helper()
	v := must(r.keys.Encrypt(kind, values, within))(t)
	return must(r.params.Vector(len(values), must(v.MarshalBinary())(t)))(t)
}

type vectors struct {
	cuts    []*Vector
	y       *Vector
	columns []*Vector
}

func (r *run) vectors(t testing.TB, d *table, k float64) *vectors {
	t.Helper()
	out := &vectors{y: r.encrypt(t, Response, d.y, Range{Max: slices.Max(d.y), Squares: squares(d.y)})}
	for _, cut := range d.cuts {
		within := Range{Max: k / float64(len(d.cuts)), Squares: squares(cut), Interval: k}
		out.cuts = append(out.cuts, r.encrypt(t, Contribution, cut, within))
	}
	for _, x := range d.x {
		out.columns = append(out.columns, r.encrypt(t, Column, x, Range{Max: 4, Squares: squares(x)}))
	}
	return out
}

func TestSlopesOfALogisticRegression(t *testing.T) {
	for holders := 1; holders <= 4; holders++ {
		r := start(t, logTest, holders, 100)
		const k = 8
		d := draw(uint64(holders), 700, holders, 2, k) // two ciphertexts, the second in part
		v := r.vectors(t, d, k)
		form := residual(47, k, 1)
		plan := must(r.params.Plan(form, holders))(t)
		rows := must(r.keys.Rows(plan, v.cuts, v.y))(t)
		for j, column := range v.columns {
			sum := must(rows.Product(column))(t)
			want := 0.0
			for i, y := range d.y {
				s := 0.0
				for _, cut := range d.cuts {
					s += cut[i]
				}
				want += d.x[j][i] * (y + polynomialAt(form.Term, s/k))
			}
			got := r.open(t, sum)
			if math.Abs(got-want) > sum.Error()+6*sum.Deviation() {
				t.Errorf("%d holders, column %d: %g, want %g", holders, j, got, want)
			}
		}
	}
}
