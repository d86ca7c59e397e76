package encrypted

import (
	"fmt"
	"math"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	common "github.com/tuneinsight/lattigo/v6/circuits/common/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"github.com/tuneinsight/lattigo/v6/utils/bignum"

	"github.com/vflc/vflc/portable"
)

// nodes is the number of Chebyshev nodes at which a polynomial is looked at.
const nodes = 1024

// beyondNodes is by how much a polynomial of degree d can exceed its largest value at the nodes: 1/cos(πd/2m)
// (Ehlich and Zeller, Mathematische Zeitschrift 86, 1964).
func beyondNodes(degree int) float64 { return 1 / portable.Cos(math.Pi*float64(degree)/(2*nodes)) }

// secondOrder bounds terms of second order of a polynomial by those of first order: an error below 2^-47
// times a second derivative below d⁴/3, and in sums the root of up to 2^20 rows.
func secondOrder(degree int) float64 {
	d := float64(degree * degree)
	return float64(d*d) / 3 * 0x1p-37
}

// A traced value is what a ciphertext holds at the nodes, and what the error of each operation so far
// contributes to it to first order.
type traced struct {
	value  []float64
	errors [][]float64 // by operation; nil where it has no part
}

// A tracer evaluates a polynomial as the circuit does, on traced values in place of ciphertexts: the error of
// an operation comes out multiplied by the derivative of the polynomial by that operation's result, whose
// largest value over the interval bounds it, for each operation by itself: the largest sum of all at one
// argument would bound rows, and not their sum, in which each has the rows that are worst for it.
type tracer struct {
	schemes.Evaluator // of a ring of 16 coefficients, for levels and scales
	noise             noise
	at                map[*rlwe.Ciphertext]*traced
	operations        int
}

// bounds returns the largest absolute value of a polynomial in Chebyshev form on [-1, 1], and of its error
// when the argument at a level has an error of at most fresh.
func (p *Parameters) bounds(c []float64, level int, target scale, fresh float64) (polynomialBound, error) {
	t := &tracer{Evaluator: ckks.NewEvaluator(p.tiny.ckks, nil), noise: p.noise}
	t.at = map[*rlwe.Ciphertext]*traced{}
	basis := common.NewPowerBasis(ckks.NewCiphertext(p.tiny.ckks, 1, level), bignum.Chebyshev)
	x := t.of(basis.Value[1])
	for i := range nodes {
		x.value[i] = portable.Cos(math.Pi * (float64(2*float64(i)) + 1) / (2 * nodes))
	}
	t.adds(basis.Value[1], fresh)
	out, err := polynomials(p.tiny, t).EvaluateFromPowerBasis(basis, chebyshev(c), target)
	if err != nil {
		return polynomialBound{}, fmt.Errorf("encrypted: %w", err)
	}
	var bound polynomialBound
	y := t.of(out)
	for _, v := range y.value {
		bound.largest = max(bound.largest, math.Abs(v))
	}
	for _, e := range y.errors {
		most := 0.0
		for _, v := range e {
			most = max(most, math.Abs(v))
		}
		bound.worst += most
	}
	beyond := beyondNodes(len(c) - 1)
	return polynomialBound{bound.largest * beyond,
		bound.worst * beyond * (1 + float64(secondOrder(len(c)-1)))}, nil
}

// polynomials evaluates polynomials by the arithmetic of e.
func polynomials(p *Parameters, e schemes.Evaluator) polynomial.Evaluator {
	inner := common.Evaluator[*bignum.Complex]{Evaluator: e,
		CoefficientGetter: polynomial.CoefficientGetter{}}
	return polynomial.Evaluator{Parameters: p.ckks, Evaluator: inner}
}

func chebyshev(coefficients []float64) bignum.Polynomial {
	return bignum.NewPolynomial(bignum.Chebyshev, coefficients, [2]float64{-1, 1})
}

func (t *tracer) of(c *rlwe.Ciphertext) *traced {
	if t.at[c] == nil {
		t.at[c] = &traced{value: make([]float64, nodes)}
	}
	return t.at[c]
}

// adds gives a ciphertext an error of its own.
func (t *tracer) adds(c *rlwe.Ciphertext, size float64) {
	e := make([]float64, nodes)
	for i := range e {
		e[i] = size
	}
	x := t.of(c)
	x.errors = append(x.errors, make([][]float64, t.operations-len(x.errors)+1)...)
	x.errors[t.operations] = e
	t.operations++
}

