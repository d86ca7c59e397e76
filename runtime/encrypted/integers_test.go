package encrypted

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// integerRun makes keys of holders.
func integerRun(t *testing.T, p *Integers) (*IntegerKeys, []*Secret) {
	t.Helper()
	var secrets []*Secret
	var public, first, second [][]byte
	r := ReferenceString{7}
	for range p.holders {
		s := p.NewSecret()
		secrets, public, first = append(secrets, s), append(public, must(s.PublicShare(r))(t)),
			append(first, must(s.RoundOne(r))(t))
	}
	ones, twos := p.Rounds()
	if err := ones.Add(ones.Digits(), List(first)); err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		second = append(second, must(s.RoundTwo(ones))(t))
	}
	if err := twos.Add(twos.Digits(), List(second)); err != nil {
		t.Fatal(err)
	}
	return must(p.Keys(r, List(public), ones, twos))(t), secrets
}

// Sums of products of whole numbers, and what holders add to them, are decrypted exactly, up to the largest
// that there may be; with a share missing there is nothing of them.
func TestIntegerSumsAreExact(t *testing.T) {
	t.Parallel()
	const rows = 150 // more than two ciphertexts of the small ring
	p := must(InsecureIntegers(6, 3, 3, rows))(t)
	keys, secrets := integerRun(t, p)
	r := rand.New(rand.NewPCG(1, 2))
	a, b, inner, sum := make([]int64, rows), make([]int64, rows), int64(0), int64(0)
	for i := range a {
		a[i], b[i] = r.Int64N(1<<25)-1<<24, r.Int64N(1<<25)-1<<24
		inner += a[i] * b[i]
		sum += a[i]
	}
	column := func(v []int64) *IntegerColumn { return must(p.Column(must(keys.Encrypt(v))(t)))(t) }
	x, y := column(a), column(b)
	for _, c := range []struct {
		s    *IntegerSum
		want int64
	}{{must(keys.Inner(x, y))(t), inner}, {must(keys.Total(x, 1<<20))(t), sum << 20}} {
		s := c.s
		var shares [][]byte
		want := big.NewInt(c.want)
		for k, holder := range secrets {
			added := big.NewInt((1<<LogInteger)/4 - r.Int64N(1<<40))
			if k == 1 {
				added.Neg(added)
			}
			want.Add(want, added)
			shares = append(shares, must(holder.IntegerShare(s, added))(t))
		}
		if got := must(s.Open(List(shares)))(t); got.Cmp(want) != 0 {
			t.Errorf("%v is opened, and %v is the sum", got, want)
		}
		if got := must(s.Open(List([][]byte{shares[0], shares[1],
			make([]byte, len(shares[2]))})))(t); got.Cmp(want) == 0 {
			t.Error("a share missing changes nothing")
		}
	}
}

// The secure parameters are within the table, and have room for a million rows of ten holders with 500 sums;
// beyond, they are refused.
func TestIntegerParameters(t *testing.T) {
	t.Parallel()
	p, err := ringOfIntegers(integerLog, 10, 500, 1e6)
	if err != nil || p.LogModulus() > maxLogQP[integerLog] {
		t.Error(err, p.LogModulus())
	}
	if _, err := ringOfIntegers(integerLog, 1000, 1<<30, 1e9); err == nil {
		t.Error("parameters have room for any number")
	}
}

// The error of a product stays below its bound, in a ring where it is measured: the phase of a sum less its
// plaintext.
func TestIntegerNoiseIsBounded(t *testing.T) {
	t.Parallel()
	p := must(InsecureIntegers(8, 2, 1, 256))(t)
	keys, secrets := integerRun(t, p)
	v := make([]int64, 256)
	for i := range v {
		v[i] = 1 << 24 * int64(1-2*(i%2))
	}
	x := must(p.Column(must(keys.Encrypt(v))(t)))(t)
	s := must(keys.Inner(x, x))(t)
	bound := p.noise
	p.noise = 0 // shares without flooding
	var shares [][]byte
	for _, holder := range secrets {
		shares = append(shares, must(holder.IntegerShare(s, new(big.Int)))(t))
	}
	phase := must(p.opened(s.head, List(shares)))(t)
	m := big.NewInt(integerModulus)
	q := p.rlwe.RingQ().Modulus()
	phase.Mul(phase, m).Mod(phase, q)
	if phase.Cmp(new(big.Int).Rsh(q, 1)) > 0 {
		phase.Sub(phase, q)
	}
	e, _ := new(big.Float).SetInt(phase.Quo(phase, m)).Float64()
	limit := bound / (1 << (StatisticalSecurity - 1))
	if e < 0 {
		e = -e
	}
	if e > limit || e < limit*1e-12 {
		t.Errorf("the error is %.3g, and its bound %.3g", e, limit)
	}
}
