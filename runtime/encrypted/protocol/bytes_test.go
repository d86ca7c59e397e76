package protocol_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/tests/testmodel"
)

// mostAlike is the largest absolute correlation of a vector with as many numbers that follow one another in a
// message, each from 8 bytes, read as a float or as an integer, from any byte on.
func mostAlike(messages [][]byte, vectors [][]float64) (most float64) {
	n := len(vectors[0])
	for _, m := range messages {
		for at := range 8 {
			count := (len(m) - at) / 8
			if count < n {
				continue
			}
			whole, floating := make([]float64, count), make([]float64, count)
			for i := range whole {
				word := binary.LittleEndian.Uint64(m[at+8*i:])
				whole[i] = float64(int64(word)) / (1 << 40)
				// A number of another size than data have is no part of such a vector; it would hide others.
				if v := math.Float64frombits(word); math.Abs(v) < 1e4 {
					floating[i] = v
				}
			}
			for _, numbers := range [][]float64{whole, floating} {
				for _, r := range slid(numbers, vectors) {
					most = max(most, r)
				}
			}
		}
	}
	return most
}

// slid are the largest absolute correlations of vectors with windows of numbers, by Fourier transforms.
func slid(numbers []float64, vectors [][]float64) (out []float64) {
	n, size := len(vectors[0]), 1
	for size < len(numbers)+n {
		size *= 2
	}
	f := fourier.NewFFT(size)
	padded := make([]float64, size)
	copy(padded, numbers)
	of := f.Coefficients(nil, padded)
	for _, v := range vectors {
		clear(padded)
		mean, square := 0.0, 0.0
		for _, x := range v {
			mean += x / float64(n)
		}
		for i, x := range v {
			padded[i] = x - mean
			square += (x - mean) * (x - mean)
		}
		by := f.Coefficients(nil, padded)
		for i := range by {
			by[i] = of[i] * complex(real(by[i]), -imag(by[i]))
		}
		products := f.Sequence(nil, by)
		most, sum, squares := 0.0, 0.0, 0.0
		for i, x := range numbers {
			sum, squares = sum+x, squares+x*x
			if i >= n {
				sum, squares = sum-numbers[i-n], squares-numbers[i-n]*numbers[i-n]
			}
			if i < n-1 {
				continue
			}
			if spread := squares - sum*sum/float64(n); spread > 1e-6*square {
				most = max(most, math.Abs(products[i-n+1]/float64(size))/math.Sqrt(spread*square))
			}
		}
		out = append(out, most)
	}
	return out
}

// No n numbers of what leaves a process are alike any n numbers of rows; some that are planted are found.
func TestNoRowsInBytes(t *testing.T) {
	const n = 1000
	bernoulli := dist.BernoulliLogit()
	blocks := draw(graph.Law{Dist: &bernoulli, Theta: [][]float64{nil}}, n, 2, func(r *rand.Rand) float64 {
		return float64(r.IntN(2))
	})
	c, err := testmodel.NewClearing(5, blocks)
	if err != nil {
		t.Fatal(err)
	}
	via := &recorder{Env: c.Env(0, 1, 2), keep: true}
	secret, err := protocol.New(t.Context(), via, 3,
		protocol.Options{Insecure: 8, Terms: terms(protocol.Unlimited), Pair: pair})
	if err != nil {
		t.Fatal(err)
	}
	response := blocks[0].(*block).law.X
	vectors := [][]float64{response}
	for _, b := range blocks[1:] {
		m := b.(*block).lin.Cuts.Matrix
		vectors = append(vectors, m[:n], m[n:])
	}
	cut := at(blocks, n, 1, .4)
	if err := secret.Slopes(t.Context(), nil, cut, [][]float64{like(1, 1), like(1, 2), like(1, 2)}); err !=
		nil {
		t.Fatal(err)
	}
	sum, adjoint := make([]float64, n), make([]float64, n)
	for i := range sum {
		for _, v := range cut {
			sum[i] += v[i]
		}
		adjoint[i] = response[i] - 1/(1+math.Exp(-sum[i]))
	}
	vectors = append(vectors, cut[1], cut[2], sum, adjoint)
	if err := secret.Curvatures(t.Context(), like(5, 5)); err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, m := range via.all {
		bytes += len(m)
	}
	bound := 7 / math.Sqrt(n)
	if most := mostAlike(via.all, vectors); bytes < 8*n*len(vectors) || most > bound {
		t.Errorf("in %d bytes there are numbers with the correlation %.3f, and %.3f are possible", bytes,
			most, bound)
	}
	plant(t, via.all, vectors[5], bound)
}

// plant has a vector stand in a copy of a message, as floats and as integers of its own scale, at an odd
// byte.
func plant(t *testing.T, messages [][]byte, vector []float64, bound float64) {
	t.Helper()
	longest := slices.MaxFunc(messages, func(a, b []byte) int { return len(a) - len(b) })
	for name, word := range map[string]func(v float64) uint64{
		"floats":   math.Float64bits,
		"integers": func(v float64) uint64 { return uint64(int64(v * (1 << 50))) },
		"noisy": func(v float64) uint64 {
			return math.Float64bits(v + 2*rand.New(rand.NewPCG(1, math.Float64bits(v))).NormFloat64())
		},
	} {
		m := slices.Clone(longest)
		for i, v := range vector {
			binary.LittleEndian.PutUint64(m[(len(m)/3|1)+8*i:], word(v))
		}
		if most := mostAlike([][]byte{m}, [][]float64{vector}); most < bound {
			t.Errorf("planted %s are not found: %.3f", name, most)
		}
	}
}
