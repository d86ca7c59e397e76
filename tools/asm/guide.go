package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// guideFunctions lists the functions that only the guides of variational inference use.
func guideFunctions() []function {
	return []function{
		guideDraw(), guideDrawSloped(), guideDrawApart(),
		guideBack(), guideBackSloped(), guideBackApart(), guideBackNet(),
	}
}

// A draw is what all functions that draw have in common: from the mean of e to z and the terms of the sum.
type draw struct {
	s, e, z, logs, eps, g reg.GPVirtual
	rho, sign             vec
}

func (g *gen) newDraw() draw {
	return draw{g.ptr("s"), g.ptr("e"), g.ptr("z"), g.ptr("logs"), g.ptr("eps"), g.ptr("cut"),
		g.broadcast("rho"), g.broadcast("sign")}
}

// from draws, given the mean of e, which it overwrites.
func (g *gen) from(d draw, b *block, mean func() vec) {
	l := g.load(b.element(d.logs))
	sd := g.mul(g.exp(l), d.sign)
	g.store(sd, b.element(d.s))
	x, y := g.load(b.element(d.eps)), mean()
	g.fma(y, sd, x)
	g.store(y, b.element(d.e))
	z := g.load(b.element(d.g))
	g.fma(z, d.rho, y)
	g.store(z, b.element(d.z))
	square := g.mul(x, x)
	g.fnma(square, y, y)
	g.fma(l, square, f(0.5))
	g.VADDPD(l, b.acc[0], b.acc[0])
}

