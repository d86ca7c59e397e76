package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A guided is a draw of every form, with what it was made from. The cut and the centre differ, and so do the
// forms' means.
type guided struct {
	n                                                        int
	rho, sign                                                float64
	mean, slope, logs, eps, g, centre, adj, own, s, e, z, df []float64
}

func newGuided(r *rand.Rand, n int) *guided {
	d := &guided{n: n, rho: 0.7, sign: 1 - 2*float64(n%2)}
	for _, v := range []*[]float64{&d.mean, &d.slope, &d.logs, &d.eps, &d.g, &d.centre, &d.adj, &d.own} {
		*v = numbers(r, n)
	}
	for _, v := range []*[]float64{&d.s, &d.e, &d.z, &d.df} {
		*v = append(make([]float64, n), guard)
	}
	return d
}

// forms of a draw.
const (
	plainForm = iota
	slopedForm
	apartForm
)

func (d *guided) draw(on InstructionSet, form int) float64 {
	switch form {
	case slopedForm:
		return guideDrawSloped(on, d.n, d.s, d.e, d.z, d.df, d.mean, d.slope, d.logs, d.eps, d.g, d.centre,
			d.rho, d.sign)
	case apartForm:
		return guideDrawApart(on, d.n, d.s, d.e, d.z, d.mean, d.logs, d.eps, d.g, d.centre, d.rho, d.sign,
			1/d.rho)
	}
	return guideDraw(on, d.n, d.s, d.e, d.z, d.mean, d.logs, d.eps, d.g, d.rho, d.sign)
}

// location is the mean of e.
func (d *guided) location(form, i int) float64 {
	switch form {
	case slopedForm:
		return d.mean[i] + d.slope[i]*(d.g[i]-d.centre[i])
	case apartForm:
		return d.mean[i] + (d.centre[i]-d.g[i])/d.rho
	}
	return d.mean[i]
}

func TestGuideDraw(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range lengths {
		for form := range 3 {
			d := newGuided(r, n)
			want, size := 0.0, 1.0
			for i := range n {
				e := d.location(form, i) + d.sign*math.Exp(d.logs[i])*d.eps[i]
				want += -0.5*e*e + 0.5*d.eps[i]*d.eps[i] + d.logs[i]
				size += e*e + d.eps[i]*d.eps[i]
			}
			var first float64
			for _, set := range Sets() {
				got := d.draw(set, form)
				if set == Portable {
					first = got
				}
				if !same(got, first) || math.Abs(got-want) > 1e-14*size {
					t.Errorf("form %d on %v of %d: %v, portable %v, want %v", form, set, n, got, first, want)
				}
				for i := range n {
					sd := d.sign * math.Exp(d.logs[i])
					e := d.location(form, i) + sd*d.eps[i]
					if math.Abs(d.s[i]-sd) > 1e-15*math.Abs(sd) || math.Abs(d.e[i]-e) > 1e-13 ||
						math.Abs(d.z[i]-d.g[i]-d.rho*d.e[i]) > 1e-14 {
						t.Fatalf("form %d on %v of %d: element %d is %v with sd %v", form, set, n, i, d.e[i],
							d.s[i])
					}
				}
				if d.s[n] != guard || d.e[n] != guard || d.z[n] != guard || d.df[n] != guard {
					t.Fatalf("form %d on %v of %d writes beyond its end", form, set, n)
				}
			}
		}
	}
}

