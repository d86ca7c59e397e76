package assess

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// A Difference is that of a parameter's mean between two runs, in standard deviations of the first.
type Difference struct {
	Name  string           `json:"name"`
	Owner string           `json:"owner"`
	Run   string           `json:"run"` // the second
	Means [2]float64       `json:"means"`
	MCSE  posterior.Number `json:"mcse"` // of the difference, in the same units as SDs
	SDs   posterior.Number `json:"sds"`
	cells []string
}

// shownDifferences is the largest number of differences that are written.
const shownDifferences = 12

// Differences are those of means from the first of some draws, the largest first, without generated
// quantities of many elements. names are those of the runs.
func Differences(names []string, draws []*posterior.Draws) []Difference {
	out := []Difference{}
	first, _ := posterior.Folded(posterior.Summarise(draws[0]))
	for k, d := range draws[1:] {
		rows, _ := posterior.Folded(posterior.Summarise(d))
		for _, row := range rows {
			if i := slices.IndexFunc(first, func(o posterior.SummaryRow) bool {
				return o.Name == row.Name && o.Owner == row.Owner
			}); i >= 0 {
				out = append(out, differenceOf(first[i], row, names[k+1]))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Difference) int {
		return cmp.Compare(math.Abs(float64(b.SDs)), math.Abs(float64(a.SDs)))
	})
	return out
}

func differenceOf(a, b posterior.SummaryRow, run string) Difference {
	sd := float64(a.SD)
	d := Difference{
		Name: b.Name, Owner: b.Owner, Run: run, Means: [2]float64{float64(a.Mean), float64(b.Mean)},
		SDs:  posterior.Number((float64(b.Mean) - float64(a.Mean)) / sd),
		MCSE: posterior.Number(portable.Hypot(float64(a.MCSE), float64(b.MCSE)) / sd),
	}
	apart := fmt.Sprintf("%+.2f ± %s", float64(d.SDs), strconv.FormatFloat(float64(d.MCSE), 'g', 1, 64))
	d.cells = []string{b.Shown(), b.Owner, run, apart, posterior.Limited(float64(a.Mean), float64(a.MCSE)),
		posterior.Limited(float64(b.Mean), float64(b.MCSE))}
	return d
}

// WriteDifferences writes the largest differences as a text table. first is the name of the first run.
func WriteDifferences(w io.Writer, first string, all []Difference) error {
	rows := [][]string{{"parameter", "owner", "run", "sds apart", first, "mean"}}
	for _, d := range all[:min(len(all), shownDifferences)] {
		rows = append(rows, d.cells)
	}
	text := posterior.AlignLeft(rows)
	if len(all) == 0 {
		text = "the runs have no parameter in common\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
