package nested

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

// A Part is what a party has of what all parties together must not have too much of, and what it needs of
// another.
type Part struct {
	Hyper, Latent, Rows int
	// Normal are the server's parameters that clients use and whose priors are normal given others. Needs are
	// those of which a client needs that, since they are means or coefficients there, and Excludes those of
	// which it must not be so.
	Normal, Needs, Excludes []string
}

// Look finds the part of a block. The error is why it does not suit; alone: also where that shows only once
// the parties have met, as far as a party can tell alone.
func Look(block density.Block, alone bool) (Part, error) {
	p, err := newParty(block, nil)
	if err != nil {
		return Part{}, err
	}
	part := Part{Hyper: p.m, Latent: p.d, Rows: p.rows}
	if block.Index() == 0 {
		for _, k := range p.cond.Latent {
			if name := p.cond.Sources[k]; !slices.Contains(part.Normal, name) {
				part.Normal = append(part.Normal, name)
			}
		}
	}
	needed, err := p.needs(&part)
	if err != nil || !alone || !p.vary() {
		return part, err
	}
	return part, p.trial(needed)
}

// needs finds which of the server's parameters a client needs to have normal priors, by element 1 + their
// number, or 0.
func (p *party) needs(part *Part) (needed []float64, err error) {
	if p.cond.Received == 0 {
		return nil, nil
	}
	needed = make([]float64, p.cond.Received)
	latent := make([]bool, p.cond.Received)
	for from := 0; from < len(latent); {
		name, to := p.cond.Sources[from], from
		one := make([]bool, len(latent))
		for ; to < len(one) && p.cond.Sources[to] == name; to++ {
			one[to] = true
		}
		if p.cond.Accept(one) != nil {
			part.Excludes = append(part.Excludes, name)
		} else {
			part.Needs = append(part.Needs, name)
			copy(latent[from:], one[from:to])
		}
		from = to
	}
	n := 0
	for i, is := range latent {
		if is {
			n++
			needed[i] = float64(n)
		}
	}
	return needed, p.cond.Accept(latent)
}

// trials is how many values of the hyperparameters are tried before the parties meet.
const trials = 12

// trial looks whether the prior covariance is a combination of few matrices, at values of what is received as
// those of scales and correlations are.
func (p *party) trial(needed []float64) error {
	if p.cond.Received > 0 && p.block.Index() > 0 {
		size := 0
		for _, v := range needed {
			size = max(size, int(v))
		}
		if err := p.declare(needed, size); err != nil {
			return err
		}
	}
	with, received := make([]float64, probing*p.rows), make([][]float64, trials)
	for i := range with {
		with[i] = portable.Cos(float64(1.3*float64(i)) + float64(i*i%97))
	}
	for k := range received {
		received[k] = make([]float64, p.cond.Received)
		for i := range received[k] {
			if needed[i] == 0 {
				received[k][i] = 0.5 + float64(0.45*portable.Sin(float64((k+1)*(i+2))*1.7))
			}
		}
	}
	return p.decompose(with, received, &turning{})
}

// A turning gives numbers as random ones would spread, the same at every party and in every run.
type turning struct {
	density.Stream
	at int
}

func (t *turning) Round(uint64) {}

func (t *turning) FillNormals(to []float64) {
	for i := range to {
		t.at++
		to[i] = 1.4 * portable.Sin(float64(t.at*t.at)*0.7)
	}
}

// Together is the reason why parties do not suit each other, each of whom suits alone; nil: they do.
func Together(parts []Part) error {
	whole := Part{}
	for _, p := range parts {
		whole.Hyper, whole.Latent = whole.Hyper+p.Hyper, whole.Latent+p.Latent
		whole.Normal = append(whole.Normal, p.Normal...)
	}
	if err := unfit(whole.Hyper, whole.Latent); err != nil {
		return err
	}
	for _, p := range parts {
		for _, name := range p.Excludes {
			if slices.Contains(whole.Normal, name) {
				return fmt.Errorf("a client uses %s, whose prior is normal given others, not as a mean or "+
					"as a coefficient: in a product with a parameter of its own, say", name)
			}
		}
		for _, name := range p.Needs {
			if !slices.Contains(whole.Normal, name) {
				return fmt.Errorf("a client uses %s as a mean or as a coefficient, and its prior is "+
					"not normal given others", name)
			}
		}
	}
	return nil
}