// The gradients are those of weight·(rho·adj·e + log N(e; 0, 1) - log q(e)) with adj already divided by the
// weight, by finite differences with the parameters of q held fixed in log q: by mean, logs and slope, and by
// the centre.
func TestGuideBack(t *testing.T) {
	const n, h, weight = 19, 1e-5, 1.6
	r := rand.New(rand.NewPCG(9, 10))
	for form := range 3 {
		d := newGuided(r, n)
		value := func(i int, fixedMean, fixedLogs float64) float64 {
			e := d.location(form, i) + d.sign*math.Exp(d.logs[i])*d.eps[i]
			u := (e - fixedMean) / math.Exp(fixedLogs)
			return d.rho*d.adj[i]*e + weight*(-0.5*e*e+0.5*u*u)
		}
		slope := func(i int, at *float64) float64 {
			m, l, was := d.location(form, i), d.logs[i], *at
			*at = was + h
			up := value(i, m, l)
			*at = was - h
			down := value(i, m, l)
			*at = was
			return (up - down) / (2 * h)
		}
		for _, set := range Sets() {
			d.draw(set, form)
			var out [5][]float64
			for k := range out {
				out[k] = append(make([]float64, n), guard)
			}
			w, seed, dm, ds, dl := out[0], out[1], out[2], out[3], out[4]
			var got float64
			switch form {
			case slopedForm:
				got = guideBackSloped(set, n, w, seed, dm, ds, dl, d.rho/weight, weight, d.adj, d.own, d.e,
					d.s, d.eps, d.df, d.slope)
			case apartForm:
				got = guideBackApart(set, n, w, seed, dm, dl, d.rho/weight, weight, 1/d.rho, d.adj, d.own,
					d.e, d.s, d.eps)
			default:
				got = guideBack(set, n, w, dm, dl, d.rho/weight, weight, d.adj, d.own, d.e, d.s, d.eps)
			}
			square := 0.0
			for i := range n {
				de := d.rho*d.adj[i] - weight*d.e[i]
				near := func(what string, got, want float64) {
					if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
						t.Errorf("form %d on %v: element %d has %s %v, want %v", form, set, i, what, got,
							want)
					}
				}
				near("dmean", dm[i], slope(i, &d.mean[i]))
				near("dlogs", dl[i], slope(i, &d.logs[i]))
				square += dm[i]*dm[i] + dl[i]*dl[i]
				switch form {
				case slopedForm:
					near("dslope", ds[i], slope(i, &d.slope[i]))
					near("seed", seed[i], slope(i, &d.centre[i]))
					near("w", w[i], d.adj[i]+d.own[i]+d.slope[i]*de)
					square += ds[i] * ds[i]
				case apartForm:
					near("seed", seed[i], slope(i, &d.centre[i]))
					near("w", w[i], d.own[i]+weight*d.e[i]/d.rho)
				default:
					near("w", w[i], d.adj[i]+d.own[i])
				}
			}
			if math.Abs(got-square) > 1e-13*(1+square) {
				t.Errorf("form %d on %v: the sum of squares is %v, want %v", form, set, got, square)
			}
			for k, v := range out {
				if v[n] != guard {
					t.Errorf("form %d on %v writes beyond the end of output %d", form, set, k)
				}
			}
		}
	}
}

// GuideBackNet has the derivatives of GuideBack, and those on the way through g: of weight·(… + ½eps² + logs)
// with eps held fixed.
func TestGuideBackNet(t *testing.T) {
	const n, weight = 19, 1.6
	d := newGuided(rand.New(rand.NewPCG(11, 12)), n)
	for _, set := range Sets() {
		d.draw(set, plainForm)
		var out [8][]float64
		for k := range out {
			out[k] = make([]float64, n)
		}
		guideBack(set, n, out[0], out[1], out[2], d.rho/weight, weight, d.adj, d.own, d.e, d.s, d.eps)
		guideBackNet(set, n, out[3], out[4], out[5], out[6], out[7], d.rho/weight, weight, d.adj, d.own, d.e,
			d.s, d.eps)
		for i := range n {
			de := d.rho*d.adj[i] - weight*d.e[i]
			if out[3][i] != out[0][i] || out[4][i] != out[1][i] || out[5][i] != out[2][i] {
				t.Errorf("%v: element %d differs from GuideBack", set, i)
			}
			if math.Abs(out[6][i]-de) > 1e-13 ||
				math.Abs(out[7][i]-weight-d.s[i]*d.eps[i]*de) > 1e-13*(1+math.Abs(out[7][i])) {
				t.Errorf("%v: element %d has %v and %v by the input", set, i, out[6][i], out[7][i])
			}
		}
	}
}
