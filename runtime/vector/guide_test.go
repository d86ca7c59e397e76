package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestGuideDraw(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range lengths {
		mean, logs, eps := numbers(r, n), numbers(r, n), numbers(r, n)
		want, size := 0.0, 1.0
		for i := range n {
			sd := math.Exp(logs[i])
			e := mean[i] + sd*eps[i]
			want += -0.5*e*e + 0.5*eps[i]*eps[i] + logs[i]
			size += e*e + eps[i]*eps[i]
		}
		var first float64
		for _, set := range Sets() {
			s, e := append(make([]float64, n), guard), append(make([]float64, n), guard)
			got := guideDraw(set, n, s, e, mean, logs, eps)
			if set == Portable {
				first = got
			}
			if !same(got, first) || math.Abs(got-want) > 1e-15*size {
				t.Errorf("%v of %d: %v, portable %v, want %v", set, n, got, first, want)
			}
			for i := range n {
				if sd := math.Exp(logs[i]); math.Abs(s[i]-sd) > 1e-15*sd || math.Abs(e[i]-mean[i]-sd*eps[i]) > 1e-14 {
					t.Fatalf("%v of %d: element %d is %v with sd %v", set, n, i, e[i], s[i])
				}
			}
			if s[n] != guard || e[n] != guard {
				t.Fatalf("%v of %d writes beyond its end", set, n)
			}
		}
	}
}

// The gradient is that of rho·adj·e + log N(e; 0, 1) - log q(e), e = mean + exp(logs)·eps, with the parameters of q held fixed, by finite differences.
func TestGuideGradient(t *testing.T) {
	const n, rho, h = 19, 0.7, 1e-5
	r := rand.New(rand.NewPCG(9, 10))
	mean, logs, eps, adj := numbers(r, n), numbers(r, n), numbers(r, n), numbers(r, n)
	value := func(i int, m, l float64) float64 {
		e := m + math.Exp(l)*eps[i]
		u := (e - mean[i]) / math.Exp(logs[i])
		return rho*adj[i]*e - 0.5*e*e + 0.5*u*u
	}
	for _, set := range Sets() {
		s, e := make([]float64, n), make([]float64, n)
		guideDraw(set, n, s, e, mean, logs, eps)
		de, dm, dl := append(make([]float64, n), guard), append(make([]float64, n), guard), append(make([]float64, n), guard)
		guideGradient(set, n, de, dm, dl, rho, adj, e, s, eps)
		for i := range n {
			m := (value(i, mean[i]+h, logs[i]) - value(i, mean[i]-h, logs[i])) / (2 * h)
			l := (value(i, mean[i], logs[i]+h) - value(i, mean[i], logs[i]-h)) / (2 * h)
			if math.Abs(dm[i]-m) > 1e-6 || math.Abs(dl[i]-l) > 1e-6*(1+math.Abs(l)) || math.Abs(de[i]-rho*adj[i]+e[i]) > 1e-14 {
				t.Errorf("%v: element %d has %v, %v, %v, want %v, %v, %v", set, i, de[i], dm[i], dl[i], rho*adj[i]-e[i], m, l)
			}
		}
		if de[n] != guard || dm[n] != guard || dl[n] != guard {
			t.Errorf("%v writes beyond its end", set)
		}
	}
}

func TestGuideGradientAgreesBetweenSets(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range lengths {
		adj, e, s, eps := numbers(r, n), numbers(r, n), numbers(r, n), numbers(r, n)
		want := [3][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
		guideGradient(Portable, n, want[0], want[1], want[2], 1.3, adj, e, s, eps)
		for _, set := range Sets()[1:] {
			got := [3][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
			guideGradient(set, n, got[0], got[1], got[2], 1.3, adj, e, s, eps)
			for k := range got {
				for i := range n {
					if !same(got[k][i], want[k][i]) {
						t.Fatalf("%v of %d: output %d of element %d is %x, portable %x", set, n, k, i, got[k][i], want[k][i])
					}
				}
			}
		}
	}
}
