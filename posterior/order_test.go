package posterior

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// awkward draws numbers with many ties, both zeros, infinities and NaN.
func awkward(t *rapid.T) []float64 {
	special := []float64{1 + 0x1p-52, 1 + 0x1p-51, 1 - 0x1p-53, 0, math.Copysign(0, -1), math.Inf(1),
		math.Inf(-1), math.NaN(), 1, -1, math.SmallestNonzeroFloat64, -math.MaxFloat64}
	return rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.SampledFrom(special)), 0, 300).Draw(t, "values")
}

func (s *sorter) sort(x []float64) (o order) {
	s.into(&o, x)
	return o
}

func ascending(x []float64) []float64 { return new(sorter).sort(x).values }

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// An order is that of a comparison sort, and has the index of each value.
func TestOrderSorts(t *testing.T) {
	var room sorter // used again
	rapid.Check(t, func(rt *rapid.T) {
		x := awkward(rt)
		o, want := room.sort(x), slices.Clone(x)
		slices.Sort(want)
		if !slices.EqualFunc(o.values, want, same) {
			rt.Fatalf("%v sorted is %v, want %v", x, o.values, want)
		}
		seen := make([]bool, len(x))
		for i, from := range o.from {
			if seen[from] || !same(x[from], o.values[i]) {
				rt.Fatalf("value %d is %v, but its index is %d", i, o.values[i], from)
			}
			seen[from] = true
		}
	})
}

// A folded order is the order of the distances.
func TestFoldedOrderSorts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{-1, 0, 1, 2})),
			0, 200).Draw(rt, "values")
		centre := rapid.SampledFrom([]float64{-5, -1, 0, 0.5, 2, 9}).Draw(rt, "centre")
		distances := slices.Clone(x)
		for i, v := range x {
			distances[i] = math.Abs(v - centre)
		}
		o := new(sorter).sort(x).folded(order{}, centre)
		if want := new(sorter).sort(distances).values; !slices.Equal(o.values, want) {
			rt.Fatalf("%v about %v: %v, want %v", x, centre, o.values, want)
		}
		for i, from := range o.from {
			if distances[from] != o.values[i] {
				rt.Fatalf("distance %d has the index %d", i, from)
			}
		}
	})
}

// Sums of products and the Fourier transform give the same autocovariances, at every lag.
func TestAutocovariancesAgree(t *testing.T) {
	chains := four(2*directLags+3, 0.9)
	direct, transformed := newAutocovariance(chains), newAutocovariance(chains)
	transformed.transform()
	for lag := range directLags + 1 {
		near(t, "autocovariance", direct.at(lag), transformed.at(lag), 1e-13)
	}
	if direct.all != nil {
		t.Fatal("the first lags were not summed")
	}
	last, sum := len(chains[0])-1, 0.0
	for k := range chains {
		c := direct.centred[k]
		sum += c[0] * c[last] / float64(len(c)*len(chains))
	}
	near(t, "autocovariance at the last lag", direct.at(last), sum, 1e-13)
}
