package assess

import (
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// A Progress is called with the number of observations done, of all. Several goroutines call it, one at a
// time.
type Progress func(done, all int)

// An observation is the estimate of one.
type observation struct{ elpd, p, k, rEff, before float64 }

// parts is into how many parts observations are divided, whatever the number of processors, so that sums over
// them are taken in one order.
const parts = 32

// estimate applies one to every observation, and adds up. one adds to influence, by draw, the change of elpd
// that the draw has caused: elpd as a function of the empirical distribution of the draws, differentiated.
func estimate(ll Pointwise, independent bool, progress Progress, one func(i int, o *observation,
	chains [][]float64, influence []float64)) Estimate {
	n, draws := len(ll), 0
	if n > 0 {
		draws = len(flat(ll[0]))
	}
	found, influences := make([]observation, n), make([][]float64, parts)
	next, done := 0, 0
	var lock sync.Mutex
	var wait sync.WaitGroup
	for range min(parts, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for {
				lock.Lock()
				k := next
				next++
				lock.Unlock()
				if k >= parts {
					return
				}
				influences[k] = make([]float64, draws)
				for i := n * k / parts; i < n*(k+1)/parts; i++ {
					one(i, &found[i], ll[i], influences[k])
					lock.Lock()
					if done++; progress != nil {
						progress(done, n)
					}
					lock.Unlock()
				}
			}
		})
	}
	wait.Wait()
	e := Estimate{Observed: n, Draws: draws}
	for _, o := range found {
		e.Pointwise, e.PPointwise = append(e.Pointwise, o.elpd), append(e.PPointwise, o.p)
		e.K, e.REff, e.Before = append(e.K, o.k), append(e.REff, o.rEff), append(e.Before, o.before)
	}
	e.ELPD, e.SE = sumAndError(e.Pointwise)
	e.P, e.PSE = sumAndError(e.PPointwise)
	for _, v := range influences[1:] {
		floats.Add(influences[0], v)
	}
	e.MCSE = standardError(ll, influences[0], independent)
	return e
}

// standardError is that of the sum of the influences of all draws.
func standardError(ll Pointwise, influence []float64, independent bool) float64 {
	if len(influence) < 2 {
		return math.NaN()
	}
	n := float64(len(influence))
	if independent {
		return math.Sqrt(n * portable.Variance(influence))
	}
	var chains [][]float64
	for _, c := range ll[0] {
		chains = append(chains, influence[:len(c)])
		influence = influence[len(c):]
	}
	return n * posterior.MCSEMean(chains)
}
