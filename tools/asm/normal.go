package main

const inverseRoot2Pi = 0.39894228040143267794

// A normalTail is what log Φ and its derivative have in common: with t = |x|, the Mills ratio (1 -
// Φ(t))/φ(t), the density times √(2π), and 1 - Φ(t); low is the rounding error of t².
type normalTail struct {
	positive             mask
	ratio, density, tail vec
	low                  vec
}

func (g *gen) normalTail(x vec) normalTail {
	t := g.abs(x)
	q := g.sub(oneBits, g.div(f(10), g.add(t, f(5))))
	ratio := g.div(g.evenOdd(q, g.mul(q, q), millsSeries), g.add(t, oneBits))
	t = g.min(f(0x1p500), t)
	s := g.mul(t, t)
	low := g.lost(t, t, s)
	z := g.exp(g.mul(s, f(-0.5)))
	g.fma(z, g.mul(z, low), f(-0.5))
	tail := g.mul(z, g.mul(ratio, f(inverseRoot2Pi)))
	return normalTail{g.cmp(greater, x, konst(0)), ratio, z, tail, low}
}

// logPhi is -x²/2 + log(ratio/√(2π)) for x ≤ 0, and log(1 - tail) above.
func (g *gen) logPhi(x vec) vec { return g.logPhiOf(g.normalTail(x), func() vec { return x }) }

func (g *gen) logPhiOf(n normalTail, x func() vec) vec {
	k, m := g.logSplit(g.pick(n.positive, g.sub(oneBits, n.tail), g.mul(n.ratio, f(inverseRoot2Pi))))
	near := g.cmp(less, n.tail, g.pick(n.positive, g.reg(f(0.2928)), f(-1)))
	k = g.pick(near, konst(0), k)
	m = g.pick(near, g.xor(n.tail, signBit), m)
	y := g.logOf(k, m)
	below := g.fmaOf(n.low, f(-0.5), y)
	again := x()
	g.fma(below, g.mul(again, again), f(-0.5))
	return g.pick(n.positive, y, below)
}

// logPhiSlopeOf is φ(x)/Φ(x): 1/ratio for x ≤ 0, and density/(1 - tail) above.
func (g *gen) logPhiSlopeOf(n normalTail) vec {
	above := g.mul(n.density, f(inverseRoot2Pi))
	return g.div(g.pick(n.positive, above, oneBits), g.pick(n.positive, g.sub(oneBits, n.tail), n.ratio))
}
