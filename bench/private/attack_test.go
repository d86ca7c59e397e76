package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/release"
)

// attacked are the columns of the releases that are attacked: one of each of three parties.
var attacked = []release.BoundedColumn{{Name: "x", Owner: "a", Lower: -1, Upper: 1},
	{Name: "z", Owner: "b", Lower: -1, Upper: 1}, {Name: "y", Owner: "registry", Lower: -1, Upper: 1}}

// parties are those of a release in the order of the protocol.
var parties = []string{"registry", "a", "b"}

// Rows of two neighbouring tables: the first is at a right angle to the one in its place, and both have the
// largest length, so that they differ by all of the sensitivity.
var neighbours = [2][][]float64{
	{{1, .5, -.25, 0}, {1, -.5, .75, .1}, {1, .125, -1, .3}},
	{{1, .5, -.25, 0}, {-1, -.5, .75, .1}, {-1, .125, -1, .3}},
}

// A party is one of a process that has all, and meeting is where they are.
type party struct {
	density.Block
	index int
}

func (p party) Party() string { return parties[p.index] }
func (p party) Index() int    { return p.index }

type meeting struct{ density.Env }

func (meeting) Blocks() (out []density.Block) {
	for k := range parties {
		out = append(out, party{index: k})
	}
	return out
}

// RelayBytes implements density.ByteRelaying: what each sends, all have.
func (meeting) RelayBytes(_ context.Context, _ *density.Exchange, _ int, _ []int,
	own [][]byte) ([][]byte, error) {
	return own, nil
}

func (meeting) Blame(_ context.Context, of []int, what string) error {
	return fmt.Errorf("one of parties %d sent a %s", of, what)
}

// A trial is one release by the protocol, with keys of its own, and what each party has added.
type trial struct {
	*release.Moments
	shares [][]*big.Int // in the order of the parties
}

