package plot

func histogramKind() Kind {
	return Kind{Name: "histogram", Doc: "the share of draws in bins", most: mostFrames, first: 12,
		make: histogram}
}

// histogramBins is the number of bins of a histogram.
const histogramBins = 40

func histogram(in input) (*Figure, error) {
	f := in.grid(func(r int, s scalar) panel {
		values := numbers(s.draws[r])
		lo, hi, _ := extent([][]float64{values})
		lo, hi = wider(lo, hi, 0)
		heights := make([]float64, histogramBins)
		for _, v := range values {
			heights[binOf(v, lo, hi, histogramBins)] += 100 / float64(len(values))
		}
		xs, ys := stairs(heights, lo, hi)
		line := penOf(0)
		line.width = 1
		return panel{x: axis{label: "value"}, y: axis{label: "draws (%)"},
			marks: []mark{area{xs, ys, nil, line.color, 0.35}, curve{xs, ys, line}}}
	})
	f.title = in.title("Histograms")
	return f, nil
}

// binOf returns the bin of a value; the last bin includes the largest value.
func binOf(v, lo, hi float64, bins int) int {
	if hi <= lo {
		return 0
	}
	return min(bins-1, int((v-lo)/(hi-lo)*float64(bins)))
}
