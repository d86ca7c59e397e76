package vector

import "github.com/vflc/vflc/portable"

// Log sets y = log a.
func Log(n int, y, a []float64) { log(active, n, y, a) }

// Log1p sets y = log(1 + a), without cancellation.
func Log1p(n int, y, a []float64) { log1p(active, n, y, a) }

// Log1pExp sets y = log(1 + e^a).
func Log1pExp(n int, y, a []float64) { log1pExp(active, n, y, a) }

// Log1mExp sets y = log(1 - e^a) and, unless odds is nil, odds = e^a/(1 - e^a), the negative of its slope.
func Log1mExp(n int, y, odds, a []float64) { log1mExp(active, n, y, odds, a) }

func logGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Log(x)
	}
}

func log1pGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Log1p(x)
	}
}

func log1pExpGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = portable.Log1pExp(x)
	}
}

func log1mExpGo(_ int, y, odds, a []float64) {
	for i, x := range a {
		v, o := portable.Log1mExpOdds(x)
		y[i] = v
		if odds != nil {
			odds[i] = o
		}
	}
}
