package fit

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/compiletest"
	reference "github.com/vflc/vflc/tests/densities"
)

// predictors are forms that a parameter of a likelihood may have; a and c are coefficients, s is a scale, and
// x and w are data of a client, or of the one party.
var predictors = []string{
	"x * a", "m + x * a", "m + x * a + w * c", "m + x * s", "x * a * w", "w / s + x * a", "2 * (m + x * a)",
	"-(x * a)", "m", "exp(x * a)", "exp(m + x * a)", "2 / exp(x * a)", "1 / (2 / exp(m + x * a))",
	"x * exp(x * a)", "exp(x * a) + s", "inv_logit(x * a)", "0.5 * inv_logit(m + w * c)", "s * x",
	"a * a * x", "exp(x * a) * exp(m)", "s / exp(x * a)",
}

// modelsOf are the texts of a distribution with each of the predictors for each of its parameters: at one
// party, and with a client that has x.
func modelsOf(d *def.Dist) (texts []string) {
	of := "real"
	if d.Discrete {
		of = "count"
	}
	for k := range d.Params {
		for _, predictor := range predictors {
			args := make([]string, len(d.Params))
			for i, p := range d.Params {
				switch {
				case i == k:
					args[i] = predictor
				case p.Integral, p.Data:
					args[i] = "3"
				case i == 0:
					args[i] = "0.5"
				default:
					args[i] = "s"
				}
			}
			for _, client := range []bool{false, true} {
				head, at := "", ""
				if client {
					head, at = "client b\n", " @ b"
				}
				texts = append(texts,
					fmt.Sprintf("%sdata y : %s[N]\ndata x : real[N]%s\ndata w : real[N]%s\nparam m ~ "+
						"normal(0, 1)\nparam s ~ half_normal(1)\nparam a ~ normal(0, 1)%s\nparam c ~ "+
						"normal(0, s)%s\ny ~ %s(%s)\n",
						head, of, at, at, at, at, d.Name, strings.Join(args, ", ")))
			}
		}
	}
	return texts
}

// begun prepares a fit of a model by sfvi, and begins it over a grid. It reports whether sfvi takes the
// model, and whether the grid does.
func begun(t *testing.T, text string, d *def.Dist, y float64) (taken, nested bool) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%v\n%s", r, text)
		}
	}()
	m, diags := compiletest.Try(t, source.New("m.vfl", text), check.Options{Transform: stdlib.Exact})
	if diags.HasErrors() {
		return false, false
	}
	column := func(name, elem string, v ...float64) data.Bindings {
		return data.Bindings{name: {Recipe: data.Recipe{Name: name, Elem: elem, Rank: 1}, Dims: []int{len(v)},
			Values: v, ByRow: true}}
	}
	own, others := column("y", "real", y, y, y, y), column("x", "real", 0.3, -1, 2, 0.5)
	maps.Copy(others, column("w", "real", 1, 2, -0.5, 1))
	values := map[string]data.Bindings{m.Checked.Server: own, "b": others}
	if !strings.HasPrefix(text, "client") {
		delete(values, "b")
		maps.Copy(own, others)
	}
	b, diags, err := compile.BindValues(m, values, nil)
	if err != nil || diags.HasErrors() {
		return false, false
	}
	_, diags, err = OpenBound(b, Options{Algorithm: backend(t, "sfvi"), Seed: 1})
	taken = err == nil && !diags.HasErrors()
	p, diags, err := OpenBound(b,
		Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"estimator": "nested"}, Seed: 1})
	if err != nil || diags.HasErrors() {
		return taken, false
	}
	err = session.Run(t.Context(), p.Plan, session.OneLoop, 1,
		func(ctx context.Context, env density.Env) error {
			k, err := p.Algorithm.New(env, p.Settings)
			if err == nil {
				err = k.Init(ctx)
			}
			for range 3 {
				if err == nil {
					_, err = k.Step(ctx)
				}
			}
			return err
		})
	return taken, err == nil
}

// A model of any likelihood with any predictor is taken by sfvi and by a fit over a grid, or refused:
// whatever has the form.
func TestEveryPredictorIsFittedOrRefused(t *testing.T) {
	t.Parallel()
	all, nested := 0, 0
	universe, values := stdlib.New(), reference.Numbers()
	for _, name := range universe.Dists() {
		d, _ := universe.Dist(name)
		if d.Event != nil {
			continue
		}
		for _, text := range modelsOf(d) {
			is, nests := begun(t, text, d, values[name][0].X)
			if is {
				all++
			}
			if nests {
				nested++
			}
		}
	}
	if all < 1000 || nested < 300 {
		t.Errorf("sfvi takes %d models, a grid %d", all, nested)
	}
}