// combine sets out to a linear combination of a and b whose factors depend on the node.
func (t *tracer) combine(out, a, b *rlwe.Ciphertext, value, byA, byB func(a, b float64) float64) {
	x, y := t.of(a), t.of(b)
	z := &traced{value: make([]float64, nodes), errors: make([][]float64, max(len(x.errors), len(y.errors)))}
	for i := range z.value {
		z.value[i] = value(x.value[i], y.value[i])
	}
	for k := range z.errors {
		fromA, fromB := k < len(x.errors) && x.errors[k] != nil, k < len(y.errors) && y.errors[k] != nil
		if !fromA && !fromB {
			continue
		}
		e := make([]float64, nodes)
		for i := range e {
			if fromA {
				e[i] += float64(x.errors[k][i] * byA(x.value[i], y.value[i]))
			}
			if fromB {
				e[i] += float64(y.errors[k][i] * byB(x.value[i], y.value[i]))
			}
		}
		z.errors[k] = e
	}
	t.at[out] = z
}

func constant(c float64) func(a, b float64) float64 {
	return func(float64, float64) float64 { return c }
}

func (t *tracer) product(out, a, b *rlwe.Ciphertext) {
	first := func(a, _ float64) float64 { return a }
	second := func(_, b float64) float64 { return b }
	t.combine(out, a, b, func(a, b float64) float64 { return a * b }, second, first)
}

// linear sets out to a + factor b + shift.
func (t *tracer) linear(out, a, b *rlwe.Ciphertext, factor, shift float64) {
	value := func(a, b float64) float64 { return a + float64(factor*b) + shift }
	t.combine(out, a, b, value, constant(1), constant(factor))
}

func number(op rlwe.Operand) (float64, bool) {
	switch op := op.(type) {
	case int:
		return float64(op), true
	case *bignum.Complex:
		f, _ := op[0].Float64()
		return f, true
	}
	return 0, false
}

// Add implements schemes.Evaluator.
func (t *tracer) Add(a *rlwe.Ciphertext, op rlwe.Operand, out *rlwe.Ciphertext) error {
	if c, ok := number(op); ok {
		t.linear(out, a, a, 0, c)
	} else {
		t.linear(out, a, op.(*rlwe.Ciphertext), 1, 0)
	}
	return t.Evaluator.Add(a, op, out)
}

// Sub implements schemes.Evaluator.
func (t *tracer) Sub(a *rlwe.Ciphertext, op rlwe.Operand, out *rlwe.Ciphertext) error {
	t.linear(out, a, op.(*rlwe.Ciphertext), -1, 0)
	return t.Evaluator.Sub(a, op, out)
}

// Mul implements schemes.Evaluator.
func (t *tracer) Mul(a *rlwe.Ciphertext, op rlwe.Operand, out *rlwe.Ciphertext) error {
	t.product(out, a, op.(*rlwe.Ciphertext))
	return t.Evaluator.Mul(a, op, out)
}

// MulRelinNew implements schemes.Evaluator.
func (t *tracer) MulRelinNew(a *rlwe.Ciphertext, op rlwe.Operand) (*rlwe.Ciphertext, error) {
	out, err := t.Evaluator.MulNew(a, op)
	if err != nil {
		return nil, err
	}
	t.product(out, a, op.(*rlwe.Ciphertext))
	return out, nil
}

// MulThenAdd implements schemes.Evaluator.
func (t *tracer) MulThenAdd(a *rlwe.Ciphertext, op rlwe.Operand, out *rlwe.Ciphertext) error {
	c, ok := number(op)
	if !ok {
		return fmt.Errorf("encrypted: a sum of products of ciphertexts is not traced")
	}
	t.linear(out, out, a, c, 0)
	return t.Evaluator.MulThenAdd(a, op, out)
}

// Relinearize implements schemes.Evaluator: it is left to Rescale (see evaluator).
func (t *tracer) Relinearize(a, out *rlwe.Ciphertext) error {
	if a != out {
		return fmt.Errorf("encrypted: a relinearisation into another ciphertext is not traced")
	}
	return nil
}

// Rescale implements schemes.Evaluator.
func (t *tracer) Rescale(a, out *rlwe.Ciphertext) error {
	if a != out {
		return fmt.Errorf("encrypted: a division into another ciphertext is not traced")
	}
	if out.Degree() == 2 {
		t.adds(out, t.noise.relin[out.Level()]/out.Scale.Float64())
		out.Resize(1, out.Level())
	}
	if err := t.Evaluator.Rescale(a, out); err != nil {
		return err
	}
	t.adds(out, t.noise.rounding/out.Scale.Float64()) // by all primes at once
	return nil
}
