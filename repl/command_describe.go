package repl

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
)

func describeCommand() command {
	return command{name: "describe", args: "COLUMN|PARTY.COLUMN",
		doc: "summarise a column: moments and quantiles of numbers, counts of categories",
		values: func(s *Session, _ []string) []string {
			var out []string
			holders, _ := s.holders()
			for _, h := range holders {
				out = append(out, columnNames(h.table)...)
			}
			return out
		},
		run: func(s *Session, _ context.Context, args string) error { return s.describe(args) }}
}

func (s *Session) describe(name string) error {
	if name == "" {
		return usagef(":describe needs the name of a column")
	}
	holders, err := s.holdersOf("")
	if err != nil {
		return err
	}
	var known []string
	found := false
	for _, h := range holders {
		column := strings.TrimPrefix(name, h.party+".")
		known = append(known, columnNames(h.table)...)
		if a, ok := h.table.Array(column); ok {
			found = true
			if err := s.describeColumn(h, a); err != nil {
				return err
			}
		}
	}
	if !found {
		return usagef("no table has a column %s%s", name, nearest(name, known))
	}
	return nil
}

func (s *Session) describeColumn(h holder, a *data.Array) error {
	if !s.json {
		fmt.Fprintf(s.Out, "%s of %s (%s)\n", a.Name, h.party, h.file)
	}
	if a.Words != nil {
		return s.categories(a)
	}
	var v []float64
	for i, x := range a.Numbers {
		if !a.Missing(i) {
			v = append(v, x)
		}
	}
	slices.Sort(v)
	if len(v) == 0 {
		return s.say("describe", "%s, all missing", grouped.Count(a.Len(), "cell"))
	}
	row := []string{strconv.Itoa(len(v)), strconv.Itoa(a.Len() - len(v))}
	for _, x := range []float64{stat.Mean(v, nil), stat.StdDev(v, nil), v[0], posterior.Quantile(v, 0.25),
		posterior.Quantile(v, 0.5), posterior.Quantile(v, 0.75), v[len(v)-1]} {
		text := "-"
		if !math.IsNaN(x) {
			text = strconv.FormatFloat(x, 'g', 5, 64)
		}
		row = append(row, text)
	}
	return s.lines("describe", []string{"cells", "missing", "mean", "sd", "least", "25%", "50%", "75%",
		"largest"}, [][]string{row})
}

// categories counts the cells of each category.
func (s *Session) categories(a *data.Array) error {
	counts := make([]int, len(a.Words))
	missing := 0
	for i := range a.Len() {
		if a.Missing(i) {
			missing++
		} else {
			counts[a.Codes[i]]++
		}
	}
	var rows [][]string
	for k, word := range a.Words {
		rows = append(rows, []string{word, strconv.Itoa(counts[k])})
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	if missing > 0 {
		rows = append(rows, []string{"(missing)", strconv.Itoa(missing)})
	}
	return s.lines("describe", []string{"category", "cells"}, rows)
}
