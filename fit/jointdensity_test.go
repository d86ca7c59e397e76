package fit

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// jointOf is the joint density of every support under a transform.
func jointOf(t *testing.T, transform def.Transform) *JointDensity {
	t.Helper()
	o := check.Options{Transform: transform, Accept: diag.AcceptanceNames()}
	if transform.Noise() {
		o.Rho = 0.3
	}
	f := everySupport
	if transform.Evaluates == def.EveryClient {
		f.Text, _, _ = strings.Cut(strings.Replace(f.Text, "y : real[N]", "y : real[N] @ shared", 1), "factor")
	}
	d, err := NewJointDensity(f.Bind(t, o))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// spreadOut is a vector without repetitions, each element within 1 of 0.
func spreadOut(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(2*i + 1))
	}
	return x
}

func valueAt(t *testing.T, d *JointDensity, x []float64, jacobian bool) (float64, []float64) {
	t.Helper()
	grad := make([]float64, d.Dim())
	v, err := d.LogDensity(context.Background(), x, jacobian, grad)
	if err != nil {
		t.Fatal(err)
	}
	return v, grad
}

// The gradient is that of the value, auxiliary variables included, with and without the Jacobian.
func TestJointGradient(t *testing.T) {
	const h = 1e-5
	for _, transform := range stdlib.Transforms() {
		d := jointOf(t, transform)
		x := spreadOut(d.Dim())
		for _, jacobian := range []bool{true, false} {
			_, grad := valueAt(t, d, x, jacobian)
			for i := range x {
				up, down := slices.Clone(x), slices.Clone(x)
				up[i] += h
				down[i] -= h
				above, _ := valueAt(t, d, up, jacobian)
				below, _ := valueAt(t, d, down, jacobian)
				if want := (above - below) / (2 * h); !(math.Abs(grad[i]-want) <= 1e-5*(1+math.Abs(want))) {
					t.Errorf("%s: derivative %v by %s is %v, by differences %v", transform.Name, jacobian,
						d.Coordinates[i], grad[i], want)
				}
			}
		}
	}
}

// Unconstrain is the inverse of Constrain, for every support and auxiliary variables; a unit vector has a
// coordinate more than its set has dimensions, so that values are compared.
func TestJointConstrain(t *testing.T) {
	for _, transform := range stdlib.Transforms() {
		d := jointOf(t, transform)
		values := func(x []float64) []float64 {
			v, err := d.Constrain(context.Background(), x, 1)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Clone(v)
		}
		want := values(spreadOut(d.Dim()))
		x, errs := d.Unconstrain(d.entries(want))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		for i, v := range values(x) {
			if !(math.Abs(v-want[i]) <= 1e-9*(1+math.Abs(want[i]))) {
				t.Errorf("%s: value %d is %v, want %v", transform.Name, i, v, want[i])
			}
		}
	}
}

// entries are values of everything that has coordinates.
func (d *JointDensity) entries(values []float64) (out []*data.Entry) {
	for _, v := range d.Params {
		out = append(out, data.NewEntry(v.Name, v.Dims, values[:v.Len()]))
		values = values[v.Len():]
	}
	return out
}

// The whole density of a model that can be written down: y ~ normal(z, s), z ~ normal(x·b, ρ).
func TestJointClosedForm(t *testing.T) {
	text := `client a
data y : real[N]
data x : real[N] @ a
param s ~ exponential(2)
param b ~ normal(0, 1) @ a
y ~ normal(x * b, s)
`
	b := bindFiles(t, text, stdlib.Augmented, 0.5, map[string]string{"server.csv": "id,y\n1,0.3\n",
		"a.csv": "id,x\n1,2\n"})
	d, err := NewJointDensity(b)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Coordinates, " "); got != "s b z_1" {
		t.Fatal(got)
	}
	normal := func(x, m, s float64) float64 {
		return -0.5*(x-m)*(x-m)/s/s - math.Log(s) - 0.5*math.Log(2*math.Pi)
	}
	s, beta, z := 1.7, -0.4, 0.9
	want := math.Log(2) - 2*s + normal(beta, 0, 1) + normal(z, 2*beta, 0.5) + normal(0.3, z, s)
	for jacobian, more := range map[bool]float64{false: 0, true: math.Log(s)} {
		if got, _ := valueAt(t, d, []float64{math.Log(s), beta, z}, jacobian); !(math.Abs(
			got-want-more) <= 1e-13*math.Abs(want)) {
			t.Errorf("Jacobian %v: the density is %v, want %v", jacobian, got, want+more)
		}
	}
}

// The density is that which a sampler has seen at its draw, bit for bit.
func TestJointDensityOfTheSampler(t *testing.T) {
	for _, transform := range []def.Transform{stdlib.NoTransform, stdlib.Exact} {
		b := bindModel(t, "../examples/logistic_family.vfl", transform)
		d, err := NewJointDensity(b)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := warming(t, "../examples/logistic_family.vfl", transform, "20")
		for range 25 {
			info, err := k.Step(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			k.Draw(0, d.point.theta)
			want := info.Transition.LogDensity
			if got, _ := valueAt(t, d, slices.Concat(d.point.theta...), true); got != want {
				t.Errorf("%s: the density is %v, and the sampler saw %v", transform.Name, got, want)
			}
		}
	}
}

// What cannot be a value is named.
func TestJointWrongValues(t *testing.T) {
	d := jointOf(t, stdlib.Augmented)
	values, err := d.Constrain(context.Background(), spreadOut(d.Dim()), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]*data.Entry) []*data.Entry{
		"the model has no parameter sigm; did you mean sigma?": func(e []*data.Entry) []*data.Entry {
			return append(e, data.NewEntry("sigm", nil, []float64{1}))
		},
		"no value is given from which u follows": func(e []*data.Entry) []*data.Entry {
			return slices.DeleteFunc(e, func(e *data.Entry) bool { return e.Name == "u" })
		},
		"sigma is -1, but must be above 0": func(e []*data.Entry) []*data.Entry {
			e = slices.DeleteFunc(e, func(e *data.Entry) bool { return e.Name == "sigma" })
			return append(e, data.NewEntry("sigma", nil, []float64{-1}))
		},
	} {
		_, errs := d.Unconstrain(change(d.entries(values)))
		if !slices.ContainsFunc(errs, func(err error) bool { return strings.Contains(err.Error(), name) }) {
			t.Errorf("want %q, got %v", name, errs)
		}
	}
}
