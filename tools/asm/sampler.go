package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func samplers() []function {
	return []function{
		boxMuller(),
		adam(),
		leapfrogStart(),
		leapfrogEnd(),
		rotateStart(),
		rotateEnd(),
		turn(),
		turns(),
	}
}

// signMask selects the lanes whose sign bit is set.
func (g *gen) signMask(v vec) mask {
	if !g.wide {
		return mask{v: v}
	}
	k := g.K()
	g.VPMOVQ2M(v, k)
	return mask{k: k}
}

// unit turns the upper 52 bits of random words into numbers in [1, 2).
func (g *gen) unit(words vec) vec { return g.or(g.shr(words, 12), oneBits) }

// boxMuller returns two normals from two words: √(-2 log u)·cos 2πv and √(-2 log u)·sin 2πv.
func boxMuller() function {
	k := function{name: "boxMuller", params: "n int, y [n], other [n], u [n]uint64, v [n]uint64"}
	k.emit = func(g *gen) {
		y, other, u, v := g.ptr("y"), g.ptr("other"), g.ptr("u"), g.ptr("v")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			l := g.logNormal(g.sub(f(2), g.unit(g.load(element(u, i, 0)))))
			radius := g.sqrt(g.mul(l, f(-2)))
			turn := g.mul(g.sub(g.unit(g.load(element(v, i, 0))), f(1.5)), f(4))
			t := g.add(turn, f(magic))
			rest := g.sub(turn, g.sub(t, f(magic)))
			z := g.mul(rest, rest)
			sine := g.polynomial(z, sinTail)
			g.horner(sine, z, f(halfPi))
			sine = g.mul(sine, rest)
			cosine := g.polynomial(z, cosTail)
			g.horner(cosine, z, oneBits)
			odd := g.signMask(g.shl(t, 63))
			c, s := g.pick(odd, sine, cosine), g.pick(odd, cosine, sine)
			c = g.xor(c, g.and(g.shl(g.addInt(t, konst(1)), 62), signBit))
			s = g.xor(s, g.and(g.shl(t, 62), signBit))
			g.store(g.mul(radius, c), element(y, i, 0))
			g.store(g.mul(radius, s), element(other, i, 0))
		})
	}
	return k
}

// inverseRoot returns 1/√x to 8·10⁻⁷ of its value for x > 0, normal and finite, several times as fast as the
// instructions: an estimate from the bits of x, and one step, of the third order in its error.
func (g *gen) inverseRoot(x vec) vec {
	r := g.subInt(konst(rootGuess), g.shr(x, 1))
	e := g.fnmaOf(g.mul(x, r), r, oneBits)
	return g.mul(g.polynomial(e, rootSeries), r)
}

// rootGuess minus half the bits of x are the bits of 1/√x within 3.5 % (Lomont 2003).
const rootGuess = 0x5fe6eb50c7b537a9

// rootSeries is the polynomial nearest to 1/√(1-e), in the largest relative error, for the e that the
// estimate leaves, -0.0692 to 0.0676.
var rootSeries = []float64{0.9999992536241897, 0.5000004234440376, 0.3762790102392069, 0.3130540588477246}

const halfPi = 1.57079632679489661923

func adam() function {
	k := function{name: "adam",
		params: "n int, x [n], m [n], v [n], d [n], scale float64, least float64, " +
			"beta1 float64, beta2 float64"}
	k.emit = func(g *gen) {
		x, m, v, d := g.ptr("x"), g.ptr("m"), g.ptr("v"), g.ptr("d")
		scale, least, beta1, beta2 := g.broadcast("scale"), g.broadcast("least"), g.broadcast("beta1"),
			g.broadcast("beta2")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			slope := g.load(element(d, i, 0))
			second := g.mul(beta2, g.load(element(v, i, 0)))
			g.fma(second, slope, slope)
			g.store(second, element(v, i, 0))
			g.fma(slope, beta1, g.load(element(m, i, 0)))
			g.store(slope, element(m, i, 0))
			y := g.load(element(x, i, 0))
			g.fma(y, slope, g.inverseRoot(g.fmaOf(second, scale, least)))
			g.store(y, element(x, i, 0))
		})
	}
	return k
}

