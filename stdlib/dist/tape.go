package dist

import (
	"fmt"
	"math"
	"sync"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/fn"
)

// derived is a distribution whose loop over a block follows from its vector form, or is 0 on the support
// where it has none: the form is recorded as steps, which are run forward for the values and back for the
// partials. A loop by hand stands beside a vector form only where Loop says why.
func derived(d def.Dist) def.Dist {
	recorded := sync.OnceValue(func() *tape { return record(&d) })
	d.LogDensity = func(b *def.Batch) float64 { return finish(b, recorded().run(b)) }
	return d
}

// A tape is a vector form recorded as steps from register to register, and what they add to the density. See
// Griewank and Walther, Evaluating Derivatives (2008), chapter 4.
type tape struct {
	def.DensityBuilder           // nil: what densities with vectors for parameters use alone
	dist               *def.Dist // whose density it is, nil of some rows of it
	// the same where the density has a limit at the lower, and at the upper end
	atEnd      [2]*tape
	steps      []instruction // by register
	terms      []term
	each       float64
	fixed      def.Value // a register that is known to be at, while it records
	at         float64
	captured   []def.Value // of some rows: the registers of the whole that its arguments are
	workspaces sync.Pool
}

// An instruction makes the register of its place.
type instruction struct {
	op     operation
	a, b   def.Value // registers; of an argument its index, with x the first
	number float64
	fn     *def.Func
}

type operation int

const (
	argument operation = iota
	number
	plus
	minus
	product
	quotientOf
	timesData // the product with data, 0 where these are 0
	function
	risen  // log Γ(a+b)/Γ(a)
	raised // a^b
	coxed  // log(1 + b·a)/b
	chosen // b where a is not 0, else 0
	// comparisons: 1 where they hold, else 0, without gradient
	less
	lessEqual
	equal
)

// A term adds k times a register to the density of each row or, where density is set, a density of registers,
// in all rows or in those where is holds of by.
type term struct {
	k       float64
	x       def.Value
	density func(b *def.Batch) float64
	theta   []def.Value
	by      []def.Value
	is      func(by []float64) bool
	holds   bool
}

const unknown def.Value = -1

// record records the form of a distribution, and those for shapes with which an end belongs to its support.
func record(d *def.Dist) *tape {
	t := recordWith(d, unknown, 0)
	for side, e := range []def.End{d.Lower, d.Upper} {
		if e.Exponent == nil {
			continue
		}
		theta := make([]float64, len(d.Params))
		from := e.Exponent.Of(theta)
		theta[e.Exponent.Param] = 1
		if slope := e.Exponent.Of(theta) - from; slope != 0 { // an exponent is linear in its parameter
			t.atEnd[side] = recordWith(d, def.Value(e.Exponent.Param+1), -from/slope)
		}
	}
	return t
}

func recordWith(d *def.Dist, fixed def.Value, at float64) *tape {
	t := &tape{dist: d, fixed: fixed, at: at}
	theta := make([]def.Value, len(d.Params))
	x := t.emit(instruction{op: argument})
	for k := range theta {
		theta[k] = t.emit(instruction{op: argument, a: def.Value(k + 1)})
	}
	if !t.form(d, x, theta) {
		panic("dist: " + d.Name + " has no form for a tape")
	}
	return t
}

// form writes that of a distribution, of which d.Expand may serve less than Elements.
func (t *tape) form(d *def.Dist, x def.Value, theta []def.Value) bool {
	switch {
	case d.Elements != nil:
		return d.Elements(t, x, theta)
	case d.Expand != nil:
		return d.Expand(t, x, theta)
	}
	return true
}

// emit is the register of an instruction, of an equal one where there is one.
func (t *tape) emit(s instruction) def.Value {
	for r, other := range t.steps {
		if s == other {
			return def.Value(r)
		}
	}
	t.steps = append(t.steps, s)
	return def.Value(len(t.steps) - 1)
}

func (t *tape) Number(v float64) def.Value   { return t.emit(instruction{op: number, number: v}) }
func (t *tape) Fill(v float64) def.Value     { return t.Number(v) }
func (t *tape) Add(a, b def.Value) def.Value { return t.emit(instruction{op: plus, a: a, b: b}) }
func (t *tape) Sub(a, b def.Value) def.Value { return t.emit(instruction{op: minus, a: a, b: b}) }
func (t *tape) Mul(a, b def.Value) def.Value { return t.emit(instruction{op: product, a: a, b: b}) }
func (t *tape) Div(a, b def.Value) def.Value { return t.emit(instruction{op: quotientOf, a: a, b: b}) }

