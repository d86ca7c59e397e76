package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vflc/vflc/bench/beside"
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/fn"
)

// A use is a model of one line of what users write, with its data.
type use struct {
	name string
	text string
	data beside.Tables
}

// A way is how an argument of a distribution is given: as the argument of every row, as a number for each, or
// as one for each group of rows.
type way int

const (
	oneNumber way = iota
	eachRow
	eachGroup
)

func (w way) String() string { return [...]string{"number", "rows", "groups"}[w] }

const groups = 40

// uses lists the models: every distribution of numbers, with each argument as a number, as one for each row
// and as one for each group, in every form in which a density or a tail may stand, and every function of one
// number.
func uses(rows int) []use {
	u := stdlib.New()
	var out []use
	for _, name := range u.Dists() {
		d, _ := u.Dist(name)
		if d.Event != nil || len(d.Params) == 0 || !slices.ContainsFunc(d.Params, estimated) {
			continue
		}
		s := newSubject(d, rows)
		for k, p := range d.Params {
			if estimated(p) {
				out = append(out, s.use(d.Name, "~", k, eachRow), s.use(d.Name, "~", k, eachGroup))
			}
		}
		all := len(d.Params)
		out = append(out, s.use(d.Name, "~", -1, oneNumber), s.use(d.Name, "~", all, eachRow))
		for _, form := range s.forms() {
			out = append(out, s.use(d.Name, form, all, eachRow))
		}
	}
	for _, f := range fn.Elementwise() {
		out = append(out, function(&f, rows))
	}
	return append(out, others(rows)...)
}

func estimated(p def.Param) bool { return !p.Integral && !p.Data }

// A subject is a distribution with values drawn from it.
type subject struct {
	d    *def.Dist
	data beside.Tables
	head string // declarations of the data
}

func newSubject(d *def.Dist, rows int) *subject {
	r := rand.New(rand.NewPCG(31, 32))
	theta := make([]float64, len(d.Params))
	for k, p := range d.Params {
		switch {
		case p.Integral || p.Data:
			theta[k] = float64(20 * (1 + k))
		case d.Support == def.Interval:
			theta[k] = 1 + float64(k)
		case d.Support == def.FromFirst && k == 0:
			theta[k] = 3
		case p.Domain == def.Positive || p.Domain == def.NonNegative:
			theta[k] = 1
		case p.Domain == def.UnitInterval:
			theta[k] = 0.5
		}
	}
	kind := "real"
	if d.Discrete {
		kind = "int"
	}
	s := &subject{d: d, head: fmt.Sprintf("data y : %s[N]\ndata to : %s[N]\ndata c : binary[N]\n"+
		"data g : level(G)[N]\n", kind, kind)}
	y, to, c, g := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for i := range y {
		if y[i] = r.NormFloat64(); d.Sample != nil {
			y[i] = d.Sample(r, theta)
		} else if d.Support == def.Positive {
			y[i] = math.Abs(y[i])
		}
		to[i], c[i], g[i] = y[i]+float64(i%3), float64(i%2), float64(1+i%groups)
		if d.Support == def.UnitInterval {
			to[i] = 0.5 * (y[i] + float64(i%2+1)/2)
			to[i] = max(to[i], y[i])
		}
	}
	s.data = beside.Tables{"y": {Dims: []int{rows}, Values: y}, "to": {Dims: []int{rows}, Values: to},
		"c": {Dims: []int{rows}, Values: c}, "g": {Dims: []int{rows}, Values: g, Levels: groups}}
	return s
}

// forms are the statements beside a likelihood in which the density or a tail stands.
func (s *subject) forms() []string {
	density := "lpdf"
	if s.d.Discrete {
		density = "lpmf"
	}
	out := []string{density, "log_mix", "states", "outside"}
	if moving := s.d.Support == def.FromFirst || s.d.Support == def.Interval; !moving {
		out = append(out, "mixture")
	}
	if !s.d.Discrete && s.d.Atoms == nil {
		out = append(out, "parameters")
	}
	if s.d.LogCDF != nil {
		out = append(out, "lcdf", "lccdf", "right", "left", "interval")
	}
	if ys := s.data["y"].Values; s.d.LogCDF != nil && !(s.d.Discrete && slices.Min(ys) < 0) {
		out = append(out, "truncated below", "truncated")
	}
	return out
}

