package encrypted

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"github.com/tuneinsight/lattigo/v6/utils/sampling"
)

func floatText(v float64) string { return strconv.FormatFloat(v, 'x', -1, 64) }

// total returns a sum of a response alone, times ones.
func (r *run) total(t testing.TB, y []float64, within Range) (*EncryptedSum, error) {
	t.Helper()
	ones := slices.Repeat([]float64{1}, len(y))
	column := r.encrypt(t, Column, ones, Range{Max: 1, Squares: float64(len(y))})
	return r.keys.Cross(column, r.encrypt(t, Response, y, within))
}

func TestSharesThatAreMissingOrAltered(t *testing.T) {
	r := start(t, logTest, 3, 100)
	y := draw(1, 300, 1, 0, 1).y
	sum := must(r.total(t, y, Range{Max: 1, Squares: 300}))(t)
	other := must(r.total(t, y, Range{Max: 1, Squares: 300}))(t)
	var shares [][]byte
	for _, s := range r.secrets {
		shares = append(shares, must(s.Share(sum))(t))
	}
	with := func(holder int, share []byte) [][]byte {
		out := slices.Clone(shares)
		out[holder] = share
		return out
	}
	flipped := func(at int) []byte {
		out := slices.Clone(shares[1])
		out[at] ^= 1
		return out
	}
	last := len(shares[1]) - 1
	for name, c := range map[string]struct {
		shares [][]byte
		holder int
	}{
		"missing":             {shares[:2], 2},
		"too short":           {with(1, shares[1][:last]), 1},
		"too long":            {with(2, append(slices.Clone(shares[2]), 0)), 2},
		"no residue":          {with(1, slices.Repeat([]byte{255}, last+1)), 1},
		"one residue altered": {with(1, flipped(last)), -1},
		"of another sum":      {with(1, must(r.secrets[1].Share(other))(t)), -1},
		"of another's secret": {with(1, shares[0]), -1},
	} {
		_, err := sum.Open(List(c.shares))
		var holder *HolderError
		named := errors.As(err, &holder)
		if err == nil || named != (c.holder >= 0) || named && holder.Holder != c.holder {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A holder gives shares of as many sums as its key is for, and of no more, in the ring of a run too.
func TestAKeyIsForSoManySums(t *testing.T) {
	const openings = 3
	for _, log := range []int{logTest, logDegree} {
		r := start(t, log, 2, openings)
		sum := must(r.total(t, []float64{1, 0, 1}, Range{Max: 1, Squares: 3}))(t)
		for at := range openings + 2 {
			share, err := r.secrets[0].Share(sum)
			if more := at >= openings; errors.Is(err, ErrOpenings) != more || (share == nil) != more ||
				!more && err != nil {
				t.Errorf("ring %d, sum %d: %v", log, at+1, err)
			}
		}
	}
}

// What is not caught: all residues of a share moved by the same small number give a sum that is wrong by it.
func TestAShareThatWasMovedGivesAWrongSum(t *testing.T) {
	r := start(t, logTest, 1, 100)
	sum := must(r.total(t, []float64{1, 1, 0}, Range{Max: 1, Squares: 3}))(t)
	share := must(r.secrets[0].Share(sum))(t)
	good := must(sum.Open(List([][]byte{share})))(t)
	primes := sum.primes()
	residues := ring.NewPoly(1, sum.head.Level())
	if err := (&reader{rest: share}).poly(residues, primes); err != nil {
		t.Fatal(err)
	}
	for i, q := range primes {
		residues.Coeffs[i][0] = (residues.Coeffs[i][0] + 1<<32) % q
	}
	share = appendPoly(nil, residues, primes)
	got, err := sum.Open(List([][]byte{share}))
	if want := math.Exp2(32) / sum.unit(); err != nil || math.Abs(got-good-want) > 1e-3*want {
		t.Errorf("%v, %g, and not %g", err, got-good, want)
	}
}

// The deviation of what is opened is the stated one, over many openings of one sum.
func TestFloodingHasItsDeviation(t *testing.T) {
	const times = 800
	r := start(t, 6, 2, 2*times)
	y := draw(1, 60, 1, 0, 1).y
	sum := must(r.total(t, y, Range{Max: 1, Squares: 60}))(t)
	want := 0.0
	for _, v := range y {
		want += v
	}
	mean, square := 0.0, 0.0
	for range times {
		z := (r.open(t, sum) - want) / sum.Deviation()
		mean += z / times
		square += z * z / times
	}
	if math.Abs(mean) > 4/math.Sqrt(times) || math.Abs(square-1) > 4*math.Sqrt(2.0/times) {
		t.Errorf("mean %g and variance %g, in units of the stated deviation", mean, square)
	}
	r.secrets[0].opened = 2 * times
	if _, err := r.secrets[0].Share(sum); err == nil {
		t.Error("a key opens more sums than its noise is for")
	}
}

// Wide noise has every integer; moments and low bits are those of a discrete Gaussian.
func TestWideNoise(t *testing.T) {
	const draws = 4000
	p := must(Insecure(tinyLog, 1, 1))(t)
	for _, deviation := range []float64{1, narrow * 100, 3e6, math.Exp2(45.3)} {
		square, odd := 0.0, make([]int, 8)
		for range draws {
			z := must(p.flood(deviation))(t)
			f, _ := new(big.Float).SetInt(z).Float64()
			square += f * f / draws
			odd[new(big.Int).And(z, big.NewInt(7)).Int64()]++
		}
		want := math.Max(deviation, narrow)
		if math.Abs(square/(want*want)-1) > .01+4*math.Sqrt(2.0/draws) {
			t.Errorf("deviation %g of %g", math.Sqrt(square), want)
		}
		chi := 0.0
		for _, n := range odd {
			chi += float64(n-draws/8) * float64(n-draws/8) / (draws / 8)
		}
		if chi > 30 { // 7 degrees of freedom: 1e-4
			t.Errorf("deviation %g: the last three bits are %v", deviation, odd)
		}
	}
}

// The reason for flood: at a deviation of 2^50, the library's sampler repeats itself among 2^18 draws, in
// which a Gaussian does once in 2^16 times.
func TestTheSamplerOfTheLibraryIsOnAGrid(t *testing.T) {
	const n = 1 << 14
	r := must(ring.NewRing(n, []uint64{0x1fffffffffe00001}))(t)
	wide := ring.DiscreteGaussian{Sigma: math.Exp2(50), Bound: math.Exp2(54)}
	sampler := ring.NewGaussianSampler(must(sampling.NewKeyedPRNG([]byte("grid")))(t), r, wide, false)
	seen, repeated := map[uint64]bool{}, 0
	for range 16 {
		for _, v := range sampler.ReadNew().Coeffs[0] {
			if seen[v] {
				repeated++
			}
			seen[v] = true
		}
	}
	if repeated < 3 {
		t.Errorf("%d of %d draws are repeated: the sampler of the library is fine enough now", repeated, 16*n)
	}
}

// What two runs over the same numbers derive differs by their noise alone, which stays below its bounds: in
// every row, and in the coefficients that are opened. In rows the bound is some hundred times what occurs: it
// is the product of two at ten deviations each.
func TestNoiseIsWithinItsBound(t *testing.T) {
	const k = 8
	d := draw(2, 1<<logTest, 2, 1, k)
	p := must(Insecure(logTest, 2, 100))(t)
	form := residual(63, k, 2)
	form.Factor = nil
	factor := PolynomialForm{Factor: residual(31, k, 1).Term, Term: residual(47, k, 1).Term, Interval: k,
		Products: 2}
	for _, f := range []PolynomialForm{residual(63, k, 2), form, factor} {
		var found [2]*derived
		for i := range found {
			r := ceremony(t, p, ReferenceString{byte(i)})
			found[i] = r.derive(t, f, r.vectors(t, d, k))
		}
		worst := 0.0
		for i, v := range found[0].rows {
			difference, _ := new(big.Float).Sub(v, found[1].rows[i]).Float64()
			worst = math.Max(worst, math.Abs(difference))
		}
		if bound := 2 * found[0].bound; worst > bound || worst < bound/1e4 {
			t.Errorf("rows differ by %g, and their bound is %g", worst, bound)
		}
		for i, c := range found[0].sums {
			difference, _ := new(big.Float).SetInt(new(big.Int).Sub(c, found[1].sums[i])).Float64()
			if math.Abs(difference) > 2*found[0].bounds[i] {
				t.Errorf("sum %d: noise %g, bound %g", i, difference, found[0].bounds[i])
			}
		}
	}
}

// derived is what a circuit derives, as all secrets together decrypt it.
type derived struct {
	rows   []*big.Float
	bound  float64
	sums   []*big.Int
	bounds []float64
}

func (r *run) derive(t *testing.T, f PolynomialForm, v *vectors) *derived {
	t.Helper()
	y := v.y
	if f.Factor == nil {
		y = nil
	}
	rows := must(r.keys.Rows(must(r.params.Plan(f, len(v.cuts)))(t), v.cuts, y))(t)
	_, bound := rows.anywhere()
	out := &derived{bound: bound, rows: make([]*big.Float, r.params.Rows())}
	c := rows.parts[0]
	plain := ckks.NewPlaintext(r.params.ckks, c.Level())
	plain.Value, plain.Scale = r.decrypt(c), c.Scale
	r.params.ckks.RingQ().AtLevel(c.Level()).NTT(plain.Value, plain.Value)
	if err := ckks.NewEncoder(r.params.ckks).Decode(plain, out.rows); err != nil {
		t.Fatal(err)
	}
	weighed := must(rows.Weigh(v.columns[0]))(t)
	for _, s := range []*EncryptedSum{must(rows.Product(v.columns[0]))(t),
		must(weighed.Product(v.columns[0]))(t)} {
		out.sums = append(out.sums, r.coefficient(s))
		out.bounds = append(out.bounds, s.wrong*s.unit())
	}
	return out
}

// decrypt returns what all secrets together decrypt.
func (r *run) decrypt(c *rlwe.Ciphertext) ring.Poly {
	q := r.params.ckks.RingQ().AtLevel(c.Level())
	total := *c.Value[0].CopyNew()
	for _, secret := range r.secrets {
		q.MulCoeffsMontgomeryThenAdd(c.Value[1], secret.key.Value.Q, total)
	}
	q.INTT(total, total)
	return total
}

// coefficient is what the holders open, without noise.
func (r *run) coefficient(s *EncryptedSum) *big.Int {
	q := r.params.ckks.RingQ().AtLevel(s.head.Level())
	total := q.NewPoly()
	for _, secret := range r.secrets {
		q.MulCoeffsMontgomeryThenAdd(s.tail, secret.key.Value.Q, total)
	}
	q.INTT(total, total)
	for i, c := range s.head.Coeffs {
		total.Coeffs[i][0] = ring.CRed(total.Coeffs[i][0]+c[0], s.primes()[i])
	}
	out := new(big.Int)
	q.PolyToBigintCentered(total, q.N(), []*big.Int{out})
	return out
}

// The error of an argument comes out multiplied by the largest derivative of the polynomial, whatever way it
// was evaluated.
func TestErrorsAreMultipliedByDerivatives(t *testing.T) {
	p := must(Insecure(tinyLog, 1, 1))(t)
	for _, degree := range []int{1, 2, 5, 15, 31, 47, 63, 100, 127, 255} {
		c := make([]float64, degree+1)
		want := 0.0
		for j := range c {
			c[j] = 1 / float64(1+j)
			want += c[j] * float64(j*j) // T_j' is j² at 1, where it is largest
		}
		const fresh = 1e-6
		got := must(p.bounds(c, level(Steps), p.ckks.DefaultScale(), fresh))(t)
		if low, high := want*fresh*.98, want*fresh*1.2; got.worst < low || got.worst > high {
			t.Errorf("degree %d: %g, want %g", degree, got.worst/fresh, want)
		}
	}
}

func TestNumbersBeyondTheirRange(t *testing.T) {
	r := start(t, 6, 1, 10)
	var beyond *RangeError
	within := Range{Max: 2, Squares: 100, Interval: 5}
	_, err := r.keys.Encrypt(Contribution, []float64{1, 3, -4, math.NaN()}, within)
	if !errors.As(err, &beyond) || beyond.Rows != 3 {
		t.Errorf("three rows beyond their range: %v", err)
	}
	_, err = r.keys.Encrypt(Column, []float64{1, 2}, Range{Max: 2, Squares: 4})
	if !errors.As(err, &beyond) || beyond.Rows != 0 {
		t.Errorf("squares beyond their range: %v", err)
	}
	for _, bad := range []Range{
		{}, {Max: 1, Squares: 1, Interval: 1}, {Max: math.Inf(1), Squares: 1}, {Max: 1, Squares: math.NaN()},
	} {
		if _, err := r.keys.Encrypt(Column, []float64{0}, bad); err == nil {
			t.Errorf("%v is a range of a column", bad)
		}
	}
	cut := r.encrypt(t, Contribution, []float64{1, 2}, Range{Max: 2, Squares: 5, Interval: 3})
	plan := must(r.params.Plan(PolynomialForm{Term: []string{"0x0p+00", "0x1p+00"}, Interval: 3, Products: 1},
		2))(t)
	if _, err := r.keys.Rows(plan, []*Vector{cut, cut}, nil); err == nil {
		t.Error("contributions of up to 4 are within ±3")
	}
}

// A sum of -5,500 in every row is opened as it is, and one that could be larger by a step more; where it
// could be beyond the modulus there is no sum.
func TestSumsBeyondTheModulus(t *testing.T) {
	r := start(t, logTest, 2, 10)
	y := slices.Repeat([]float64{-5500}, 1<<logTest)
	sum := must(r.total(t, y, Range{Max: 5500, Squares: squares(y)}))(t)
	if got := r.open(t, sum); math.Abs(got/(-5500*(1<<logTest))-1) > 1e-9 {
		t.Errorf("%g", got)
	}
	d := draw(4, 40, 1, 1, 1)
	v := r.vectors(t, d, 1)
	large := r.encrypt(t, Response, d.y, Range{Max: 1e6, Squares: 1e12})
	form := PolynomialForm{Factor: []string{"0x1p+00"}, Term: []string{"0x0p+00", "0x1p+00"}, Interval: 1,
		Products: 2}
	rows := must(r.keys.Rows(must(r.params.Plan(form, 1))(t), v.cuts, large))(t)
	sum = must(rows.Product(v.columns[0]))(t)
	want := 0.0
	for i, s := range d.arguments() {
		want += d.x[0][i] * (d.y[i] + s)
	}
	if got := r.open(t, sum); math.Abs(got-want) > 6*sum.Deviation() {
		t.Errorf("where a step is left: %g, want %g", got, want)
	}
	if sum, err := must(rows.Weigh(v.columns[0]))(t).Product(v.columns[0]); err == nil {
		t.Errorf("a sum of up to %g is a sum", sum.largest)
	}
}

func TestOneCoefficientChangesEveryDigest(t *testing.T) {
	r := start(t, logTest, 1, 10)
	d := draw(3, 600, 1, 1, 4)
	v := r.vectors(t, d, 4)
	form := PolynomialForm{Term: []string{"0x0p+00", "0x1p+00", "0x1p+00"}, Interval: 4, Products: 1}
	plan := must(r.params.Plan(form, 1))(t)
	derive := func() [][32]byte {
		rows := must(r.keys.Rows(plan, v.cuts, nil))(t)
		return [][32]byte{v.cuts[0].Digest(), rows.Digest(), must(rows.Product(v.columns[0]))(t).Digest()}
	}
	before := derive()
	if !slices.Equal(before, derive()) {
		t.Fatal("the same vectors give other bytes")
	}
	v.cuts[0].parts[1].Value[0].Coeffs[0][77] ^= 1
	for i, after := range derive() {
		if after == before[i] {
			t.Errorf("digest %d is that of other vectors", i)
		}
	}
}
