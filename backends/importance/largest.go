package importance

import (
	"cmp"
	"slices"
)

// largest returns the positions of the n largest of x, n ≤ len(x), in ascending order of their values; of
// equal values the later one counts as larger.
func largest(x []float64, n int) []int {
	least := chosen(slices.Clone(x), len(x)-n)
	at := make([]int, 0, n)
	for i, v := range x {
		if v > least {
			at = append(at, i)
		}
	}
	for i := len(x) - 1; len(at) < n; i-- {
		if x[i] == least {
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), a-b) })
	return at
}

// chosen returns the element that sorting would put at position k, by Hoare's algorithm. It changes the order
// of x.
func chosen(x []float64, k int) float64 {
	for lo, hi := 0, len(x)-1; lo < hi; {
		pivot := median(x[lo], x[(lo+hi)/2], x[hi])
		i, j := lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	return x[k]
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