// arguments are the arguments of the distribution, and the parameters that they name: argument at (all where
// it is past the last) in the way w, the others numbers.
func (s *subject) arguments(at int, w way, prefix string) (list, params string) {
	var args []string
	for k, p := range s.d.Params {
		if !estimated(p) {
			args = append(args, fmt.Sprint(20*(1+k)))
			continue
		}
		name, shape, index := fmt.Sprint(prefix, p.Name), "", ""
		if k == at || at == len(s.d.Params) {
			switch w {
			case eachRow:
				shape = " : real[N]"
			case eachGroup:
				shape, index = " : real[G]", "[g]"
			}
		}
		params += fmt.Sprintf("param %s%s ~ normal(0, 1)\n", name, shape)
		args = append(args, s.spelled(k, name+index))
	}
	return strings.Join(args, ", "), params
}

// spelled maps a real number to the domain of parameter k, near the values that data are drawn with.
func (s *subject) spelled(k int, m string) string {
	switch p := s.d.Params[k]; {
	case s.d.Support == def.Interval:
		return fmt.Sprintf("%d + 0.5 * %s", -1+6*k, m)
	case s.d.Support == def.FromFirst && k == 0 && p.Domain == def.Positive:
		return "exp(" + m + ")"
	case p.Name == "xi":
		return "0.1 * " + m
	case p.Domain == def.Positive || p.Domain == def.NonNegative:
		return "exp(" + m + ")"
	case p.Domain == def.UnitInterval:
		return "inv_logit(" + m + ")"
	}
	return m
}

// use is a statement with the distribution.
func (s *subject) use(name, form string, at int, w way) use {
	args, params := s.arguments(at, w, "a_")
	if form == "~" {
		which := "all " + w.String()
		if at >= 0 && at < len(s.d.Params) {
			which = s.d.Params[at].Name + " " + w.String()
		}
		return use{fmt.Sprintf("%s, %s", name, which), s.head + params + fmt.Sprintf("y ~ %s(%s)\n", name,
			args), s.data}
	}
	others, more := s.arguments(at, w, "b_")
	density, values := name+"_lpdf", s.data
	if s.d.Discrete {
		density = name + "_lpmf"
	}
	ys := s.data["y"].Values
	least, most := slices.Min(ys), slices.Max(ys)
	var line string
	switch form {
	case "lpdf", "lpmf", "lcdf", "lccdf":
		line = fmt.Sprintf("factor %s_%s(y | %s)\n", name, form, args)
	case "mixture":
		params += more
		line = fmt.Sprintf("param w ~ beta(2, 2)\ny ~ mixture(w, %s(%s), %s(%s))\n", name, args, name, others)
	case "log_mix":
		params += more
		line = fmt.Sprintf("param w : real[N] ~ beta(2, 2)\nfactor log_mix(w, %s(y | %s), %s(y | %s))\n",
			density, args, density, others)
	case "states":
		line = fmt.Sprintf("param m : real[3] ~ normal(0, 1)\nlet l = [m[k] + %s(y | %s) for k in 1..3]\n"+
			"factor log_sum_exp(l[1], l[2])\nfactor l[3]\n", density, args)
	case "outside":
		line = fmt.Sprintf("factor where(c == 1, %s(y | %s), 0)\n", density, args)
		values = outside(s)
	case "parameters":
		params += s.valueParam()
		line = fmt.Sprintf("factor %s(v | %s)\n", density, args)
	case "right", "left":
		line = fmt.Sprintf("y ~ %s(%s) censor(%s=c == 1)\n", name, args, form)
	case "interval":
		line = fmt.Sprintf("y ~ %s(%s) censor(interval=to)\n", name, args)
	case "truncated below":
		line = fmt.Sprintf("y ~ %s(%s) truncate(lower=%v)\n", name, args, least)
	case "truncated":
		line = fmt.Sprintf("y ~ %s(%s) truncate(lower=%v, upper=%v)\n", name, args, least, most)
	}
	return use{name + ", " + form, s.head + params + line, values}
}

// outside are the data with every fourth value, of a row with c = 0, outside the support.
func outside(s *subject) beside.Tables {
	out := beside.Tables{}
	for k, v := range s.data {
		out[k] = v
	}
	y := slices.Clone(s.data["y"].Values)
	for i := range y {
		if i%4 == 0 {
			y[i] = -1
		}
	}
	out["y"] = beside.Table{Dims: s.data["y"].Dims, Values: y}
	return out
}

// valueParam declares a vector of parameters with values in the support.
func (s *subject) valueParam() string {
	switch s.d.Support {
	case def.Positive, def.NonNegative:
		return "param v : real<lower=0>[N] ~ exponential(1)\n"
	case def.UnitInterval:
		return "param v : real<lower=0, upper=1>[N] ~ beta(2, 2)\n"
	case def.FromFirst:
		return "param u : real[N] ~ normal(0, 1)\nlet v = 3 + exp(u)\n"
	}
	return "param v : real[N] ~ normal(0, 1)\n"
}