func (t *tape) Times(x, a def.Value) def.Value   { return t.emit(instruction{op: timesData, a: x, b: a}) }
func (t *tape) Rising(a, x def.Value) def.Value  { return t.emit(instruction{op: risen, a: a, b: x}) }
func (t *tape) BoxCox(z, xi def.Value) def.Value { return t.emit(instruction{op: coxed, a: z, b: xi}) }
func (t *tape) MulLog(x, a def.Value) def.Value  { return t.Times(x, t.Func("log", a)) }

func (t *tape) Func(name string, x def.Value) def.Value {
	for r, s := range t.steps {
		if s.op == function && s.a == x && s.fn.Name == name {
			return def.Value(r)
		}
	}
	for _, f := range fn.Elementwise() {
		if f.Name == name {
			return t.Apply(&f, x)
		}
	}
	panic("dist: no function " + name)
}

func (t *tape) Apply(f *def.Func, x def.Value) def.Value {
	return t.emit(instruction{op: function, a: x, fn: f})
}

// Call writes an operation of the language as steps.
func (t *tape) Call(name string, in ...def.Value) def.Value {
	one := t.Number(1)
	switch name {
	case "lt":
		return t.emit(instruction{op: less, a: in[0], b: in[1]})
	case "le":
		return t.emit(instruction{op: lessEqual, a: in[0], b: in[1]})
	case "eq":
		return t.emit(instruction{op: equal, a: in[0], b: in[1]})
	case "gt":
		return t.Call("lt", in[1], in[0])
	case "ge":
		return t.Call("le", in[1], in[0])
	case "ne":
		return t.Sub(one, t.Call("eq", in...))
	case "not":
		return t.Call("eq", in[0], t.Number(0))
	case "and":
		return t.Mul(t.Call("ne", in[0], t.Number(0)), t.Call("ne", in[1], t.Number(0)))
	case "or":
		return t.Sub(one, t.Mul(t.Call("not", in[0]), t.Call("not", in[1])))
	case "where":
		return t.Add(t.emit(instruction{op: chosen, a: in[0], b: in[1]}),
			t.emit(instruction{op: chosen, a: t.Call("not", in[0]), b: in[2]}))
	case "max":
		return t.Call("where", t.Call("ge", in...), in[0], in[1])
	case "min":
		return t.Call("where", t.Call("le", in...), in[0], in[1])
	case "pow":
		return t.emit(instruction{op: raised, a: in[0], b: in[1]})
	case "log_sum_exp":
		high, low := t.Call("max", in...), t.Call("min", in...)
		return t.Call("where", t.Call("eq", low, t.Number(math.Inf(-1))), high,
			t.Add(high, t.Func("softplus", t.Sub(low, high))))
	}
	panic("dist: no operation " + name)
}

func (t *tape) Const(x def.Value) (float64, bool) {
	if x == t.fixed {
		return t.at, true
	}
	return t.steps[x].number, t.steps[x].op == number
}

// Argument is never known: the predictor behind a parameter is not seen here.
func (t *tape) Argument(string, def.Value) (def.Value, bool) { return unknown, false }

// Dims is that of one number for each row.
func (t *tape) Dims(def.Value) []int { return []int{1} }

func (t *tape) Sum(x def.Value, k float64) { t.terms = append(t.terms, term{k: k, x: x}) }
func (t *tape) Each(v float64)             { t.each += v }
func (t *tape) Least(x, bound def.Value)   { t.Sum(t.Apply(def.InsideBound, t.Sub(x, bound)), 1) }
func (t *tape) Most(x, bound def.Value)    { t.Sum(t.Apply(def.InsideBound, t.Sub(bound, x)), 1) }
func (t *tape) capture(v def.Value) def.Value {
	k := len(t.captured)
	for i, other := range t.captured {
		if v == other {
			k = i
		}
	}
	if k == len(t.captured) {
		t.captured = append(t.captured, v)
	}
	return t.emit(instruction{op: argument, a: def.Value(k + 1)})
}

// Split records each part as a density of its own, of what it reads of the whole.
func (t *tape) Split(by []def.Value, is func([]float64) bool,
	yes, no func(b def.DensityBuilder, of func(def.Value) def.Value)) bool {
	for i, write := range []func(def.DensityBuilder, func(def.Value) def.Value){yes, no} {
		part := &tape{fixed: unknown}
		write(part, part.capture)
		t.terms = append(t.terms, term{density: part.run, x: unknown, theta: part.captured, by: by, is: is,
			holds: i == 0})
	}
	return true
}

// Density records the form of another distribution in place, and calls one that has a loop.
func (t *tape) Density(d def.Dist, x def.Value, theta ...def.Value) {
	switch {
	case d.Carrier != nil:
		panic(fmt.Sprintf("dist: the carrier of %s is not that of the whole", d.Name))
	case d.Loop != "":
		t.terms = append(t.terms, term{density: d.LogDensity, x: x, theta: theta})
	case !t.form(&d, x, theta):
		panic("dist: " + d.Name + " has no form for a tape")
	}
}
