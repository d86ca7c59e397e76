package main

import "github.com/mmcloughlin/avo/reg"

// guideFunctions lists the functions that only the guides of variational inference use.
func guideFunctions() []function {
	return []function{guideDraw(), guideGradient()}
}

func guideDraw() function {
	k := function{name: "guideDraw", params: "n int, s [n], e [n], mean [n], logs [n], eps [n]", result: "float64"}
	k.emit = func(g *gen) {
		s, e, mean, logs, eps := g.ptr("s"), g.ptr("e"), g.ptr("mean"), g.ptr("logs"), g.ptr("eps")
		sums := g.accumulators(1, 1)
		g.reduce(g.integer("n"), 1, sums, func(b *block) {
			l := g.load(b.element(logs))
			sd := g.exp(l)
			g.store(sd, b.element(s))
			x, y := g.load(b.element(eps)), g.load(b.element(mean))
			g.fma(y, sd, x)
			g.store(y, b.element(e))
			acc := b.acc[0]
			g.VADDPD(l, acc, acc)
			g.fma(acc, g.mul(x, f(0.5)), x)
			g.fnma(acc, g.mul(y, f(0.5)), y)
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

func guideGradient() function {
	k := function{name: "guideGradient", params: "n int, de [n], dmean [n], dlogs [n], rho float64, adj [n], e [n], s [n], eps [n]"}
	k.emit = func(g *gen) {
		de, dmean, dlogs := g.ptr("de"), g.ptr("dmean"), g.ptr("dlogs")
		adj, e, s, eps := g.ptr("adj"), g.ptr("e"), g.ptr("s"), g.ptr("eps")
		rho := g.broadcast("rho")
		g.each(g.integer("n"), func(i reg.GPVirtual) {
			x, sd := g.load(element(eps, i, 0)), g.load(element(s, i, 0))
			back := g.sub(g.mul(g.load(element(adj, i, 0)), rho), g.load(element(e, i, 0)))
			d := g.add(back, g.div(x, sd))
			g.store(back, element(de, i, 0))
			g.store(d, element(dmean, i, 0))
			g.store(g.mul(g.mul(sd, x), d), element(dlogs, i, 0))
		})
	}
	return k
}
