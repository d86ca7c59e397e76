package posterior

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// An order holds values in ascending order and the index that each had. NaN comes first, as in slices.Sort.
type order struct {
	values []float64
	from   []int32
}

const (
	digitBits = 8 // bits of a digit of the radix sort
	digits    = 4
	base      = 1 << digitBits
	prefix    = digitBits * digits
)

// A sorter sorts values to orders, and reuses its memory.
type sorter struct{ now, next []uint64 }

// into sorts x into the memory of o. It is a radix sort on the leading bits of the values' range, from the
// last digit; the lower half of a word is the index of the value. Values with equal leading bits are rare,
// and sorted by comparison. This takes a third of the time of a comparison sort.
func (s *sorter) into(o *order, x []float64) {
	n := len(x)
	s.now, s.next = room(s.now, n), room(s.next, n)
	now, next := s.now, s.next
	low, shift := span(x)
	var count [digits][base]int32
	for i, v := range x {
		k := (key(v) - low) >> shift
		now[i] = k<<(64-prefix) | uint64(i)
		for d := range count {
			count[d][k>>(d*digitBits)%base]++
		}
	}
	for d := range count {
		begin, at := &count[d], 64-prefix+d*digitBits
		sum := int32(0)
		for b, c := range begin {
			begin[b] = sum
			sum += c
		}
		for _, w := range now {
			b := &begin[w>>at%base]
			next[*b] = w
			*b++
		}
		now, next = next, now
	}
	o.values, o.from = room(o.values, n), room(o.from, n)
	for i, w := range now {
		o.from[i] = int32(w)
	}
	settle(now, o.from, x)
	for i, from := range o.from {
		o.values[i] = x[from]
	}
}

// room is memory for n values: that of a slice that is used no more, where it is large enough. It holds
// anything.
func room[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	return old[:n]
}

// span returns the least key, and the number of low bits to drop from differences to it.
func span(x []float64) (low uint64, shift int) {
	low, high := ^uint64(0), uint64(0)
	for _, v := range x {
		k := key(v)
		low, high = min(low, k), max(high, k)
	}
	if len(x) == 0 {
		return 0, 0
	}
	return low, max(0, bits.Len64(high-low)-prefix)
}

// settle sorts each sequence of words with the same leading bits.
func settle(words []uint64, from []int32, x []float64) {
	for lo := 0; lo < len(words); {
		hi := lo + 1
		for hi < len(words) && words[hi]>>(64-prefix) == words[lo]>>(64-prefix) {
			hi++
		}
		if hi-lo > 1 {
			slices.SortStableFunc(from[lo:hi], func(a, b int32) int {
				return cmp.Compare(key(x[a]), key(x[b]))
			})
		}
		lo = hi
	}
}

// key maps numbers to integers of the same order.
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

// folded is the order of |v − centre|, in the memory of f.
func (o order) folded(f order, centre float64) order {
	n := len(o.values)
	f = order{room(f.values, n)[:0], room(f.from, n)[:0]}
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
