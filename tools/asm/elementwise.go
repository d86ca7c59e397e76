package main

import (
	"slices"

	"github.com/mmcloughlin/avo/reg"
)

// A lane computes one vector of the destination from the sources, in the order of their parameters.
type lane func(g *gen, in []vec) vec

// mapped returns an elementwise function. Its parameters are the destination y and the sources, vectors or
// scalars by type. An accumulating function has y as its first source.
func mapped(name, sources string, accumulating bool, body lane) function {
	k := function{name: name, params: "n int, y [n]"}
	if sources != "" {
		k.params += ", " + sources
	}
	k.emit = func(g *gen) {
		type loader func(i reg.GPVirtual) vec
		y, n := g.ptr("y"), g.integer("n")
		var load []loader
		if accumulating {
			load = append(load, func(i reg.GPVirtual) vec { return g.load(element(y, i, 0)) })
		}
		for _, p := range k.list()[2:] {
			if p.length == "" {
				s := g.broadcast(p.name)
				load = append(load, func(reg.GPVirtual) vec { return s })
				continue
			}
			a := g.ptr(p.name)
			load = append(load, func(i reg.GPVirtual) vec { return g.load(element(a, i, 0)) })
		}
		g.each(n, func(i reg.GPVirtual) {
			var in []vec
			for _, l := range load {
				in = append(in, l(i))
			}
			g.store(body(g, in), element(y, i, 0))
		})
	}
	return k
}

func elementwise() []function {
	const set, onto = false, true
	all := []function{
		mapped("accumulate", "a [n]", onto, func(g *gen, in []vec) vec { return g.add(in[0], in[1]) }),
		mapped("shift", "s float64", onto, func(g *gen, in []vec) vec { return g.add(in[0], in[1]) }),
		mapped("axpy", "s float64, a [n]", onto, func(g *gen, in []vec) vec {
			return g.fmaOf(in[1], in[2], in[0])
		}),
		mapped("approach", "s float64, a [n]", onto, func(g *gen, in []vec) vec {
			return g.fmaOf(in[1], g.sub(in[2], in[0]), in[0])
		}),
		mapped("mulAdd", "a [n], b [n]", onto, func(g *gen, in []vec) vec {
			return g.fmaOf(in[1], in[2], in[0])
		}),
		mapped("fill", "s float64", set, func(g *gen, in []vec) vec { return in[0] }),
		mapped("add", "a [n], b [n]", set, func(g *gen, in []vec) vec { return g.add(in[0], in[1]) }),
		mapped("addScalar", "a [n], s float64", set, func(g *gen, in []vec) vec {
			return g.add(in[0], in[1])
		}),
		mapped("sub", "a [n], b [n]", set, func(g *gen, in []vec) vec { return g.sub(in[0], in[1]) }),
		mapped("subFrom", "s float64, b [n]", set, func(g *gen, in []vec) vec { return g.sub(in[0], in[1]) }),
		mapped("mul", "a [n], b [n]", set, func(g *gen, in []vec) vec { return g.mul(in[0], in[1]) }),
		mapped("scale", "a [n], s float64", set, func(g *gen, in []vec) vec { return g.mul(in[0], in[1]) }),
		mapped("div", "a [n], b [n]", set, func(g *gen, in []vec) vec { return g.div(in[0], in[1]) }),
		mapped("divScalar", "a [n], s float64", set, func(g *gen, in []vec) vec {
			return g.div(in[0], in[1])
		}),
		mapped("divInto", "s float64, b [n]", set, func(g *gen, in []vec) vec { return g.div(in[0], in[1]) }),
		mapped("neg", "a [n]", set, func(g *gen, in []vec) vec { return g.xor(in[0], signBit) }),
		mapped("fma", "a [n], b [n], c [n]", set, func(g *gen, in []vec) vec {
			return g.fmaOf(in[0], in[1], in[2])
		}),
		mapped("mix", "a [n], b [n], c [n]", set, func(g *gen, in []vec) vec {
			return g.fmaOf(in[0], in[1], g.fnmaOf(in[0], in[2], in[2]))
		}),
		mixBack(),
		mapped("scaleAdd", "s float64, a [n], b [n]", set, func(g *gen, in []vec) vec {
			return g.fmaOf(in[0], in[1], in[2])
		}),
		mapped("choose", "c [n], a [n], b [n]", set, func(g *gen, in []vec) vec {
			return g.pick(g.cmp(equal, in[0], konst(0)), in[2], in[1])
		}),
		mapped("weight", "a [n], w [n]", set, func(g *gen, in []vec) vec {
			return g.only(g.cmp(unequal, in[1], konst(0)), g.mul(in[0], in[1]))
		}),
		mapped("sqrt", "a [n]", set, func(g *gen, in []vec) vec { return g.sqrt(in[0]) }),
		mapped("relu", "a [n]", set, func(g *gen, in []vec) vec { return g.max(konst(0), in[0]) }),
		mapped("tanhBack", "d [n], t [n]", set, func(g *gen, in []vec) vec {
			return g.mul(in[0], g.fnmaOf(in[1], in[1], oneBits))
		}),
		mapped("sigmoidBack", "d [n], s [n]", set, func(g *gen, in []vec) vec {
			return g.mul(in[0], g.fnmaOf(in[1], in[1], in[1]))
		}),
		mapped("reluBack", "d [n], r [n]", set, func(g *gen, in []vec) vec {
			return g.only(g.cmp(greater, in[1], konst(0)), in[0])
		}),
	}
	for i := range all {
		all[i].body = light
	}
	return all
}

