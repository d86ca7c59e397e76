package posterior

import "math"

// An order is some values in ascending order, and where each came from. Values that are not numbers come first, as in slices.Sort.
type order struct {
	values []float64
	from   []int32
}

const (
	digitBits = 8 // of a digit of a key
	digits    = 64 / digitBits
)

// newOrder sorts by the digits of the bits of values, the last digit first: that takes a fifth of the time of comparisons.
func newOrder(x []float64) order {
	n := len(x)
	keys, from := make([]uint64, 2*n), make([]int32, 2*n)
	now, next, at, to := keys[:n], keys[n:], from[:n], from[n:]
	var count [digits][1 << digitBits]int32
	for i, v := range x {
		k := key(v)
		now[i], at[i] = k, int32(i)
		for d := range count {
			count[d][k>>(d*digitBits)&0xff]++
		}
	}
	for d := range count {
		if n > 0 && count[d][now[0]>>(d*digitBits)&0xff] == int32(n) {
			continue // all have the same digit
		}
		begin := &count[d]
		sum := int32(0)
		for b, c := range begin {
			begin[b] = sum
			sum += c
		}
		for i, k := range now {
			b := &begin[k>>(d*digitBits)&0xff]
			next[*b], to[*b] = k, at[i]
			*b++
		}
		now, next, at, to = next, now, to, at
	}
	o := order{make([]float64, n), at}
	for i, f := range at {
		o.values[i] = x[f]
	}
	return o
}

// key maps numbers to whole numbers of the same order.
func key(v float64) uint64 {
	b := math.Float64bits(v)
	switch {
	case v != v:
		return 0
	case b>>63 == 1:
		return ^b
	}
	return b | 1<<63
}

// folded is the order of |v − centre|.
func (o order) folded(centre float64) order {
	n := len(o.values)
	f := order{make([]float64, 0, n), make([]int32, 0, n)}
	right := 0
	for right < n && o.values[right] < centre {
		right++
	}
	for left := right - 1; len(f.values) < n; {
		var a, b float64 = math.Inf(1), math.Inf(1)
		if left >= 0 {
			a = math.Abs(o.values[left] - centre)
		}
		if right < n {
			b = math.Abs(o.values[right] - centre)
		}
		if right == n || left >= 0 && a < b {
			f.values, f.from = append(f.values, a), append(f.from, o.from[left])
			left--
		} else {
			f.values, f.from = append(f.values, b), append(f.from, o.from[right])
			right++
		}
	}
	return f
}