// released makes a release of one of the tables by the protocol: all parties encrypt their columns under a
// new key, derive the sums, and decrypt them by shares with noise from the machine's randomness in them. The
// ring of the encryption is small: it hides nothing, and has the same sums and noise.
func released(t *testing.T, table int, rho float64) *trial {
	t.Helper()
	terms := release.Terms{Epsilon: 3, Delta: 1e-6, Rho: rho, Mu: release.Mu(rho),
		Norms: release.Widest(attacked)}
	var drawn bytes.Buffer
	m, err := protocol.Release(t.Context(), meeting{}, protocol.Releasing{
		Family: "normal", Declared: attacked, Parties: parties, Insecure: 5,
		Terms:  func([]release.BoundedColumn, int) release.Terms { return terms },
		Charge: func(string, *release.Moments) error { return nil },
		Noise:  io.TeeReader(rand.Reader, &drawn),
		Own: func(name string) (out []protocol.DeclaredColumns) {
			for k, c := range attacked {
				if c.Owner == name {
					out = append(out, protocol.DeclaredColumns{Names: []string{c.Name},
						Values: neighbours[table][k : k+1]})
				}
			}
			return out
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := &trial{Moments: m}
	for range parties {
		out.shares = append(out.shares, m.Noise(&drawn))
	}
	return out
}

// less are the sums without the shares of the first parties.
func (t *trial) less(colluders int) []float64 {
	out := make([]float64, len(t.Sums))
	for i, v := range t.Sums {
		v = new(big.Int).Set(v)
		for _, s := range t.shares[:colluders] {
			v.Sub(v, s[i])
		}
		out[i], _ = new(big.Float).SetInt(v).Float64()
	}
	return out
}

// exact are the sums of a table without noise, as one process adds them up.
func exact(t *testing.T, table int) []float64 {
	t.Helper()
	m, err := release.Open("normal", attacked, neighbours[table],
		release.Terms{NoNoise: true, Norms: release.Widest(attacked)})
	if err != nil {
		t.Fatal(err)
	}
	return (&trial{Moments: m}).less(0)
}

// A linear test tells two tables apart by sums with noise: by their likelihood ratio where the noise is
// normal.
type linear struct {
	by        []float64 // the difference over the variance of one party's noise
	stated    float64   // μ, of one party's noise
	n         [2]float64
	sum, sum2 [2]float64
}

// newLinear is that of releases of some variance.
func newLinear(m *release.Moments, known [2][]float64) *linear {
	l := &linear{}
	share, _ := new(big.Float).SetInt(m.Share).Float64()
	i := 0
	for a := range len(m.Columns) + 1 {
		for b := a; b <= len(m.Columns); b++ {
			d, variance := known[1][i]-known[0][i], share
			if a != b {
				variance /= 2
			}
			if l.by = append(l.by, d/variance); d != 0 {
				l.stated += d * d / variance
			}
			i++
		}
	}
	l.stated = math.Sqrt(l.stated)
	return l
}

func (l *linear) add(table int, sums []float64) {
	v := 0.0
	for i, s := range sums {
		v += l.by[i] * s
	}
	l.n[table]++
	l.sum[table] += v
	l.sum2[table] += v * v
}

// mu is the difference of means in standard deviations, and its standard error.
func (l *linear) mu() (mu, se float64) {
	var mean [2]float64
	variance, n := 0.0, l.n[0]+l.n[1]
	for k := range mean {
		mean[k] = l.sum[k] / l.n[k]
		variance += (l.sum2[k]/l.n[k] - mean[k]*mean[k]) * l.n[k] / n
	}
	mu = (mean[1] - mean[0]) / math.Sqrt(variance)
	return mu, math.Sqrt((4 + mu*mu/2) / n)
}

// releases is how many releases are attacked.
var releases = flag.Int("releases", 8, "attack so many releases by the protocol: 10000 for figures")

// enough are so many releases that what the attack finds is held to what is stated.
const enough = 5000

// The sums that three parties open by the protocol are those of the rows and of the noise that each has
// drawn, to the last digit. Of two neighbouring tables that differ by all that is charged, the optimal linear
// test on the sums less the shares of two parties finds the stated μ, and on the opened sums μ/√3; where a
// share of noise is missing, or noise has half the width, it finds that the statement is wrong.
func TestAttackOnReleasesByTheProtocol(t *testing.T) {
	var known [2][]float64
	for k := range known {
		known[k] = exact(t, k)
	}
	var found [4]*linear
	rho := release.Rho(3, 1e-6)
	for i := range *releases {
		one := released(t, i%2, rho)
		for k := range found {
			if found[k] == nil {
				found[k] = newLinear(one.Moments, known)
			}
		}
		if got := one.less(len(parties)); !slices.Equal(got, known[i%2]) {
			t.Fatalf("release %d less all shares is %.0f, and the sums of the rows are %.0f", i, got, known[i%2])
		}
		found[0].add(i%2, one.less(len(parties)-1))
		found[1].add(i%2, one.less(0))
		found[2].add(i%2, one.less(2)) // one is taken away, and one has not been added
		if i%8 < 2 {                   // far fewer tell
			found[3].add(i%2, released(t, i%2, 4*rho).less(len(parties)-1))
		}
		if done := i + 1; done%500 == 0 {
			t.Logf("%d of %d releases", done, *releases)
		}
	}
	stated, charged := found[0].stated, release.Mu(rho)
	if math.Abs(stated-charged) > 1e-6 {
		t.Errorf("the tables have μ = %.8f, and %.8f is charged", stated, charged)
	}
	if *releases >= enough {
		verdict(t, found)
	}
}

// verdict holds what was found to what is stated, and prints both.
func verdict(t *testing.T, found [4]*linear) {
	stated := found[0].stated
	for k, c := range []struct {
		name   string
		stated float64
		agrees bool
	}{
		{"less the shares of two parties", stated, true},
		{"the opened sums", stated / math.Sqrt(3), true},
		{"less the share of one, where that of another is missing", stated / math.Sqrt2, false},
		{"less the shares of two, where noise is halved", stated, false},
	} {
		mu, se := found[k].mu()
		t.Logf("| %s | %.4f | %.4f | %.4f |", c.name, c.stated, mu, se)
		if (math.Abs(mu-c.stated) < 3*se) != c.agrees {
			t.Errorf("%s: μ is %.4f, and %.4f is stated (standard error %.4f)", c.name, mu, c.stated, se)
		}
	}
}
