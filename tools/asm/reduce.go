package main

import "github.com/mmcloughlin/avo/reg"

// reduction returns a function that computes one sum over n elements of its vector parameters, with 32
// partial sums.
func reduction(name, params string, body func(g *gen, in []vec, acc vec)) function {
	k := function{name: name, params: "n int, " + params, result: "float64"}
	k.emit = func(g *gen) {
		var from []reg.GPVirtual
		for _, p := range k.list()[1:] {
			from = append(from, g.ptr(p.name))
		}
		const unroll = 4
		sums := g.accumulators(1, unroll)
		g.reduce(g.integer("n"), unroll, sums, func(b *block) {
			var in []vec
			for _, p := range from {
				in = append(in, g.load(b.element(p)))
			}
			body(g, in, b.acc[0])
		})
		g.result(g.fold(sums[0]))
	}
	return k
}

func reductions() []function {
	return []function{
		reduction("sum", "a [n]", func(g *gen, in []vec, acc vec) { g.VADDPD(in[0], acc, acc) }),
		reduction("dot", "a [n], b [n]", func(g *gen, in []vec, acc vec) { g.fma(acc, in[0], in[1]) }),
	}
}
