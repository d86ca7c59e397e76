package protocol

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/fn"
)

// What the server tells of a likelihood gives a client the same one, and nothing else is read as one.
func TestTheLikelihoodThatIsTold(t *testing.T) {
	logistic, binomial, poisson, exp := dist.BernoulliLogit(), dist.BinomialLogit(), dist.Poisson(), fn.Exp()
	for _, l := range []graph.Law{
		{Dist: &logistic, Theta: [][]float64{nil}},
		{Dist: &binomial, Param: 1, Theta: [][]float64{{7, 7, 7}, nil}},
		{Dist: &poisson, Link: &exp, Theta: [][]float64{nil}},
	} {
		text := lawText(&l)
		got, err := readLaw(text)
		if err != nil || lawText(got) != text || got.Dist.Name != l.Dist.Name || got.Param != l.Param ||
			(got.Link == nil) != (l.Link == nil) {
			t.Errorf("%q is read as %+v: %v", text, got, err)
		}
	}
	for _, text := range []string{"", "normal", "gossip\n0\n\n", "bernoulli_logit\n1\n\n",
		"bernoulli_logit\n0\nsurprise\n", "bernoulli_logit\n0\n\n0x1p+00\n",
		"bernoulli_logit\n0\n\n0x1p+00"} {
		var refusal *polynomial.Refusal
		if l, err := readLaw(text); !errors.As(err, &refusal) {
			t.Errorf("%q is read as %+v: %v", text, l, err)
		}
	}
}

// Whatever a server sends in place of a likelihood, it is read as one or refused.
func FuzzLikelihood(f *testing.F) {
	f.Add("bernoulli_logit\n0\n\n")
	f.Add("binomial_logit\n1\n\n0x1.cp+02\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := readLaw(text)
		if err != nil {
			return
		}
		if again, err := readLaw(lawText(l)); err != nil || lawText(again) != lawText(l) {
			t.Errorf("%q is read as %q", text, lawText(l))
		}
		var refusal *polynomial.Refusal
		if _, err := describe(l); err != nil && !errors.As(err, &refusal) {
			t.Error(err)
		}
	})
}

// The sizes that the audit states are those of the ring of 128 bits.
func TestSizesOfMessages(t *testing.T) {
	p, err := encrypted.New(3, 1000)
	if err != nil {
		t.Fatal(err)
	}
	one, two := p.RoundSizes()
	column, contribution := p.VectorSize(encrypted.Column, p.Rows()),
		p.VectorSize(encrypted.Contribution, p.Rows())
	for _, c := range []struct {
		bytes   int
		message density.MessageKind
	}{
		{p.PublicSize(), publicKey.Up}, {one, roundOne.Up}, {two, roundTwo.Up}, {column, committing.Up},
		{column, adding.Up},
		{contribution, contribute.Up}, {2 * p.VectorSize(encrypted.Response, p.Rows()), responding.Down},
	} {
		var stated float64
		if _, err := fmt.Sscanf(c.message.Carries[0].Content.Size, "%f MB", &stated); err != nil ||
			math.Abs(float64(c.bytes)/(1e6*stated)-1) > .02 {
			t.Errorf("%s has %d bytes, and the audit says %g MB", c.message.Name, c.bytes, stated)
		}
	}
}
