package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chainFunctions lists the functions of a step of a Hamiltonian Markov chain other than the leapfrog with a
// diagonal metric.
func chainFunctions() []function {
	return []function{noise(), noiseBack(), noiseStart(), noiseEnd(), welford(), balance(), raise(),
		denseStart(), denseEnd(), givenTurns(), pairTurns(), unitTurns(), unitPairTurns()}
}

// noise computes z = g + scale·e and returns Σ e².
func noise() function {
	k := function{name: "noise", params: "n int, z [n], from [n], e [n], scale float64", result: "float64"}
	k.emit = func(g *gen) {
		z, from, e, scale := g.ptr("z"), g.ptr("from"), g.ptr("e"), g.broadcast("scale")
		const unroll = 4
		sums := g.accumulators(1, unroll)
		g.reduce(g.integer("n"), unroll, sums, func(b *block) {
			x, y := g.load(b.element(e)), g.load(b.element(from))
			g.fma(y, scale, x)
			g.store(y, b.element(z))
			g.fma(b.acc[0], x, x)
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

// noiseBack computes w = adj + own and grad = scale·adj - e.
func noiseBack() function {
	k := function{name: "noiseBack", params: "n int, w [n], grad [n], adj [n], own [n], e [n], scale float64"}
	k.emit = func(g *gen) {
		w, grad, adj, own, e, scale := g.ptr("w"), g.ptr("grad"), g.ptr("adj"), g.ptr("own"), g.ptr("e"),
			g.broadcast("scale")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			a := g.load(element(adj, i, 0))
			g.store(g.add(a, g.load(element(own, i, 0))), element(w, i, 0))
			g.store(g.sub(g.mul(a, scale), g.load(element(e, i, 0))), element(grad, i, 0))
		})
	}
	return k
}

// noiseStart computes p' = p + half·(adj - mean), rotates x and p' around scale·mean, and sets z = from +
// scale·x1. It returns Σ x1².
func noiseStart() function {
	k := function{
		name: "noiseStart",
		params: "n int, p1 [n], x1 [n], z [n], p [n], x [n], adj [n], mean [n], from [n], scale float64, " +
			"half float64, less float64, cos float64, sin float64",
		result: "float64",
	}
	k.emit = func(g *gen) {
		p1, x1, z, p, x := g.ptr("p1"), g.ptr("x1"), g.ptr("z"), g.ptr("p"), g.ptr("x")
		adj, mean, from := g.ptr("adj"), g.ptr("mean"), g.ptr("from")
		scale, half, less, cos, sin := g.broadcast("scale"), g.broadcast("half"), g.broadcast("less"),
			g.broadcast("cos"), g.broadcast("sin")
		const unroll = 2
		sums := g.accumulators(1, unroll)
		g.reduce(g.integer("n"), unroll, sums, func(b *block) {
			m, q, y := g.load(b.element(mean)), g.load(b.element(p)), g.load(b.element(x))
			g.fma(q, half, g.sub(g.load(b.element(adj)), m))
			d := g.sub(y, g.mul(scale, m))
			g.fma(y, less, d)
			g.fma(y, sin, q)
			g.store(y, b.element(x1))
			g.store(g.sub(g.mul(cos, q), g.mul(sin, d)), b.element(p1))
			c := g.load(b.element(from))
			g.fma(c, scale, y)
			g.store(c, b.element(z))
			g.fma(b.acc[0], y, y)
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

// noiseEnd computes p1 = p + half·(adj - mean) and returns Σ p1².
func noiseEnd() function {
	k := function{name: "noiseEnd", params: "n int, p1 [n], p [n], adj [n], mean [n], half float64",
		result: "float64"}
	k.emit = func(g *gen) {
		p1, p, adj, mean, half := g.ptr("p1"), g.ptr("p"), g.ptr("adj"), g.ptr("mean"), g.broadcast("half")
		const unroll = 4
		sums := g.accumulators(1, unroll)
		g.reduce(g.integer("n"), unroll, sums, func(b *block) {
			q := g.load(b.element(p))
			g.fma(q, half, g.sub(g.load(b.element(adj)), g.load(b.element(mean))))
			g.store(q, b.element(p1))
			g.fma(b.acc[0], q, q)
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

// welford updates running means and sums of squared deviations by one vector.
func welford() function {
	k := function{name: "welford", params: "n int, mean [n], squares [n], x [n], share float64"}
	k.emit = func(g *gen) {
		mean, squares, x, share := g.ptr("mean"), g.ptr("squares"), g.ptr("x"), g.broadcast("share")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			v, m, s := g.load(element(x, i, 0)), g.load(element(mean, i, 0)), g.load(element(squares, i, 0))
			d := g.sub(v, m)
			g.fma(m, d, share)
			g.fma(s, d, g.sub(v, m))
			g.store(m, element(mean, i, 0))
			g.store(s, element(squares, i, 0))
		})
	}
	return k
}

// balance computes inverse = √(a/b) within bounds and root = 1/√inverse, where √(a/b) is positive and finite.
func balance() function {
	k := function{name: "balance",
		params: "n int, inverse [n], root [n], a [n], b [n], least float64, most float64"}
	k.emit = func(g *gen) {
		inverse, root, a, b := g.ptr("inverse"), g.ptr("root"), g.ptr("a"), g.ptr("b")
		least, most := g.broadcast("least"), g.broadcast("most")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			r := g.sqrt(g.div(g.load(element(a, i, 0)), g.load(element(b, i, 0))))
			within := g.min(g.max(r, least), most)
			above := g.pick(g.cmp(greater, r, konst(0)), within, g.load(element(inverse, i, 0)))
			chosen := g.pick(g.cmp(less, r, infBits), above, g.load(element(inverse, i, 0)))
			rooted := g.div(oneBits, g.sqrt(within))
			above = g.pick(g.cmp(greater, r, konst(0)), rooted, g.load(element(root, i, 0)))
			g.store(g.pick(g.cmp(less, r, infBits), above, g.load(element(root, i, 0))), element(root, i, 0))
			g.store(chosen, element(inverse, i, 0))
		})
	}
	return k
}

// raise sets inverse to share·a where that is more and finite, not above most, and root to 1/√inverse there.
func raise() function {
	k := function{name: "raise", params: "n int, inverse [n], root [n], a [n], share float64, most float64"}
	k.emit = func(g *gen) {
		inverse, root, a := g.ptr("inverse"), g.ptr("root"), g.ptr("a")
		share, most := g.broadcast("share"), g.broadcast("most")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			x := g.mul(share, g.load(element(a, i, 0)))
			v, r := g.load(element(inverse, i, 0)), g.load(element(root, i, 0))
			within := g.min(x, most)
			rooted := g.div(oneBits, g.sqrt(within))
			more := g.pick(g.cmp(greater, x, v), within, v)
			rooted = g.pick(g.cmp(greater, x, v), rooted, r)
			g.store(g.pick(g.cmp(less, x, infBits), more, v), element(inverse, i, 0))
			g.store(g.pick(g.cmp(less, x, infBits), rooted, r), element(root, i, 0))
		})
	}
	return k
}

// rowOf returns the product with p of the rows of a symmetric matrix that begin at element i + plus.
func (g *gen) rowOf(matrix, p, n, i reg.GPVirtual, plus int) vec {
	column, weight, left, stride := g.GP64(), g.copyReg(p), g.copyReg(n), g.bytes(g.copyReg(n))
	g.LEAQ(element(matrix, i, plus), column)
	acc := g.zero()
	loop := g.label("column")
	g.Label(loop)
	w := g.vec()
	g.VBROADCASTSD(at(weight, 0), w)
	g.fmaMem(acc, at(column, 0), w)
	g.ADDQ(stride, column)
	g.ADDQ(operand.Imm(8), weight)
	g.DECQ(left)
	g.JNE(label(loop))
	return acc
}

// denseStart computes p1 = p + half·d and x1 = x + eps·(matrix·p1).
func denseStart() function {
	k := function{name: "denseStart",
		params: "n int, p1 [n], x1 [n], p [n], x [n], d [n], matrix [n*n], half float64, eps float64"}
	k.emit = func(g *gen) {
		p1, x1, p, x, d, matrix := g.ptr("p1"), g.ptr("x1"), g.ptr("p"), g.ptr("x"), g.ptr("d"),
			g.ptr("matrix")
		n, half, eps := g.integer("n"), g.broadcast("half"), g.broadcast("eps")
		g.each(n, func(i reg.GPVirtual) {
			q := g.load(element(p, i, 0))
			g.fma(q, half, g.load(element(d, i, 0)))
			g.store(q, element(p1, i, 0))
		})
		g.each(n, func(i reg.GPVirtual) {
			v := g.rowOf(matrix, p1, n, i, 0)
			y := g.load(element(x, i, 0))
			g.fma(y, eps, v)
			g.store(y, element(x1, i, 0))
		})
	}
	return k
}

// denseEnd adds half·d to p, computes v = matrix·p, and returns Σ p·v.
func denseEnd() function {
	k := function{name: "denseEnd", params: "n int, p [n], v [n], d [n], matrix [n*n], half float64",
		result: "float64"}
	k.emit = func(g *gen) {
		p, v, d, matrix := g.ptr("p"), g.ptr("v"), g.ptr("d"), g.ptr("matrix")
		n, half := g.integer("n"), g.broadcast("half")
		g.each(n, func(i reg.GPVirtual) {
			q := g.load(element(p, i, 0))
			g.fma(q, half, g.load(element(d, i, 0)))
			g.store(q, element(p, i, 0))
		})
		sums := g.accumulators(1, 1)
		g.reduce(n, 1, sums, func(b *block) {
			y := g.rowOf(matrix, p, n, b.i, b.plus)
			g.store(y, b.element(v))
			g.fma(b.acc[0], y, g.load(b.element(p)))
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

// givenTurns is turns with velocities in place of momenta and masses; it adds to out.
func givenTurns() function {
	k := function{
		name: "givenTurns",
		params: "n int, out *[6]float64, rho [n], left [n], right [n], p1 [n], p2 [n], v0 " +
			"[n], v1 [n], v2 [n], v3 [n]",
	}
	k.emit = func(g *gen) {
		groups := [][]int{{0, 1, 2}}
		if !g.wide {
			groups = [][]int{{0}, {1}, {2}}
		}
		for _, group := range groups {
			g.turnProducts(group, "v0", "v1", "v2", "v3")
		}
	}
	return k
}

// turnProducts adds to the products of velocities with the sum of all momenta (0), of the left trajectory and
// the first of the right (1), and of the last of the left and the right trajectory (2).
func (g *gen) turnProducts(which []int, velocities ...string) {
	out, rho, left, right := g.ptr("out"), g.ptr("rho"), g.ptr("left"), g.ptr("right")
	p1, p2 := g.ptr("p1"), g.ptr("p2")
	var v [4]reg.GPVirtual
	for i, name := range velocities {
		v[i] = g.ptr(name)
	}
	ends := [3][2]int{{0, 3}, {0, 2}, {1, 3}}
	sums := g.accumulators(2*len(which), 1)
	g.reduce(g.integer("n"), 1, sums, func(b *block) {
		l, r := g.load(b.element(left)), g.load(b.element(right))
		whole := g.add(l, r)
		for i, w := range which {
			var against vec
			switch w {
			case 0:
				against = whole
			case 1:
				against = g.add(l, g.load(b.element(p2)))
			case 2:
				against = g.add(r, g.load(b.element(p1)))
			}
			for e := range 2 {
				g.fma(b.acc[2*i+e], g.load(b.element(v[ends[w][e]])), against)
			}
		}
		if which[len(which)-1] == 2 { // after the last reads: rho may be the same slice as an input
			g.store(whole, b.element(rho))
		}
	})
	for i, w := range which {
		for e := range 2 {
			to := operand.Mem{Base: out, Disp: 8 * (2*w + e)}
			sum := g.foldLanes(sums[2*i+e][0])
			g.VADDSD(to, sum, sum)
			g.VMOVSD(sum, to)
		}
	}
}

// pairTurns is turns for two trajectories of one state each.
func pairTurns() function {
	k := function{name: "pairTurns", params: "n int, out *[2]float64, rho [n], left [n], right [n], mass [n]"}
	k.emit = func(g *gen) {
		out, rho, left, right, mass := g.ptr("out"), g.ptr("rho"), g.ptr("left"), g.ptr("right"),
			g.ptr("mass")
		const unroll = 2
		sums := g.accumulators(2, unroll)
		g.reduce(g.integer("n"), unroll, sums, func(b *block) {
			l, r := g.load(b.element(left)), g.load(b.element(right))
			whole := g.add(l, r)
			v := g.mul(whole, g.load(b.element(mass)))
			g.fma(b.acc[0], l, v)
			g.fma(b.acc[1], r, v)
			g.store(whole, b.element(rho))
		})
		for i := range sums {
			g.VMOVSD(g.fold(sums[i]), operand.Mem{Base: out, Disp: 8 * i})
		}
	}
	return k
}

// unitTurns is turns with unit masses; it adds to out.
func unitTurns() function {
	k := function{name: "unitTurns",
		params: "n int, out *[6]float64, rho [n], left [n], right [n], p0 [n], p1 [n], p2 [n], p3 [n]"}
	k.emit = func(g *gen) {
		groups := [][]int{{0, 1, 2}}
		if !g.wide {
			groups = [][]int{{0}, {1}, {2}}
		}
		for _, group := range groups {
			g.turnProducts(group, "p0", "p1", "p2", "p3")
		}
	}
	return k
}

// unitPairTurns is pairTurns with unit masses.
func unitPairTurns() function {
	k := function{name: "unitPairTurns", params: "n int, out *[2]float64, rho [n], left [n], right [n]"}
	k.emit = func(g *gen) {
		out, rho, left, right := g.ptr("out"), g.ptr("rho"), g.ptr("left"), g.ptr("right")
		const unroll = 2
		sums := g.accumulators(2, unroll)
		g.reduce(g.integer("n"), unroll, sums, func(b *block) {
			l, r := g.load(b.element(left)), g.load(b.element(right))
			whole := g.add(l, r)
			g.fma(b.acc[0], l, whole)
			g.fma(b.acc[1], r, whole)
			g.store(whole, b.element(rho))
		})
		for i := range sums {
			g.VMOVSD(g.fold(sums[i]), operand.Mem{Base: out, Disp: 8 * i})
		}
	}
	return k
}
