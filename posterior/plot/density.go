package plot

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

func densityKind() Kind {
	return Kind{Name: "density", Doc: "smoothed densities: of each chain, or with several runs of each run",
		most: mostFrames, first: 12, make: densities}
}

// gridPoints is the number of points of an estimated density.
const gridPoints = 256

// kernelDensity estimates the density of some finite values between the least and the largest: a Gaussian
// kernel, whose part beyond these ends is reflected at them, on a grid over linearly binned values. The
// bandwidth is Silverman's (1986, eq. 3.31), 0.9 min(sd, IQR/1.34) n^(−1/5). By the trapezoidal rule the
// density integrates to 1. It is nil for values that are all equal, or so close that the density would be too
// high for a number.
func kernelDensity(values []float64) (xs, ys []float64) {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 || sorted[len(sorted)-1]-sorted[0] < narrowest {
		return nil, nil
	}
	lo, hi := sorted[0], sorted[len(sorted)-1]
	step := (hi - lo) / (gridPoints - 1)
	kernel := gaussian(bandwidth(sorted) / step)
	ys = smoothed(binned(sorted, lo, step), kernel)
	xs = make([]float64, gridPoints)
	total := -(ys[0] + ys[gridPoints-1]) / 2
	for i := range xs {
		xs[i] = lo + float64(float64(i)*step)
		total += ys[i]
	}
	for i := range ys {
		ys[i] /= total * step
	}
	return xs, ys
}

// narrowest is the least range of values that have a density.
const narrowest = 1e-290

// bandwidth is Silverman's; where half of the values are equal, without the interquartile range.
func bandwidth(sorted []float64) float64 {
	mean, square := 0.0, 0.0
	n := float64(len(sorted))
	for _, v := range sorted {
		mean += v / n
	}
	for _, v := range sorted {
		square += (v - mean) * (v - mean) / n
	}
	spread := math.Sqrt(square)
	if iqr := (posterior.Quantile(sorted, 0.75) - posterior.Quantile(sorted, 0.25)) / 1.34; iqr > 0 {
		spread = min(spread, iqr)
	}
	return 0.9 * spread * portable.Pow(n, -0.2)
}

// binned shares each value among the two nearest points of the grid.
func binned(values []float64, lo, step float64) []float64 {
	out := make([]float64, gridPoints)
	for _, v := range values {
		at := (v - lo) / step
		k := min(gridPoints-2, int(at))
		out[k] += 1 - (at - float64(k))
		out[k+1] += at - float64(k)
	}
	out[0] *= 2 // a point at the end stands for half a step, and what it has beyond the end is reflected
	out[gridPoints-1] *= 2
	return out
}

// gaussian is one half of a normal density with so many steps as its standard deviation, from 0 to five of
// them.
func gaussian(deviation float64) []float64 {
	deviation = max(deviation, 0.3)
	out := make([]float64, min(gridPoints, int(5*deviation)+2))
	for i := range out {
		z := float64(i) / deviation
		out[i] = portable.Exp(-z * z / 2)
	}
	return out
}

// smoothed convolves counts with a kernel, reflected at both ends.
func smoothed(counts, kernel []float64) []float64 {
	n := len(counts)
	at := func(i int) float64 {
		switch {
		case i < 0:
			return counts[-i]
		case i >= n:
			return counts[2*n-2-i]
		}
		return counts[i]
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = kernel[0] * counts[i]
		for k := 1; k < len(kernel) && k < n; k++ {
			out[i] += float64(kernel[k] * (at(i-k) + at(i+k)))
		}
	}
	return out
}

func densities(in input) (*Figure, error) {
	if len(in.runs) == 1 {
		f := in.grid(func(r int, s scalar) panel { return densityPanel(s.draws[r]) })
		f.title, f.legend = in.title("Densities"), in.chainLegend()
		f.note, f.shades = "Kernel density estimates.", "Shaded: all chains together."
		return f, nil
	}
	f := in.each(func(s scalar) panel { return byRun(s.draws) })
	f.title, f.legend, f.note = in.title("Densities"), in.runLegend(),
		"Kernel density estimates, all chains of a run together."
	return f, nil
}

// densityPanel has a line for each chain over an area for all.
func densityPanel(chains [][]float64) panel {
	p := panel{x: axis{label: "value"}, y: axis{label: "density"}}
	xs, ys := kernelDensity(numbers(chains))
	if xs == nil {
		return telling("all draws are " + significant(numbers(chains)[0]))
	}
	p.marks = append(p.marks, area{xs, ys, nil, hues()[0], 0.15})
	if len(chains) == 1 {
		p.marks = append(p.marks, curve{xs, ys, penOf(0)})
		return p
	}
	for c := range chains {
		xs, ys := kernelDensity(numbers(chains[c : c+1]))
		line := penOf(c)
		line.width = 1.2
		p.marks = append(p.marks, curve{xs, ys, line})
	}
	return p
}

// byRun has a line for each run that has the parameter.
func byRun(runs [][][]float64) panel {
	p := panel{x: axis{label: "value"}, y: axis{label: "density"}}
	for r, chains := range runs {
		if xs, ys := kernelDensity(numbers(chains)); xs != nil {
			c, _ := hue(r)
			p.marks = append(p.marks, area{xs, ys, nil, c, 0.12}, curve{xs, ys, penOf(r)})
		}
	}
	if p.marks == nil {
		return telling("constant in all runs")
	}
	return p
}
