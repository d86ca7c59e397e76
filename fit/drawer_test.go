package fit_test

import (
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/synthetic"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

func simulate(t *testing.T, text string, sizes map[string]int) (*synthetic.Simulation, error) {
	t.Helper()
	transform := stdlib.NoTransform
	if strings.Contains(text, "client") {
		transform = stdlib.Exact
	}
	m, diags := compile.Compile(source.New(filepath.Join(t.TempDir(), "m.vfl"), text),
		check.Options{Transform: transform})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	s, diags, err := synthetic.New(m, synthetic.Request{Sizes: sizes, Seed: 3})
	if diags.HasErrors() {
		err = data.Errors(diags)
	}
	return s, err
}

// columns are those of all tables, as numbers, with parameters under their names.
func columns(s *synthetic.Simulation) (cols map[string][]float64, truth map[string]float64) {
	cols, truth = map[string][]float64{}, map[string]float64{}
	for _, table := range s.Tables {
		for _, c := range table.Columns {
			for _, w := range c.Words {
				v, _ := strconv.ParseFloat(w, 64)
				cols[c.Name] = append(cols[c.Name], v)
			}
		}
	}
	for _, v := range s.Truth {
		truth[v.Name] = v.Value
	}
	return cols, truth
}

// Every response is drawn given the final values of those that its distribution names: with a standard
// deviation of 1e-9 each is its mean.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name, text string
		sizes      map[string]int
		mean       func(c map[string][]float64, p map[string]float64, y string, t int) float64
		of         []string
		from       int
	}{
		{
			"a response explains another, which stands above it, across parties",
			"client lab\ndata y : real[N]\ndata z : real[N] @ shared\ndata x : real[N] @ lab\nparam b ~ " +
				"normal(0, 1) @ lab\nparam a ~ normal(0, 1)\ny ~ normal(x * b + a * z, " +
				"1e-9)\nz ~ normal(a, 1)",
			map[string]int{"N": 20},
			func(c map[string][]float64, p map[string]float64, _ string, i int) float64 {
				return c["x"][i]*p["b"] + p["a"]*c["z"][i]
			},
			[]string{"y"}, 0,
		},
		{
			"a step depends on the one before, and the first on none",
			"data y : real[T]\nparam phi ~ uniform(0.9, 1)\ny[1] ~ normal(7, 1e-9)\ny[2:T] ~ " +
				"normal(phi * y[1:T - 1], 1e-9)",
			map[string]int{"T": 30},
			func(c map[string][]float64, p map[string]float64, _ string, i int) float64 {
				if i == 0 {
					return 7
				}
				return p["phi"] * c["y"][i-1]
			},
			[]string{"y"}, 0,
		},
		{
			"two series, each of which follows the other's past",
			"data y : real[T]\ndata z : real[T]\nparam a ~ uniform(0.5, 1)\ny[2:T] ~ normal(a * z[1:T - 1] " +
				"+ 1, 1e-9)\nz[2:T] ~ normal(a * y[1:T - 1] - 1, 1e-9)",
			map[string]int{"T": 25},
			func(c map[string][]float64, p map[string]float64, y string, i int) float64 {
				if y == "y" {
					return p["a"]*c["z"][i-1] + 1
				}
				return p["a"]*c["y"][i-1] - 1
			},
			[]string{"y", "z"}, 1,
		},
		{
			"a recursion, with a threshold that the value before is compared with",
			"data y : real[T]\nparam a ~ uniform(0.5, 1)\nlet m : real[T] = recur m[1] = 1, m[t] = " +
				"where(!(y[t - 1] > 0) || y[t - 1] == 0, 2, a * y[t - 1] - 1.5) for t in " +
				"2..T\ny ~ normal(m, 1e-9)",
			map[string]int{"T": 25},
			func(c map[string][]float64, p map[string]float64, _ string, i int) float64 {
				switch {
				case i == 0:
					return 1
				case c["y"][i-1] > 0:
					return p["a"]*c["y"][i-1] - 1.5
				}
				return 2
			},
			[]string{"y"}, 0,
		},
		{
			"a category looks up the next one's probabilities, and rows and elements of other data",
			"data z : level(K)[T]\ndata y : real[T]\ndata v : real[T]\nparam q : real[K] ~ normal(0, " +
				"1)\nparam h : real[K, K] ~ normal(0, 1)\nz[2:T] ~ categorical_logit(h[z[1:T - 1]])\ny ~ " +
				"normal(q[z], 1e-9)\nv ~ normal(h[z, z], 1e-9)",
			map[string]int{"T": 40, "K": 3},
			func(c map[string][]float64, p map[string]float64, y string, i int) float64 {
				k := strconv.Itoa(int(c["z"][i]))
				if y == "y" {
					return p["q["+k+"]"]
				}
				return p["h["+k+","+k+"]"]
			},
			[]string{"y", "v"}, 0,
		},
		{
			"an encoder is fitted to the response as it was drawn",
			"data y : real[N]\ndata s : real[N] from zscore(y)\ndata z : real[N]\ny ~ normal(100, " +
				"5)\nz ~ normal(s, 1e-9)",
			map[string]int{"N": 30},
			func(c map[string][]float64, _ map[string]float64, _ string, i int) float64 {
				mean, ss := 0.0, 0.0
				for _, v := range c["y"] {
					mean += v / 30
				}
				for _, v := range c["y"] {
					ss += (v - mean) * (v - mean)
				}
				return (c["y"][i] - mean) / math.Sqrt(ss/29)
			},
			[]string{"z"}, 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := simulate(t, c.text, c.sizes)
			if err != nil {
				t.Fatal(err)
			}
			cols, truth := columns(s)
			for _, y := range c.of {
				for i := c.from; i < len(cols[y]); i++ {
					if want := c.mean(cols, truth, y, i); !(math.Abs(cols[y][i]-want) < 1e-7) {
						t.Errorf("%s[%d] is %g, its mean %g", y, i+1, cols[y][i], want)
					}
				}
			}
		})
	}
}

// Only what has no order is refused: a circle, by the names in it, and not by those of what waits for it.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"data w : real[N]\ndata y : real[N]\ndata z : real[N]\nw ~ normal(y, 1)\ny ~ " +
			"normal(z, 1)\nz ~ normal(y, 1)", "y and z depend on each other in a circle"},
		{"data y : real[N]\ny ~ normal(mean(y), 1)", "y depends on itself: no element of it can be drawn"},
		{"data y : real[N]\ndata z : real[N]\ny[2:N] ~ normal(z[2:N] + y[1:N - 1], 1)\nz " +
			"~ normal(0 * sum(z), 1)", "z depends on itself"},
		{"data y : real[N]\nparam b ~ normal(max(y), 1)\ny ~ normal(b, 1)",
			"the prior of b depends on a response"},
		{"data y : real[N]\nparam b ~ normal(0, 1)\ny[1:3] ~ normal(b, 1)\ny[3:N] ~ normal(b, 1)",
			"y has two likelihoods"},
		{"data y : real[N]\ndata z : real[N]\nparam s ~ half_normal(1)\ny ~ normal(0, 1)\nz ~ " +
			"normal(log(-1 - square(y)), s)", "no value could be drawn for element 1"},
	} {
		text := c.text
		if _, err := simulate(t, text, map[string]int{"N": 6}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v, want %s", text, err, c.want)
		} else if told := (data.Errors)(nil); errors.As(err, &told) && told[0].Code == "" {
			t.Errorf("%v has no code", err)
		}
	}
}