func guideDraw() function {
	k := function{name: "guideDraw",
		params: "n int, s [n], e [n], z [n], mean [n], logs [n], eps [n], cut [n], rho float64, sign float64",
		result: "float64"}
	k.emit = func(g *gen) {
		d, mean := g.newDraw(), g.ptr("mean")
		sums := g.accumulators(1, 1)
		g.reduce(g.integer("n"), 1, sums, func(b *block) {
			g.from(d, b, func() vec { return g.load(b.element(mean)) })
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

func guideDrawSloped() function {
	k := function{name: "guideDrawSloped",
		params: "n int, s [n], e [n], z [n], diff [n], mean [n], slope [n], logs [n], eps [n], cut [n], " +
			"centre [n], rho float64, sign float64", result: "float64"}
	k.emit = func(g *gen) {
		d, diff, mean, slope, centre := g.newDraw(), g.ptr("diff"), g.ptr("mean"), g.ptr("slope"),
			g.ptr("centre")
		sums := g.accumulators(1, 1)
		g.reduce(g.integer("n"), 1, sums, func(b *block) {
			g.from(d, b, func() vec {
				apart := g.sub(g.load(b.element(d.g)), g.load(b.element(centre)))
				g.store(apart, b.element(diff))
				m := g.load(b.element(mean))
				g.fma(m, g.load(b.element(slope)), apart)
				return m
			})
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

func guideDrawApart() function {
	k := function{name: "guideDrawApart",
		params: "n int, s [n], e [n], z [n], mean [n], logs [n], eps [n], cut [n], centre [n], rho " +
			"float64, sign float64, precision float64", result: "float64"}
	k.emit = func(g *gen) {
		d, mean, centre, precision := g.newDraw(), g.ptr("mean"), g.ptr("centre"), g.broadcast("precision")
		sums := g.accumulators(1, 1)
		g.reduce(g.integer("n"), 1, sums, func(b *block) {
			g.from(d, b, func() vec {
				m := g.load(b.element(mean))
				g.fma(m, precision, g.sub(g.load(b.element(centre)), g.load(b.element(d.g))))
				return m
			})
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

// A pullback is what all functions that go back have in common: the derivatives by e, by its mean and by log
// s.
type pullback struct {
	adj, e, s, eps reg.GPVirtual
	rho, weight    vec
}

func (g *gen) newPullback() pullback {
	return pullback{g.ptr("adj"), g.ptr("e"), g.ptr("s"), g.ptr("eps"), g.broadcast("rho"),
		g.broadcast("weight")}
}

// back returns adj and the derivatives, which count weight times.
func (g *gen) back(p pullback, b *block) (adj, de, dmean, dlogs vec) {
	x, sd := g.load(b.element(p.eps)), g.load(b.element(p.s))
	adj = g.load(b.element(p.adj))
	raw := g.sub(g.mul(adj, p.rho), g.load(b.element(p.e)))
	dmean = g.mul(g.add(raw, g.div(x, sd)), p.weight)
	return adj, g.mul(raw, p.weight), dmean, g.mul(g.mul(sd, x), dmean)
}

// squares adds squares to the sum of a block.
func (g *gen) squares(b *block, of ...vec) {
	sum := g.mul(of[0], of[0])
	for _, v := range of[1:] {
		g.fma(sum, v, v)
	}
	g.count(b.acc[0], sum)
}

func guideBack() function {
	k := function{name: "guideBack",
		params: "n int, w [n], dmean [n], dlogs [n], rho float64, weight float64, adj [n], own " +
			"[n], e [n], s [n], eps [n]", result: "float64"}
	k.emit = func(g *gen) {
		p, w, dmean, dlogs, own := g.newPullback(), g.ptr("w"), g.ptr("dmean"), g.ptr("dlogs"), g.ptr("own")
		sums := g.accumulators(1, 1)
		g.reduce(g.integer("n"), 1, sums, func(b *block) {
			adj, _, dm, dl := g.back(p, b)
			g.store(dm, b.element(dmean))
			g.store(dl, b.element(dlogs))
			g.store(g.add(adj, g.load(b.element(own))), b.element(w))
			g.squares(b, dm, dl)
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

func guideBackSloped() function {
	k := function{name: "guideBackSloped",
		params: "n int, w [n], seed [n], dmean [n], dslope [n], dlogs [n], rho float64, weight float64, " +
			"adj [n], own [n], e [n], s [n], eps [n], diff [n], slope [n]", result: "float64"}
	k.emit = func(g *gen) {
		p, slope := g.newPullback(), g.ptr("slope")
		sums := g.accumulators(1, 1)
		g.reduce(g.integer("n"), 1, sums, func(b *block) {
			// there are fewer registers than arrays
			at := func(name string) operand.Mem { return b.element(g.ptr(name)) }
			adj, de, dm, dl := g.back(p, b)
			g.store(dm, at("dmean"))
			g.store(dl, at("dlogs"))
			ds := g.mul(dm, g.load(at("diff")))
			g.store(ds, at("dslope"))
			a := g.load(b.element(slope))
			w := g.add(adj, g.load(at("own")))
			g.fma(w, a, de)
			g.store(w, at("w"))
			g.store(g.xor(g.mul(a, dm), signBit), at("seed"))
			g.squares(b, dm, ds, dl)
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

func guideBackApart() function {
	k := function{name: "guideBackApart",
		params: "n int, w [n], seed [n], dmean [n], dlogs [n], rho float64, weight float64, precision " +
			"float64, adj [n], own [n], e [n], s [n], eps [n]", result: "float64"}
	k.emit = func(g *gen) {
		p, w, seed, dmean, dlogs, own := g.newPullback(), g.ptr("w"), g.ptr("seed"), g.ptr("dmean"),
			g.ptr("dlogs"), g.ptr("own")
		precision := g.broadcast("precision")
		both := g.mul(p.weight, precision)
		sums := g.accumulators(1, 1)
		g.reduce(g.integer("n"), 1, sums, func(b *block) {
			_, _, dm, dl := g.back(p, b)
			g.store(dm, b.element(dmean))
			g.store(dl, b.element(dlogs))
			g.store(g.mul(dm, precision), b.element(seed))
			to := g.load(b.element(own))
			g.fma(to, both, g.load(b.element(p.e)))
			g.store(to, b.element(w))
			g.squares(b, dm, dl)
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

func guideBackNet() function {
	k := function{name: "guideBackNet",
		params: "n int, w [n], dmean [n], dlogs [n], imean [n], ilogs [n], rho float64, weight float64, " +
			"adj [n], own [n], e [n], s [n], eps [n]"}
	k.emit = func(g *gen) {
		p, w, own := g.newPullback(), g.ptr("w"), g.ptr("own")
		dmean, dlogs, imean := g.ptr("dmean"), g.ptr("dlogs"), g.ptr("imean")
		g.reduce(g.integer("n"), 1, nil, func(b *block) {
			adj, de, dm, dl := g.back(p, b)
			g.store(dm, b.element(dmean))
			g.store(dl, b.element(dlogs))
			g.store(de, b.element(imean))
			path := g.mul(g.mul(g.load(b.element(p.s)), g.load(b.element(p.eps))), de)
			g.store(g.add(path, p.weight), b.element(g.ptr("ilogs")))
			g.store(g.add(adj, g.load(b.element(own))), b.element(w))
		})
	}
	return k
}
