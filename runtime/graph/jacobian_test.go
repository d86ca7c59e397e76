package graph

import (
	"math"
	"testing"

	"github.com/vflc/vflc/stdlib/bijector"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
)

// Without log-Jacobians, target and gradient are those of the density of the parameters on their declared
// scale; with log-Jacobians on again, they are as before. One parameter enters the target directly, one only
// through an output, one both ways.
func TestJacobianOff(t *testing.T) {
	b := New("jacobian")
	lower := pick(t, bijector.All(), "lower", func(d def.Bijector) string { return d.Name })
	interval := pick(t, bijector.All(), "interval", func(d def.Bijector) string { return d.Name })
	var sent []ID
	var x []ID
	for _, name := range []string{"a", "b", "c"} {
		p := b.Param(name, Shape{2})
		if name == "c" {
			x = append(x, b.Bijector(&interval, p, -1, 3))
		} else {
			x = append(x, b.Bijector(&lower, p, 0, math.Inf(1)))
		}
	}
	sent = append(sent, x[1], x[2])
	gamma := pick(t, dist.All(), "gamma", func(d def.Dist) string { return d.Name })
	normal := pick(t, dist.All(), "normal", func(d def.Dist) string { return d.Name })
	must(t, b.Density("a", &gamma, x[0], []ID{b.Scalar(3), b.Scalar(2)}, NoID, 1))
	must(t, b.Density("c", &normal, x[2], []ID{b.Scalar(1), b.Scalar(2)}, NoID, 1))
	for _, id := range sent {
		b.Output("sent", id)
	}
	g, err := b.Build()
	must(t, err)
	e := g.NewExec()
	point := []float64{0.3, -0.2, 0.5, 1.1, -0.4, 0.8}
	seeds := [][]float64{{0.7, -1}, {0.2, 0.4}}
	evaluate := func(at []float64) (lp float64, grad []float64) {
		e.Forward(at)
		lp = e.Target()
		total := make([][]float64, len(seeds))
		for k := range seeds {
			total[k] = make([]float64, len(seeds[k]))
			for i, s := range seeds[k] {
				total[k][i] = s
				lp += s * e.Output(k)[i]
				if own := e.Own(k); own != nil {
					total[k][i] += own[i]
				}
			}
		}
		e.Pull(total)
		return lp, append([]float64(nil), e.Grad()...)
	}
	with, grad := evaluate(point)
	volume := point[0] + point[1] + point[2] + point[3] // of exp
	for _, u := range point[4:] {
		volume += math.Log(4) - math.Abs(u) - 2*math.Log1p(math.Exp(-math.Abs(u)))
	}
	e.Jacobian(false)
	without, flat := evaluate(point)
	if math.Abs(with-without-volume) > 1e-12 {
		t.Errorf("log-Jacobians are %v, want %v", with-without, volume)
	}
	for i := range point {
		const h = 1e-6
		at := append([]float64(nil), point...)
		at[i] += h
		up, _ := evaluate(at)
		at[i] -= 2 * h
		down, _ := evaluate(at)
		if d := (up - down) / (2 * h); math.Abs(d-flat[i]) > 1e-7 {
			t.Errorf("gradient %d is %v, by differences %v", i, flat[i], d)
		}
	}
	e.Jacobian(false)
	e.Jacobian(true)
	e.Jacobian(true)
	again, back := evaluate(point)
	if again != with {
		t.Errorf("%v, before %v", again, with)
	}
	for i := range back {
		if back[i] != grad[i] {
			t.Errorf("gradient %d is %v, before %v", i, back[i], grad[i])
		}
	}
}

func pick[T any](t *testing.T, all []T, name string, of func(T) string) T {
	t.Helper()
	for _, v := range all {
		if of(v) == name {
			return v
		}
	}
	t.Fatalf("there is no %s", name)
	panic("unreachable")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
