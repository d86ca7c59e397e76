package encrypted

import (
	"fmt"
	"math"
	"slices"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// RowsOf takes a column or a response as rows.
func (k *CollectiveKeys) RowsOf(v *Vector) *EncryptedRows {
	out := &EncryptedRows{keys: k, n: v.n, parts: v.parts, largest: 1, offset: v.wrong}
	out.column = &v.within
	return out
}

// total bounds the sum over n rows of the absolute values of a column.
func (r Range) total(n int) float64 { return min(math.Sqrt(float64(n)*r.Squares), float64(n)*r.Max) }

// most bounds the sum over rows times z.
func (r *EncryptedRows) most(z Range) float64 {
	if r.column != nil {
		return r.largest * math.Sqrt(r.column.Squares*z.Squares)
	}
	sum := float64(r.largest * z.total(r.n))
	if r.response != nil {
		sum += float64(r.factor.largest * math.Sqrt(r.response.Squares*z.Squares))
	}
	return sum
}

// anywhere bounds a row and its error, of rows without a column.
func (r *EncryptedRows) anywhere() (largest, wrong float64) {
	if r.response == nil {
		return r.largest, r.offset
	}
	return r.largest + float64(r.factor.largest*r.response.Max),
		r.offset + float64(r.factor.worst*r.response.Max)
}

// wrong bounds the error of a sum over rows times z that is of their own errors.
func (r *EncryptedRows) wrong(z Range) float64 {
	products, _ := r.lengths(z)
	sum := float64(r.offset*math.Sqrt(z.Squares)) + float64(r.slope*products)
	if y := r.response; y != nil {
		sum += float64(r.factor.worst * min(y.Max*math.Sqrt(z.Squares), z.Max*math.Sqrt(y.Squares)))
	}
	return sum
}

// lengths bounds roots of sums of squares, by which errors add up (see noise): of the same numbers, and of x
// or 1 over all numbers of the ciphertexts.
func (r *EncryptedRows) lengths(z Range) (products, own float64) {
	length := math.Sqrt(z.Squares)
	if r.column == nil {
		return length, r.all()
	}
	own = math.Sqrt(r.column.Squares)
	return min(r.column.Max*length, z.Max*own), own
}

// all is the root of how many numbers the ciphertexts have.
func (r *EncryptedRows) all() float64 { return math.Sqrt(float64(len(r.parts) * r.keys.params.Rows())) }

// sumError is the error that the division of a sum of products adds to it: of all blocks at once.
func (r *EncryptedRows) sumError() float64 {
	p := r.keys.params
	return math.Sqrt(float64(p.Rows())) * p.productError(r.parts[0].Level())
}

// Weigh returns rows times a column, of which a product with another column is left.
func (r *EncryptedRows) Weigh(z *Vector) (*EncryptedRows, error) {
	if r.column != nil {
		return nil, fmt.Errorf("encrypted: rows are multiplied with two columns at most")
	}
	parts, err := r.times(z, columnSteps-1)
	if err != nil {
		return nil, err
	}
	p, e := r.keys.params, z.wrong
	largest, wrong := r.anywhere()
	return &EncryptedRows{keys: r.keys, n: r.n, parts: parts, largest: largest, column: &z.within,
		slope:  wrong,
		offset: float64((largest+wrong)*e) + p.productError(parts[0].Level()+primesPerStep)}, nil
}

// times multiplies with a column, after which some steps are left.
func (r *EncryptedRows) times(z *Vector, left int) ([]*rlwe.Ciphertext, error) {
	out, err := r.products(z, left)
	for _, c := range out {
		if err == nil {
			err = r.keys.eval.Rescale(c, c)
		}
	}
	return out, err
}

// products are those that times divides.
func (r *EncryptedRows) products(z *Vector, left int) ([]*rlwe.Ciphertext, error) {
	l := level(left + 1)
	if z.n != r.n || z.kind == Contribution {
		return nil, fmt.Errorf("encrypted: a column of %d rows is wanted", r.n)
	}
	if l > min(r.parts[0].Level(), z.parts[0].Level()) {
		return nil, fmt.Errorf("encrypted: no product is left")
	}
	var out []*rlwe.Ciphertext
	for i, c := range r.parts {
		product, err := r.keys.eval.MulNew(at(c, l), at(z.parts[i], l))
		if err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		out = append(out, product)
	}
	return out, nil
}

// Product returns the sum over all rows of their products with a column.
func (r *EncryptedRows) Product(z *Vector) (*EncryptedSum, error) {
	e := z.wrong
	_, own := r.lengths(z.within)
	rows, errors := float64(r.largest*own), float64(r.slope*own)+float64(r.offset*r.all())
	if r.response != nil {
		length := math.Sqrt(r.response.Squares)
		rows, errors = rows+float64(r.factor.largest*length), errors+float64(r.factor.worst*length)
	}
	rows += float64(errors * r.all()) // these times e are products of errors
	wrong := r.wrong(z.within) + float64(rows*e) + r.sumError()
	sum, left, err := r.sum(r.most(z.within), wrong)
	if err != nil {
		return nil, err
	}
	parts, err := r.products(z, left)
	if err != nil {
		return nil, err
	}
	return sum, r.keys.add(sum, parts)
}

// Plus returns rows plus a column, of which sums are left as before.
func (r *EncryptedRows) Plus(z *Vector) (*EncryptedRows, error) {
	if r.column != nil || z.n != r.n || z.kind != Column {
		return nil, fmt.Errorf("encrypted: a column of %d rows is wanted, and rows without one", r.n)
	}
	out := &EncryptedRows{keys: r.keys, n: r.n, largest: r.largest + z.within.Max, offset: r.offset + z.wrong,
		factor: r.factor, response: r.response}
	l := min(r.parts[0].Level(), z.parts[0].Level())
	for i, c := range r.parts {
		part := at(c, l).CopyNew()
		if err := r.keys.eval.Add(part, at(z.parts[i], l), part); err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		out.parts = append(out.parts, part)
	}
	return out, nil
}

// Weights are numbers that all know, by which rows are multiplied. They are encoded when they are first used.
type Weights struct {
	values  []float64
	encoded map[int][]*rlwe.Plaintext // by level
}

// NewWeights takes a number for each row.
func NewWeights(values []float64) *Weights {
	return &Weights{values: values, encoded: map[int][]*rlwe.Plaintext{}}
}

// Total returns the sum over all rows, each times a number that all know; without numbers, each once.
func (r *EncryptedRows) Total(weights []float64) (*EncryptedSum, error) {
	if weights == nil {
		weights = slices.Repeat([]float64{1}, r.n)
	}
	return r.Weighted(NewWeights(weights))
}

// Weighted is Total for weights that are used again.
func (r *EncryptedRows) Weighted(weights *Weights) (*EncryptedSum, error) {
	if len(weights.values) != r.n {
		return nil, fmt.Errorf("encrypted: %d weights of %d rows", len(weights.values), r.n)
	}
	var known Range
	for _, w := range weights.values {
		known.Max = max(known.Max, math.Abs(w))
		known.Squares += float64(w * w)
	}
	if !(known.Squares > 0 && known.Squares <= maxMagnitude) {
		return nil, fmt.Errorf("encrypted: weights with a sum of squares %g", known.Squares)
	}
	sum, left, err := r.sum(r.most(known), r.wrong(known)+r.sumError())
	if err != nil {
		return nil, err
	}
	parts, err := r.weighted(weights, level(left+1))
	if err != nil {
		return nil, err
	}
	return sum, r.keys.add(sum, parts)
}

// weighted multiplies with numbers that all know, at a level.
func (r *EncryptedRows) weighted(weights *Weights, l int) ([]*rlwe.Ciphertext, error) {
	k, p := r.keys, r.keys.params
	if l > r.parts[0].Level() {
		return nil, fmt.Errorf("encrypted: no product is left")
	}
	var out []*rlwe.Ciphertext
	for i, c := range r.parts {
		if i == len(weights.encoded[l]) {
			block := make([]float64, p.Rows())
			copy(block, weights.values[i*p.Rows():])
			// This encoder's numbers are of math/big: those of float64 differ by processor in the last bits.
			plain, err := encode(k.eval.Encoder, block, l, p.stepModulus(l))
			if err != nil {
				return nil, err
			}
			weights.encoded[l] = append(weights.encoded[l], plain)
		}
		product, err := k.eval.MulNew(at(c, l), weights.encoded[l][i])
		if err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		out = append(out, product)
	}
	return out, nil
}

// Multiply returns the products of two columns, number by number, which have a product less left than these.
func (k *CollectiveKeys) Multiply(x, z *Vector) (*Vector, error) {
	r, left := k.RowsOf(x), stepsLeft(min(x.parts[0].Level(), z.parts[0].Level()))-1
	parts, err := r.times(z, left)
	if err != nil {
		return nil, err
	}
	a, b := x.within, z.within
	out := &Vector{params: k.params, kind: combined, n: x.n, parts: parts}
	out.within.Max = a.Max * b.Max
	out.within.Squares = min(a.Max*a.Max*b.Squares, b.Max*b.Max*a.Squares)
	out.wrong = float64(a.Max*z.wrong) + float64(b.Max*x.wrong) + float64(x.wrong*z.wrong) +
		k.params.productError(level(left+1))
	return out, nil
}

// Vector takes rows that have no column as a vector, with which others are multiplied.
func (r *EncryptedRows) Vector() (*Vector, error) {
	if r.column != nil {
		return nil, fmt.Errorf("encrypted: rows without a column are wanted")
	}
	largest, wrong := r.anywhere()
	return &Vector{params: r.keys.params, kind: combined, n: r.n, parts: r.parts, wrong: wrong,
		within: Range{Max: largest, Squares: float64(float64(largest*largest) * float64(r.n))}}, nil
}

// Cross returns the sum over rows of the products of two columns, or of a column and a response.
func (k *CollectiveKeys) Cross(x, z *Vector) (*EncryptedSum, error) { return k.RowsOf(x).Product(z) }

// Binary returns y(u - y) of a response, whose total with weights that were drawn after the response was
// committed is 0 if it is of 0 and u, a power of 2, and otherwise hardly ever.
func (k *CollectiveKeys) Binary(y *Vector, u float64) (*EncryptedRows, error) {
	if y.kind != Response {
		return nil, fmt.Errorf("encrypted: a response is wanted")
	}
	l, e := level(columnSteps), k.params.freshError()
	out := &EncryptedRows{keys: k, n: y.n, largest: y.within.Max * (u + y.within.Max)}
	all := math.Sqrt(float64(len(y.parts) * k.params.Rows()))
	out.offset = float64((u+float64(2*y.within.Max)+float64(all*e))*e) + k.params.productError(l)
	for _, c := range y.parts {
		other := at(c, l).CopyNew()
		if err := k.eval.Mul(other, -1, other); err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		if err := k.eval.Add(other, u, other); err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		product, err := k.multiply(at(c, l), other)
		if err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		out.parts = append(out.parts, product)
	}
	return out, nil
}
