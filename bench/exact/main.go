// Command exact counts how many columns of real tables are exact as float32: unchanged, and after the encoders of `from` clauses.
// It reads every .csv file in the folders given, and the arrays of numbers in every data.json.
//
//	go run ./bench/exact FOLDER…
package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "exact:", err)
		os.Exit(1)
	}
}

func run(folders []string) error {
	var all survey
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			all.add(columnsOf(path))
			return nil
		})
		if err != nil {
			return err
		}
	}
	all.print()
	return nil
}

// columnsOf returns the numeric columns of a file without their missing values, or none where it is not a table.
func columnsOf(path string) [][]float64 {
	switch {
	case strings.HasSuffix(path, ".csv"):
		return fromCSV(path)
	case filepath.Base(path) == "data.json":
		return fromJSON(path)
	}
	return nil
}

func fromCSV(path string) [][]float64 {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) < 3 {
		return nil
	}
	var out [][]float64
	for j, name := range lines[0] {
		if c := numbers(lines[1:], j); c != nil && !rowNumber(name, c) {
			out = append(out, c)
		}
	}
	return out
}

// numbers is column j, or nil if a cell that is not missing is not a number.
func numbers(lines [][]string, j int) []float64 {
	var out []float64
	for _, line := range lines {
		cell := strings.TrimSpace(line[j])
		if slices.Contains([]string{"", "NA", "NaN", "nan"}, cell) {
			continue
		}
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// rowNumber reports whether a column without a title counts the rows.
func rowNumber(title string, c []float64) bool {
	return title == "" && len(c) > 1 && c[1] == c[0]+1
}

func fromJSON(path string) [][]float64 {
	text, err := os.ReadFile(path)
	var values map[string]any
	if err != nil || json.Unmarshal(text, &values) != nil {
		return nil
	}
	var out [][]float64
	for _, v := range values {
		rows, _ := v.([]any)
		if len(rows) < 2 {
			continue
		}
		if first, isMatrix := rows[0].([]any); isMatrix {
			for j := range first {
				out = append(out, pick(rows, func(r any) any { return r.([]any)[j] }))
			}
			continue
		}
		out = append(out, pick(rows, func(r any) any { return r }))
	}
	return out
}

func pick(rows []any, of func(any) any) []float64 {
	var out []float64
	for _, r := range rows {
		if v, ok := of(r).(float64); ok {
			out = append(out, v)
		}
	}
	return out
}

// A survey counts tables and columns.
type survey struct {
	tables, exactTables         int
	large, largeExact, largeFew int
	columns, binary, whole      int
	encoded                     [len(encodings)]count
}

type count struct{ all, exact int }

// add counts the columns of one table that are not constant.
func (s *survey) add(columns [][]float64) {
	var kept [][]float64
	for _, c := range columns {
		if len(c) > 1 && slices.Max(c) > slices.Min(c) {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return
	}
	s.tables++
	numbers, allExact, allFew := 0, true, true
	for _, c := range kept {
		numbers += len(c)
		allExact = allExact && exact(c)
		allFew = allFew && few(c)
		s.column(c)
	}
	if allExact {
		s.exactTables++
	}
	if numbers > threshold {
		s.large++
		if allExact {
			s.largeExact++
		}
		if allExact && allFew {
			s.largeFew++
		}
	}
}

// threshold is the number of float64 that fill a second-level cache of 2 MiB.
const threshold = 1 << 18

func (s *survey) column(c []float64) {
	s.columns++
	if every(c, func(v float64) bool { return v == 0 || v == 1 }) {
		s.binary++
	}
	if every(c, func(v float64) bool { return v == math.Trunc(v) }) {
		s.whole++
	}
	for i, e := range encodings {
		if v := e.of(c); v != nil {
			s.encoded[i].all++
			if exact(v) {
				s.encoded[i].exact++
			}
		}
	}
}

// few reports whether a column has at most 20 different values: models use such a column unchanged, or as categories.
func few(c []float64) bool {
	values := map[float64]bool{}
	for _, v := range c {
		values[v] = true
	}
	return len(values) <= 20
}

func exact(c []float64) bool {
	return every(c, func(v float64) bool { return float64(float32(v)) == v })
}

func every(c []float64, holds func(float64) bool) bool {
	return !slices.ContainsFunc(c, func(v float64) bool { return !holds(v) })
}

// encodings are the encoders whose result may have more digits than the column; that of onehot is always exact.
var encodings = [...]struct {
	name string
	of   func([]float64) []float64
}{
	{"unchanged", func(c []float64) []float64 { return c }},
	{"center", func(c []float64) []float64 {
		m, _ := moments(c)
		return mapped(c, func(v float64) float64 { return v - m })
	}},
	{"zscore", func(c []float64) []float64 {
		m, s := moments(c)
		return mapped(c, func(v float64) float64 { return (v - m) / s })
	}},
	{"log", func(c []float64) []float64 {
		if slices.Min(c) <= 0 {
			return nil
		}
		return mapped(c, math.Log)
	}},
}

func mapped(c []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(c))
	for i, v := range c {
		out[i] = f(v)
	}
	return out
}

// moments returns the mean and the standard deviation with divisor n - 1.
func moments(c []float64) (mean, sd float64) {
	for _, v := range c {
		mean += v / float64(len(c))
	}
	for _, v := range c {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(len(c)-1))
}

func (s *survey) print() {
	fmt.Printf("%d tables, %d numeric columns that vary: %d of 0 and 1, %d of whole numbers\n", s.tables, s.columns, s.binary, s.whole)
	fmt.Printf("%d tables have only exact columns; %d are larger than 2 MiB, %d of these have only exact columns, and %d of these no column of more than 20 values\n", s.exactTables, s.large, s.largeExact, s.largeFew)
	for i, e := range encodings {
		c := s.encoded[i]
		fmt.Printf("%-10s %6d of %6d columns exact as float32 (%.1f %%)\n", e.name, c.exact, c.all, 100*float64(c.exact)/float64(max(1, c.all)))
	}
}
