package plot

import "github.com/vflc/vflc/posterior"

// mostFrames is the largest number of scalars that get a frame each.
const mostFrames = 12

// A Kind is a kind of plot.
type Kind struct {
	Name string
	Doc  string // one phrase
	Most int    // the largest number of scalars that it can show; 0: any
	Draw func(d *posterior.Draws, columns []int, s Size) string
}

// Kinds lists the kinds of plots; the first is the default.
func Kinds() []Kind {
	return []Kind{
		{"forest", "an interval for each scalar on one axis: 5 % to 95 % thin, 25 % to 75 % thick, median", 0, forestOf},
		{"trace", "values over the draws", mostFrames, framed(Trace)},
		{"histogram", "one bar per bin", mostFrames, framed(Histogram)},
	}
}

func forestOf(d *posterior.Draws, columns []int, s Size) string {
	names, values := make([]string, len(columns)), make([][][]float64, len(columns))
	for i, k := range columns {
		names[i], values[i] = d.Columns()[k].Shown(), d.Column(k)
	}
	return Forest(names, values, s)
}

// framed draws one frame for each scalar.
func framed(one func(name string, chains [][]float64, s Size) string) func(*posterior.Draws, []int, Size) string {
	return func(d *posterior.Draws, columns []int, s Size) string {
		text := ""
		for _, k := range columns {
			text += one(d.Columns()[k].Shown(), d.Column(k), s) + "\n"
		}
		return text
	}
}