// mixBack adds the partials of mix, times those of its result.
func mixBack() function {
	return function{name: "mixBack", params: "n int, da [n], db [n], dc [n], d [n], a [n], b [n], c [n]",
		emit: func(g *gen) {
			da, db, dc, n := g.ptr("da"), g.ptr("db"), g.ptr("dc"), g.integer("n")
			d, a, b, c := g.ptr("d"), g.ptr("a"), g.ptr("b"), g.ptr("c")
			g.each(n, func(i reg.GPVirtual) {
				v, share := g.load(element(d, i, 0)), g.load(element(a, i, 0))
				add := func(to reg.Register, x vec) {
					g.store(g.fmaOf(v, x, g.load(element(to, i, 0))), element(to, i, 0))
				}
				add(da, g.sub(g.load(element(b, i, 0)), g.load(element(c, i, 0))))
				add(db, share)
				add(dc, g.sub(oneBits, share))
			})
		}}
}

// of returns an elementwise function of one argument.
func of(name string, fn func(*gen, vec) vec) function {
	return mapped(name, "a [n]", false, func(g *gen, in []vec) vec { return fn(g, in[0]) })
}

// log1mExpOdds also writes the odds of e^x, where they are wanted.
func log1mExpOdds() function {
	return function{name: "log1mExp", params: "n int, y [n], odds [n]?, a [n]", emit: func(g *gen) {
		y, odds, a, n := g.ptr("y"), g.ptr("odds"), g.ptr("a"), g.integer("n")
		g.each(n, func(i reg.GPVirtual) {
			g.store(g.log1mExp(g.load(element(a, i, 0)), func(z, u vec) {
				g.wanted(odds, i, func() vec { return g.div(z, u) })
			}), element(y, i, 0))
		})
	}}
}

// logPhiSlope writes the slope of log Φ and Φ, each where it is wanted.
func logPhiSlope() function {
	return function{name: "logPhiSlope", params: "n int, y [n]?, phi [n]?, a [n]", emit: func(g *gen) {
		y, phi, a, n := g.ptr("y"), g.ptr("phi"), g.ptr("a"), g.integer("n")
		g.each(n, func(i reg.GPVirtual) {
			t := g.normalTail(g.load(element(a, i, 0)))
			g.wanted(y, i, func() vec { return g.logPhiSlopeOf(t) })
			g.wanted(phi, i, func() vec { return g.pick(t.positive, g.sub(oneBits, t.tail), t.tail) })
		})
	}}
}

// wanted stores a vector unless there is nowhere to.
func (g *gen) wanted(to, i reg.GPVirtual, v func() vec) {
	skip := g.label("skip")
	g.TESTQ(to, to)
	g.JEQ(label(skip))
	g.store(v(), element(to, i, 0))
	g.Label(skip)
}

func elementary() []function {
	all := []function{
		of("exp", (*gen).exp),
		of("expm1", (*gen).expm1),
		of("log", (*gen).log),
		of("log1p", (*gen).log1p),
		of("sigmoid", (*gen).sigmoid),
		of("tanh", (*gen).tanh),
		of("log1pExp", (*gen).log1pExp),
		log1mExpOdds(),
		of("lgamma", (*gen).lgamma),
		of("digamma", (*gen).digamma),
		of("logPhi", (*gen).logPhi),
		logPhiSlope(),
		of("sine", (*gen).sine),
		of("cosine", (*gen).cosine),
		mapped("risingValue", "a [n], k [n]", false, func(g *gen, in []vec) vec {
			return g.risingValue(in[0], in[1])
		}),
		mapped("risingSlope", "a [n], k [n]", false, func(g *gen, in []vec) vec {
			return g.risingSlope(in[0], in[1])
		}),
	}
	for i := range all {
		if !slices.Contains(twice, all[i].name) {
			all[i].body = heavy
		}
	}
	return all
}

// twice are the functions that runs call most: on amd64 complete vectors have a body of their own.
var twice = []string{"exp", "expm1", "log", "log1p", "log1pExp", "sigmoid", "tanh"}
