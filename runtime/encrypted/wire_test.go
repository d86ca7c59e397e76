package encrypted

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// What is read is written again as the same bytes, so that there is one encoding of every vector and secret.
func FuzzVector(f *testing.F) {
	r := start(f, tinyLog, 1, 10)
	for _, kind := range []Kind{Contribution, Response, Column} {
		within := Range{Max: 1, Squares: 20}
		if kind == Contribution {
			within.Interval = 2
		}
		data := must(must(r.keys.Encrypt(kind, make([]float64, 20), within))(f).MarshalBinary())(f)
		f.Add(data)
		f.Add(data[:len(data)-1])
		f.Add(data[:7])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := r.params.Vector(20, data)
		if err == nil && !bytes.Equal(must(v.MarshalBinary())(t), data) {
			t.Error("a vector has a second encoding")
		}
	})
}

func FuzzSecret(f *testing.F) {
	r := start(f, tinyLog, 1, math.MaxInt32)
	data := must(r.secrets[0].MarshalBinary())(f)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add(data[:8+r.params.sizeQP()])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := r.params.Secret(data)
		if err == nil && s.opened < math.MaxInt32 && !bytes.Equal(must(s.MarshalBinary())(t), data) {
			t.Error("a secret has a second encoding")
		}
	})
}

// Any bytes in place of a holder's shares are keys or an error that names the holder; nothing panics on what
// they give.
func FuzzShares(f *testing.F) {
	p := must(Insecure(tinyLog, 2, 10))(f)
	reference := ReferenceString{5}
	var public, ones, twos [][]byte
	var secrets []*Secret
	for range 2 {
		s := p.NewSecret()
		secrets = append(secrets, s)
		public = append(public, must(s.PublicShare(reference))(f))
		ones = append(ones, must(s.RoundOne(reference))(f))
	}
	both := must(p.first(ones))(f)
	for _, s := range secrets {
		twos = append(twos, must(s.RoundTwo(both))(f))
	}
	sum := must(start(f, tinyLog, 2, 10).total(f, []float64{1, 0, 1}, Range{Max: 1, Squares: 3}))(f)
	f.Add(public[1], ones[1], twos[1], must(secrets[1].Share(sum))(f))
	f.Add(public[1], ones[1][1:], twos[1], []byte{})
	f.Add([]byte{}, ones[1], append(slices.Clone(twos[1]), 1), []byte{1})
	whole := must(secrets[0].Share(sum))(f)
	f.Fuzz(func(t *testing.T, public1, one1, two1, share []byte) {
		var holder *HolderError
		named := func(err error) bool { return err == nil || errors.As(err, &holder) && holder.Holder == 1 }
		first, second := [][]byte{ones[0], one1}, [][]byte{twos[0], two1}
		k, err := p.summed(reference, [][]byte{public[0], public1}, first, second)
		if !named(err) {
			t.Error(err)
		}
		if err == nil {
			x := must(k.Encrypt(Column, []float64{1, 2}, Range{Max: 2, Squares: 5}))(t)
			must(k.Cross(x, x))(t)
		}
		both, err := p.first(first)
		if !named(err) {
			t.Error(err)
		}
		if err == nil {
			must(secrets[0].RoundTwo(both))(t)
		}
		if v, err := sum.Open(List([][]byte{whole, share})); err == nil && math.IsNaN(v) {
			t.Error("not a number")
		}
	})
}

// A secret that was kept goes on where it was: between the rounds, and with its openings counted.
func TestSecretsAreKept(t *testing.T) {
	p := must(Insecure(tinyLog, 1, 1))(t)
	kept := func(s *Secret) *Secret { return must(p.Secret(must(s.MarshalBinary())(t)))(t) }
	s := kept(p.NewSecret())
	public, one := must(s.PublicShare(ReferenceString{}))(t), must(s.RoundOne(ReferenceString{}))(t)
	s = kept(s)
	both := must(p.first([][]byte{one}))(t)
	two := must(s.RoundTwo(both))(t)
	keys := must(p.summed(ReferenceString{}, [][]byte{public}, [][]byte{one}, [][]byte{two}))(t)
	r := &run{params: p, keys: keys, secrets: []*Secret{kept(s)}}
	sum := must(r.total(t, []float64{1, 1, 0, 1}, Range{Max: 1, Squares: 3}))(t)
	if got := r.open(t, sum); math.Abs(got-3) > 6*sum.Deviation()+sum.Error() {
		t.Errorf("%g, and not 3", got)
	}
	if _, err := kept(r.secrets[0]).Share(sum); err == nil {
		t.Error("a secret that was kept forgot its openings")
	}
	if _, err := p.NewSecret().RoundTwo(both); err == nil {
		t.Error("a second round without a first")
	}
	if ones, _ := p.Rounds(); ones.Add(ones.Digits()+1, List(nil)) == nil || ones.whole() == nil {
		t.Error("a round of more digits than there are, or of none, is whole")
	}
}

// At the parameters of a deployment: within the tables of 128 bits, and one sum of a slope as it is in the
// clear.
func TestParametersOfADeployment(t *testing.T) {
	p := must(New(2, 500))(t)
	if bits := p.LogModulus(); p.Rows() != 1<<15 || bits > 868 || bits < 800 {
		t.Errorf("%g bits of primes at %d coefficients", bits, p.Rows())
	}
	if secrets, errors := p.ckks.Xs(), p.ckks.Xe(); secrets != rlwe.DefaultXs || errors != rlwe.DefaultXe {
		t.Errorf("secrets %v and errors %v are not those of the tables", secrets, errors)
	}
	for l := primesPerStep; l < len(p.ckks.Q()); l += primesPerStep {
		if q := p.stepModulus(l + 1); math.Abs(q.Float64()/p.scale()-1) > (drift-1)/2 {
			t.Errorf("a step divides by %g scales", q.Float64()/p.scale())
		}
	}
	const k, n = 10, 10000
	r := ceremony(t, p, ReferenceString{4})
	d := draw(1, n, 2, 1, k)
	v := r.vectors(t, d, k)
	form := residual(63, k, 1)
	sum := must(must(r.keys.Rows(must(p.Plan(form, 2))(t), v.cuts, v.y))(t).Product(v.columns[0]))(t)
	want := 0.0
	for i, s := range d.arguments() {
		want += d.x[0][i] * (d.y[i] + polynomialAt(form.Term, s/k))
	}
	if got := r.open(t, sum); math.Abs(got-want) > 6*sum.Deviation() || sum.Deviation() > .02 {
		t.Errorf("%g, want %g, deviation %g", got, want, sum.Deviation())
	}
}
