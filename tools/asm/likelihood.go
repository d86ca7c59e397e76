package main

import (
	"math"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A site is the place where one vector of a likelihood is emitted, with the names of its parameters.
type site struct {
	*gen
	*block
	pointers map[string]reg.GPVirtual
	scalars  map[string]vec
	sums     map[string]vec
	sure     bool // no destination is nil
}

func (s *site) in(name string) vec { return s.load(s.element(s.pointers[name])) }

// out stores v in the destination, unless that is nil.
func (s *site) out(name string, v vec) {
	p := s.pointers[name]
	if s.sure {
		s.store(v, s.element(p))
		return
	}
	skip := s.label("skip")
	s.TESTQ(p, p)
	s.JEQ(label(skip))
	s.store(v, s.element(p))
	s.Label(skip)
}

// scalar returns a parameter in all lanes. AVX2 has too few registers to keep it in one.
func (s *site) scalar(name string) vec {
	if s.wide {
		return s.scalars[name]
	}
	return s.broadcast(name)
}

// plus adds v to a sum.
func (s *site) plus(name string, v vec) { s.count(s.sums[name], v) }

// times multiplies a product by v.
func (s *site) times(name string, v vec) {
	p := s.sums[name]
	if s.partial != nil {
		v = s.pick(*s.partial, v, oneBits)
	}
	s.VMULPD(v, p, p)
}

// summing returns a function that adds to, or multiplies, sums that the caller keeps: the parameters
// *[8]float64. The others are vectors and scalars.
// In AVX-512 the bodies of several vectors are woven while there are so many, and a destination. If together
// is 0, the body is written twice, as what incomplete vectors need costs more than a few hundredths.
func summing(name, params string, together int, body func(s *site)) function {
	k := function{name: name, params: "n int, " + params}
	k.emit = func(g *gen) {
		pointers, scalars, at8 := map[string]reg.GPVirtual{}, map[string]vec{}, map[string]reg.GPVirtual{}
		var names []string
		var start [][][]vec
		for _, p := range k.list()[1:] {
			switch {
			case p.length != "":
				pointers[p.name] = g.ptr(p.name)
			case strings.HasPrefix(p.typ, "*[8]"):
				at8[p.name] = g.ptr(p.name)
				var acc []vec
				for h := range g.halves() {
					acc = append(acc, g.load(at(at8[p.name], 32*h)))
				}
				names, start = append(names, p.name), append(start, [][]vec{acc})
			default:
				if g.wide {
					scalars[p.name] = g.broadcast(p.name)
				}
			}
		}
		place := func(b *block, sure bool) {
			sums := map[string]vec{}
			for i, name := range names {
				sums[name] = b.acc[i]
			}
			body(&site{g, b, pointers, scalars, sums, sure})
		}
		i, n := g.number(0), g.integer("n")
		if g.wide && together > 1 {
			g.togetherWhile(i, n, pointers["d"], together, func(plus int) {
				var acc []vec
				for _, s := range start {
					acc = append(acc, s[0][0])
				}
				place(&block{i: i, plus: plus, acc: acc}, true)
			})
		}
		if g.target == neon || together == 1 || g.wide && together > 1 {
			g.sumVectors(i, n, start, func(b *block) { place(b, false) })
		} else {
			g.reduce(n, 1, start, func(b *block) { place(b, false) })
		}
		for i, name := range names {
			for h := range g.halves() {
				g.store(start[i][0][h], at(at8[name], 32*h))
			}
		}
	}
	return k
}

// togetherWhile emits woven bodies for several vectors at a time, of which plus is the first element, while
// there are so many, and d is not nil.
func (g *gen) togetherWhile(i, n, d reg.GPVirtual, together int, body func(plus int)) {
	loop, done, last := g.label("woven"), g.label("rest"), g.GP64()
	g.TESTQ(d, d)
	g.JEQ(label(done))
	g.LEAQ(operand.Mem{Base: n, Disp: -8 * together}, last)
	g.CMPQ(i, last)
	g.JGT(label(done))
	g.Label(loop)
	g.weave(together, func(u int) { body(8 * u) })
	g.ADDQ(operand.Imm(uint64(8*together)), i)
	g.CMPQ(i, last)
	g.JLE(label(loop))
	g.Label(done)
}

// expFalling returns e^-|t|.
func (g *gen) expFalling(t vec) vec {
	return g.expBounded(g.max(f(expLeast), g.or(t, signBit)))
}

// odds returns 1/(1+e^-t) and 1/(1+e^t), given z = e^-|t| and 1+z.
func (g *gen) odds(t, z, onePlus vec) (p, q vec) {
	near := g.div(oneBits, onePlus)
	far := g.mul(z, near)
	negative := g.cmp(less, t, konst(0))
	return g.pick(negative, far, near), g.pick(negative, near, far)
}

func likelihoods() []function {
	return []function{
		summing("bernoulliLogit", "sum *[8]float64, product *[8]float64, eta [n], y [n], d [n]?",
			2, bernoulliLogit),
		summing("bernoulliLogitSigns",
			"sum *[8]float64, product *[8]float64, eta [n], y [signs(n)]int8, d [n]?", 2,
			bernoulliLogitSigned),
		summing("binomialLogit",
			"sum *[8]float64, product *[8]float64, eta [n], y [n], trials float64, d [n]?", 2, binomialLogit),
		summing("binomialTrials", "sum *[8]float64, eta [n], y [n], trials [n], d [n]?", 0, binomialTrials),
		summing("poissonLog", "sum *[8]float64, eta [n], y [n], d [n]?", 2, poissonLog),
		summing("negBinomial2Log",
			"sum *[8]float64, dphi *[8]float64, eta [n], y [n], phi float64, logPhi float64, "+
				"inverse float64, d [n]?", 0, negBinomial2Log),
		summing("bernoulliProbit", "sum *[8]float64, eta [n], y [n], d [n]?", 1, bernoulliProbit),
		summing("normal", "squares *[8]float64, x [n], mu [n], inverse float64, d [n]?", 2, normalDensity),
		summing("studentT",
			"sum *[8]float64, product *[8]float64, share *[8]float64, x [n], mu [n], inverse "+
				"float64, slope float64, d [n]?", 2, studentT),
		summing("risingFar",
			"sum *[8]float64, dphi *[8]float64, y [n], w [n], phi float64, inverse float64, log1 float64, "+
				"base float64, slope float64", 1, risingFar),
	}
}

// signed returns 2y-1 and (2y-1)·eta.
func (s *site) signed(eta, y vec) (sign, t vec) {
	sign = s.fmaOf(y, f(2), f(-1))
	return sign, s.mul(sign, eta)
}

// negative returns the sign bits of 2y-1, loaded from signs.
func (s *site) negative(name string) vec {
	v := s.vec()
	s.VPMOVSXBQ(operand.Mem{Base: s.pointers[name], Index: s.i, Scale: 1, Disp: s.block.plus}, v)
	return s.and(v, konst(signBit))
}

func bernoulliLogit(s *site) {
	sign, t := s.signed(s.in("eta"), s.in("y"))
	s.out("d", s.mul(sign, s.logOdds(t)))
}

// bernoulliLogitSigned is bernoulliLogit for observations as signs.
func bernoulliLogitSigned(s *site) {
	negative := s.negative("y")
	t := s.xor(s.in("eta"), negative)
	s.out("d", s.xor(s.logOdds(t), negative))
}

// logOdds adds log(1/(1+e^-t)) to sum and product and returns its derivative, 1/(1+e^t).
func (s *site) logOdds(t vec) vec {
	z := s.expFalling(t)
	onePlus := s.add(z, oneBits)
	s.times("product", onePlus)
	s.plus("sum", s.min(konst(0), t))
	return s.div(s.pick(s.cmp(less, t, konst(0)), oneBits, z), onePlus)
}

// binomialLogit sums y·eta - trials·max(eta, 0) and multiplies 1 + e^-|eta|; the derivative is y·q -
// (trials-y)·p.
func binomialLogit(s *site) {
	trials := s.scalar("trials")
	eta, y := s.in("eta"), s.in("y")
	z := s.expFalling(eta)
	failures := s.sub(trials, y)
	p, q := s.odds(eta, z, s.add(z, oneBits))
	linear := s.mul(s.pick(s.cmp(less, eta, konst(0)), y, s.xor(failures, signBit)), eta)
	d := s.mul(y, q)
	s.fnma(d, failures, p)
	s.times("product", s.add(z, oneBits))
	s.plus("sum", linear)
	s.out("d", d)
}

// binomialTrials is binomialLogit for trials that differ by row: these multiply log(1 + e^-|eta|), so that
// there is no product of all rows. It loads its inputs twice, to save registers.
func binomialTrials(s *site) {
	z := s.expFalling(s.in("eta"))
	l := s.log1pOf(z, s.zero())
	eta, y, trials := s.in("eta"), s.in("y"), s.in("trials")
	failures := s.sub(trials, y)
	p, q := s.odds(eta, z, s.add(z, oneBits))
	linear := s.mul(s.pick(s.cmp(less, eta, konst(0)), y, s.xor(failures, signBit)), eta)
	s.fnma(linear, trials, l)
	s.plus("sum", linear)
	d := s.mul(y, q)
	s.fnma(d, failures, p)
	s.out("d", d)
}

func poissonLog(s *site) {
	eta, y := s.in("eta"), s.in("y")
	rate := s.exp(eta)
	s.out("d", s.sub(y, rate))
	s.VFMSUB231PD(eta, y, rate)
	s.plus("sum", rate)
}

// negBinomial2Log loads its inputs twice, to save registers.
func negBinomial2Log(s *site) {
	argument := func() vec { return s.sub(s.in("eta"), s.scalar("logPhi")) }
	z := s.expFalling(argument())
	l := s.log1pOf(z, s.zero())
	t, y := argument(), s.in("y")
	p, q := s.odds(t, z, s.add(z, oneBits))
	hits := s.mul(y, q)
	up := s.add(l, s.max(konst(0), t))
	down := s.add(l, s.max(konst(0), s.xor(t, signBit)))
	s.plus("dphi", s.fnmaOf(hits, s.scalar("inverse"), s.sub(p, up)))
	lp := s.mul(s.xor(y, signBit), down)
	s.fnma(lp, s.scalar("phi"), up)
	s.plus("sum", lp)
	s.fnma(hits, s.scalar("phi"), p)
	s.out("d", hits)
}

// bernoulliProbit loads its inputs again where it needs them, to save registers.
func bernoulliProbit(s *site) {
	_, t := s.signed(s.in("eta"), s.in("y"))
	n := s.normalTail(t)
	sign := func() vec { return s.fmaOf(s.in("y"), f(2), f(-1)) }
	s.plus("sum", s.logPhiOf(n, func() vec { return s.mul(sign(), s.in("eta")) }))
	s.out("d", s.mul(sign(), s.logPhiSlopeOf(n)))
}

func normalDensity(s *site) {
	z := s.mul(s.sub(s.in("x"), s.in("mu")), s.scalar("inverse"))
	e := s.existing(z)
	s.fma(s.sums["squares"], e, e)
	s.out("d", s.mul(z, s.scalar("inverse")))
}

// studentT subtracts log(1+e²) with e = (x-mu)·inverse from sum and product, adds e²/(1+e²) to share, and
// returns slope·e/(1+e²). Of the rounded 1+e², the exponent and what rounding took enter sum, the mantissa
// product.
func studentT(s *site) {
	e := s.mul(s.sub(s.in("x"), s.in("mu")), s.scalar("inverse"))
	square := s.mul(e, e)
	onePlus := s.add(square, oneBits)
	near := s.div(oneBits, onePlus)
	s.out("d", s.mul(s.mul(e, near), s.scalar("slope")))
	s.plus("share", s.mul(square, near))
	v := s.mul(s.sub(s.sub(onePlus, oneBits), square), near)
	s.times("product", s.or(s.and(onePlus, konst(mantissa)), oneBits))
	k := s.sub(s.or(s.shr(onePlus, 52), konst(exponent0)), f(0x1p52+1023))
	s.fnma(v, k, f(math.Ln2))
	s.plus("sum", v)
}

// weighted adds w·v to a sum.
func (s *site) weighted(name string, v vec) { s.fma(s.sums[name], s.in("w"), s.existing(v)) }

// existing returns v with +0 in missing lanes.
func (s *site) existing(v vec) vec {
	if s.partial == nil {
		return v
	}
	return s.only(*s.partial, v)
}

func risingFar(s *site) {
	l := s.log1p(s.mul(s.in("y"), s.scalar("inverse")))
	x := s.add(s.in("y"), s.scalar("phi"))
	w := s.div(oneBits, x)
	square := s.mul(w, w)
	v := s.fnmaOf(s.polynomial(square, stirlingTail), w, s.scalar("base"))
	v = s.fnmaOf(s.sub(x, f(0.5)), l, v)
	v = s.xor(v, signBit)
	s.fma(v, s.in("y"), s.scalar("log1"))
	s.weighted("sum", v)
	q := s.mul(s.polynomial(square, digammaTail), square)
	s.fma(q, w, f(0.5))
	s.weighted("dphi", s.sub(l, s.sub(q, s.scalar("slope"))))
}
