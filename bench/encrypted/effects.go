package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/vflc/vflc/fit"
)

const groups = 10

// effects are likelihoods of which fits with effects of groups are measured, and the party of their scale.
var effects = map[string]string{"logistic": "left", "poisson": "shared", "normal": "left"}

// effectful prints what a fit of encrypted rows takes whose effects of ten groups have a scale that is a
// parameter, beside three coefficients and an intercept, and how far it is from NUTS on the plain wire.
func effectful(name string, n int) error {
	scale, ok := effects[name]
	if !ok {
		return fmt.Errorf("no effects with a likelihood %s", name)
	}
	dir, err := os.MkdirTemp("", "vflc-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l, r, by := likelihoods[name], rand.New(rand.NewPCG(uint64(n), 6)), make([]float64, groups)
	for g := range by {
		by[g] = .4 * r.NormFloat64()
	}
	y, left, right := &strings.Builder{}, &strings.Builder{}, &strings.Builder{}
	fmt.Fprintln(y, "id,y,e")
	fmt.Fprintln(left, "id,g,x,w")
	fmt.Fprintln(right, "id,z")
	for i := range n {
		g, x, w, z, e := r.IntN(groups), r.NormFloat64(), r.NormFloat64(), r.NormFloat64(),
			math.Exp(2*r.Float64()-1)
		fmt.Fprintf(y, "%d,%v,%.5f\n", i, l.draw(r, l.intercept+by[g]+.3*x-.2*w+.1*z, e), e)
		fmt.Fprintf(left, "%d,g%d,%.5f,%.5f\n", i, g, x, w)
		fmt.Fprintf(right, "%d,%.5f\n", i, z)
	}
	text := fmt.Sprintf("client left, right\ndata y : %s[N]\ndata e : real<lower=0>[N]\ndata g : "+
		"level(G)[N] @ left\ndata x : real[N] @ left\ndata w : real[N] @ left\ndata z : real[N] @ right\n"+
		"param b ~ normal(0, 5)\nparam tau ~ half_normal(1) @ %s\nparam a : real[G] ~ normal(0, tau) @ "+
		"left\nparam u ~ normal(0, 2.5) @ left\nparam t ~ normal(0, 2.5) @ left\nparam v ~ "+
		"normal(0, 2.5) @ right\n"+l.text+"\n",
		l.kind, scale, "b + a[g] + x * u + w * t + z * v")
	if !strings.Contains(l.text, "(e)") {
		text = strings.Replace(text, "data e : real<lower=0>[N]\n", "", 1)
	}
	b, err := bind(dir, text, []string{"server", "left", "right"},
		[]string{y.String(), left.String(), right.String()})
	if err != nil {
		return err
	}
	got, cpu, err := over(b, "sfvi", map[string]string{"wire": "encrypted", "correct": "false",
		"draws": draws})
	if err != nil {
		return err
	}
	want, sampled, err := over(b, "nuts", map[string]string{"draws": "5000", "warmup": "500", "chains": "4"})
	if err != nil {
		return err
	}
	off, wider := apart(got, want)
	w := got.Document.Work
	fmt.Printf("%s with effects of %d groups, scale at %s, n = %d: %d evaluations, %.1f CPU s, %.1f MB in "+
		"%d trips; %.3f sd from NUTS (%.0f CPU s), sds by %.1f %%\n%s\n%s\n",
		name, groups, scale, n, w.Gradients, cpu, float64(w.Bytes)/1e6, w.Sequential, off, sampled, 100*wider,
		got.Footer(), want.Footer())
	return nil
}

// apart is how far means are from those of another run, in standard deviations, and these from each other.
func apart(got, want *fit.Result) (off, wider float64) {
	rows := got.Summary()
	for i, w := range want.Summary() {
		off = max(off, math.Abs(float64(rows[i].Mean-w.Mean)/float64(w.SD)))
		wider = max(wider, math.Abs(float64(rows[i].SD/w.SD)-1))
	}
	return off, wider
}