// leapfrogStart computes p1 = p + half·d and x1 = x + eps·(inverse mass·p1).
func leapfrogStart() function {
	k := function{name: "leapfrogStart",
		params: "n int, p1 [n], x1 [n], p [n], x [n], d [n], mass [n], half float64, eps float64"}
	k.emit = func(g *gen) {
		p1, x1, p, x, d, mass := g.ptr("p1"), g.ptr("x1"), g.ptr("p"), g.ptr("x"), g.ptr("d"), g.ptr("mass")
		half, eps := g.broadcast("half"), g.broadcast("eps")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			q := g.load(element(p, i, 0))
			g.fma(q, half, g.load(element(d, i, 0)))
			y := g.load(element(x, i, 0))
			g.fma(y, eps, g.mul(g.load(element(mass, i, 0)), q))
			g.store(q, element(p1, i, 0))
			g.store(y, element(x1, i, 0))
		})
	}
	return k
}

// leapfrogEnd computes p1 = p + half·d and returns Σ inverse mass·p1².
func leapfrogEnd() function {
	k := function{name: "leapfrogEnd", params: "n int, p1 [n], p [n], d [n], mass [n], half float64",
		result: "float64"}
	k.emit = func(g *gen) {
		p1, p, d, mass, half := g.ptr("p1"), g.ptr("p"), g.ptr("d"), g.ptr("mass"), g.broadcast("half")
		const unroll = 4
		sums := g.accumulators(1, unroll)
		g.reduce(g.integer("n"), unroll, sums, func(b *block) {
			q := g.load(b.element(p))
			g.fma(q, half, g.load(b.element(d)))
			g.store(q, b.element(p1))
			g.fma(b.acc[0], g.mul(g.load(b.element(mass)), q), q)
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

// rotateStart computes p' = p + half·(d + v) and rotates: x1 = x + less·(x - mean) + sin·(inverse mass·p'),
// v1 = cos·v + sin·p', p1 = cos·p' - sin·v.
func rotateStart() function {
	k := function{
		name: "rotateStart",
		params: "n int, p1 [n], x1 [n], v1 [n], p [n], x [n], v [n], d [n], mean [n], mass [n], half " +
			"float64, less float64, cos float64, sin float64",
	}
	k.emit = func(g *gen) {
		p1, x1, v1, p, x, v := g.ptr("p1"), g.ptr("x1"), g.ptr("v1"), g.ptr("p"), g.ptr("x"), g.ptr("v")
		d, mean, mass := g.ptr("d"), g.ptr("mean"), g.ptr("mass")
		half, less, cos, sin := g.broadcast("half"), g.broadcast("less"), g.broadcast("cos"),
			g.broadcast("sin")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			q, u, y := g.load(element(p, i, 0)), g.load(element(v, i, 0)), g.load(element(x, i, 0))
			g.fma(q, half, g.add(u, g.load(element(d, i, 0))))
			g.fma(y, less, g.sub(y, g.load(element(mean, i, 0))))
			g.fma(y, sin, g.mul(q, g.load(element(mass, i, 0))))
			g.store(y, element(x1, i, 0))
			g.store(g.sub(g.mul(cos, q), g.mul(sin, u)), element(p1, i, 0))
			w := g.mul(cos, u)
			g.fma(w, sin, q)
			g.store(w, element(v1, i, 0))
		})
	}
	return k
}

// rotateEnd computes p1 = p + half·(d + v) and returns Σ inverse mass·p1².
func rotateEnd() function {
	k := function{name: "rotateEnd", params: "n int, p1 [n], p [n], v [n], d [n], mass [n], half float64",
		result: "float64"}
	k.emit = func(g *gen) {
		p1, p, v, d, mass, half := g.ptr("p1"), g.ptr("p"), g.ptr("v"), g.ptr("d"), g.ptr("mass"),
			g.broadcast("half")
		const unroll = 4
		sums := g.accumulators(1, unroll)
		g.reduce(g.integer("n"), unroll, sums, func(b *block) {
			q := g.load(b.element(p))
			g.fma(q, half, g.add(g.load(b.element(v)), g.load(b.element(d))))
			g.store(q, b.element(p1))
			g.fma(b.acc[0], g.mul(g.load(b.element(mass)), q), q)
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

// turn computes x1 += less·(x - mean), v1 = cos·v + sin·p and p = cos·p - sin·v.
func turn() function {
	k := function{
		name: "turn",
		params: "n int, x1 [n], v1 [n], p [n], x [n], v [n], mean [n], less float64, " +
			"cos float64, sin float64",
	}
	k.emit = func(g *gen) {
		x1, v1, p, x, v, mean := g.ptr("x1"), g.ptr("v1"), g.ptr("p"), g.ptr("x"), g.ptr("v"), g.ptr("mean")
		less, cos, sin := g.broadcast("less"), g.broadcast("cos"), g.broadcast("sin")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			q, u, y := g.load(element(p, i, 0)), g.load(element(v, i, 0)), g.load(element(x1, i, 0))
			g.fma(y, less, g.sub(g.load(element(x, i, 0)), g.load(element(mean, i, 0))))
			g.store(y, element(x1, i, 0))
			g.store(g.sub(g.mul(cos, q), g.mul(sin, u)), element(p, i, 0))
			w := g.mul(cos, u)
			g.fma(w, sin, q)
			g.store(w, element(v1, i, 0))
		})
	}
	return k
}

// turns computes the six products of the U-turn criterion for two adjacent trajectories.
func turns() function {
	k := function{
		name: "turns",
		params: "n int, out *[6]float64, rho [n], left [n], right [n], p0 [n], p1 [n], " +
			"p2 [n], p3 [n], mass [n]",
	}
	k.emit = func(g *gen) {
		groups := [][]int{{0, 1, 2, 3, 4, 5}}
		if !g.wide {
			groups = [][]int{{0, 1}, {2, 3}, {4, 5}}
		}
		for _, group := range groups {
			g.turnSums(group)
		}
	}
	return k
}

func (g *gen) turnSums(which []int) {
	out := g.ptr("out")
	rho, left, right, mass := g.ptr("rho"), g.ptr("left"), g.ptr("right"), g.ptr("mass")
	var p [4]reg.GPVirtual
	for i := range p {
		p[i] = g.ptr(fmt.Sprintf("p%d", i))
	}
	sums := g.accumulators(len(which), 1)
	g.reduce(g.integer("n"), 1, sums, func(b *block) {
		l, r, m := g.load(b.element(left)), g.load(b.element(right)), g.load(b.element(mass))
		whole := g.add(l, r)
		against := [3]func() vec{
			func() vec { return g.mul(m, whole) },
			func() vec { return g.mul(m, g.add(l, g.load(b.element(p[2])))) },
			func() vec { return g.mul(m, g.add(r, g.load(b.element(p[1])))) },
		}
		ends := [3][2]int{{0, 3}, {0, 2}, {1, 3}}
		for i := 0; i < len(which); i += 2 {
			c := which[i] / 2
			v := against[c]()
			for e := range 2 {
				g.fma(b.acc[i+e], g.load(b.element(p[ends[c][e]])), v)
			}
		}
		if which[len(which)-1] == 5 { // after the last reads: rho may be the same slice as an input
			g.store(whole, b.element(rho))
		}
	})
	for i, w := range which {
		g.VMOVSD(g.foldLanes(sums[i][0]), operand.Mem{Base: out, Disp: 8 * w})
	}
}
