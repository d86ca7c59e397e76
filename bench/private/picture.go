package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/posterior/plot"
)

// A place is that of a line of the table, and a measurement what it says.
type place struct {
	family, columns string
	rows            int
	epsilon         float64
}

type measurement struct {
	sets            int
	width, coverage float64
}

// picture draws the widths of a table.
func picture(from, to string) error {
	if from == "" {
		return fmt.Errorf("-picture needs a table: -to FILE")
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	measured, err := lines(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return drawn(measured).Save(to, 0, 0)
}

// lines reads a table. Of two lines of one place that of more data sets counts.
func lines(text string) (map[place]measurement, error) {
	out := map[place]measurement{}
	for k, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if k < 2 {
			continue
		}
		f := strings.Split(strings.Trim(line, "| "), " | ")
		var p place
		var m measurement
		if len(f) != 7 {
			return nil, fmt.Errorf("line %d has %d columns, not 7", k+1, len(f))
		}
		p.family, p.columns = f[0], f[1]
		if _, err := fmt.Sscan(strings.Join(f[2:], " "), &p.rows, &p.epsilon, &m.sets, &m.width,
			&m.coverage); err != nil {
			return nil, fmt.Errorf("line %d: %w", k+1, err)
		}
		if m.sets > out[p].sets {
			out[p] = m
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the table has no lines")
	}
	return out, nil
}

// drawn has a panel for each family and kind of columns, and in it a line for each number of rows.
func drawn(measured map[place]measurement) *plot.Figure {
	rows, epsilons, sets := map[int]bool{}, map[float64]bool{}, map[int]bool{}
	for p, m := range measured {
		rows[p.rows], epsilons[p.epsilon], sets[m.sets] = true, true, true
	}
	var legend, counts []string
	for _, n := range slices.Sorted(maps.Keys(rows)) {
		legend = append(legend, fmt.Sprintf("%d rows", n))
	}
	for _, n := range slices.Sorted(maps.Keys(sets)) {
		counts = append(counts, strconv.Itoa(n))
	}
	var panels []plot.Panel
	for _, f := range families {
		for _, k := range kinds {
			p := plot.Panel{Title: k.name, Y: f.name}
			for _, n := range slices.Sorted(maps.Keys(rows)) {
				var l plot.Line
				for _, epsilon := range slices.Sorted(maps.Keys(epsilons)) {
					if m, ok := measured[place{f.name, k.name, n, epsilon}]; ok {
						l.X, l.Y = append(l.X, epsilon), append(l.Y, m.width)
					}
				}
				p.Lines = append(p.Lines, l)
			}
			panels = append(panels, p)
		}
	}
	return plot.Lines("Width of intervals given a release, beside those of the rows",
		"1: as wide as those of the rows. Each point is a median over "+strings.Join(counts, " or ")+
			" data sets. Axes are logarithmic.", "epsilon", len(kinds), legend, panels)
}