// function is a predictor with a function of one number in it.
func function(f *def.Func, rows int) use {
	arg := "m"
	switch f.Domain {
	case "":
	default:
		arg = "0.2 + 0.5 * inv_logit(m)"
		if strings.Contains(f.Domain, "≤ 0") || strings.Contains(f.Domain, "< 0") {
			arg = "-0.5 * exp(m)"
		}
	}
	return use{"function " + f.Name, "data y : real[N]\nparam m : real[N] ~ normal(0, 1)\n" +
		fmt.Sprintf("param s ~ half_normal(1)\ny ~ normal(%s(%s), s)\n", f.Name, arg), normals(rows)}
}

func normals(rows int) beside.Tables {
	return beside.Tables{"y": {Dims: []int{rows}, Values: beside.Normals(rand.New(rand.NewPCG(1, 2)), rows)}}
}

// others are functions of several numbers and of arrays.
func others(rows int) []use {
	const head = "data y : real[N]\nparam m : real[N] ~ normal(0, 1)\nparam k : real[N] ~ normal(0, 1)\n" +
		"param a ~ normal(0, 1)\nparam s ~ half_normal(1)\n"
	var out []use
	for _, e := range []string{"m", "exp(m)^2.5", "exp(m)^exp(k)", "exp(m)^a", "exp(y)^a", "2^m", "m^3",
		"exp(m)^-0.5", "max(m, k)", "min(m, k)", "max(m, 0)", "log_sum_exp(m, k)",
		"log_mix(inv_logit(a), m, k)", "where(y > 0, m, k)", "m .* k", "m ./ exp(k)", "abs(m - k)",
		"cumulative_sum(m)", "cumulative_max(m)", "m - mean(m)", "m / sd(m)", "softmax(m)",
		"log(exp(m) + exp(k))", "sqrt(m^2 + k^2)", "log(1 + m^2)", "1 / (1 + m^2)", "exp(-0.5 * m^2)",
		"log(inv_logit(m) .* inv_logit(k))", "log(m^2)", "log1m(inv_logit(m) .* inv_logit(k))",
		"inv_logit(m) .* inv_logit(k)", "exp(m) / (exp(m) + exp(k))",
	} {
		out = append(out, use{"expression " + e, head + "y ~ normal(" + e + ", s)\n", normals(rows)})
	}
	return out
}

// survey measures uses beside the first likelihood and prints them, slowest first.
func survey(rows int, names []string) error {
	base, err := likelihoods()[0].task(rows)
	if err != nil {
		return err
	}
	type line struct {
		ns   float64
		text string
	}
	var lines []line
	err = eachUse(rows, names, func(u use, g *graph.Graph) {
		e, x := g.NewExec(), beside.Point(g.Dim())
		task := stopwatch.Task{Name: u.name, Run: func() { e.Forward(x); e.Target() }}
		t := stopwatch.Measure([]stopwatch.Task{base, task}, 9)[1]
		ns := t.Median / float64(rows)
		lines = append(lines, line{ns, fmt.Sprintf("| %s | %.2f | %.1f | %s |", u.name, ns, t.Ratio,
			strings.Join(g.Singly(), " ")+notNumber(e, x))})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(b.ns, a.ns) })
	fmt.Print("| form | ns a row | times bernoulli_logit | row by row |\n| --- | --- | --- | --- |\n")
	for _, l := range lines {
		fmt.Println(l.text)
	}
	return nil
}

// notNumber says where the value or the gradient is no number.
func notNumber(e *graph.Exec, x []float64) string {
	e.Forward(x)
	v := e.Target()
	switch finite := func(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }; {
	case !finite(v):
		return fmt.Sprint(" value ", v)
	case slices.ContainsFunc(e.Grad(), func(d float64) bool { return !finite(d) }):
		return " gradient not finite"
	}
	return ""
}

// showForms prints the models and their graphs.
func showForms(rows int, names []string) error {
	return eachUse(rows, names, func(u use, g *graph.Graph) {
		fmt.Printf("== %s\n%s%v\n", u.name, u.text, g)
	})
}

// eachUse makes the graphs of the uses whose names contain one of some names.
func eachUse(rows int, names []string, do func(u use, g *graph.Graph)) error {
	for _, u := range uses(rows) {
		if !wanted(u.name, names) {
			continue
		}
		g, err := beside.Load(u.text, u.data)
		if err != nil {
			return fmt.Errorf("%s: %w", u.name, err)
		}
		do(u, g)
	}
	return nil
}
