package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/stdlib"
)

// figures are those of one fit.
type figures struct {
	distance
	trips, bytes, seconds, khat float64
	corrected                   bool
	parameters                  int
}

// over are the numbers of all fits, in order.
func over(all []figures, of func(figures) float64) []float64 {
	var out []float64
	for _, f := range all {
		out = append(out, of(f))
	}
	slices.Sort(out)
	return out
}

func median(x []float64) float64 { return (x[len(x)/2] + x[(len(x)-1)/2]) / 2 }

var byGrid = map[string]string{"estimator": "nested"}

// once fits a model over a grid.
func (s *study) once(p *problem, seed uint64) (figures, error) {
	tables := uint64(0)
	if p.drawn() {
		tables = seed
	}
	truth, err := s.truth(p, tables)
	if err != nil {
		return figures{}, err
	}
	r, seconds, err := s.fitted(p, stdlib.Exact, tables, seed, "", "sfvi", byGrid)
	if err != nil {
		return figures{}, err
	}
	d, err := apart(r, truth, p.quantiles)
	of := &r.Document
	return figures{d, float64(of.Work.Sequential), float64(of.Work.Bytes) / 1e6, seconds,
		float64(of.Diagnostics.Khat), of.Diagnostics.Corrected, len(r.Summary())}, err
}

// judge fits a model from some seeds, prints a line, and reports whether a bar is missed.
func (s *study) judge(p *problem) (bool, error) {
	var all []figures
	for seed := range s.seeds {
		f, err := s.once(p, uint64(s.first+seed))
		if err != nil {
			return true, fmt.Errorf("seed %d: %w", s.first+seed, err)
		}
		if s.each {
			fmt.Printf("%s %d: %.0f trips, %.1f MB, %.1f s, k̂ %.2f, %.0f draws, shift %.3f, sd %.1f %%, "+
				"%.2f of what is allowed (%s), quantiles %.2f\n", p.name, s.first+seed, f.trips, f.bytes,
				f.seconds, f.khat,
				f.draws, f.shift, 100*f.width, f.beyond, f.worst, f.quantile)
		}
		all = append(all, f)
	}
	missed := p.missed(all)
	span := func(form string, of func(figures) float64, far int) string {
		x := over(all, of)
		if f := fmt.Sprintf(form, median(x)); len(x) == 1 {
			return f
		}
		return fmt.Sprintf(form+" ("+form+")", median(x), x[max(0, far*(len(x)-1))])
	}
	const highest, lowest = 1, 0
	fmt.Printf("| %s | %d | %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", p.title, all[0].parameters,
		span("%.0f", func(f figures) float64 { return f.trips }, highest), p.trips,
		span("%.0f", func(f figures) float64 {
			return f.bytes
		}, highest), span("%.1f", func(f figures) float64 { return f.seconds }, highest),
		span("%.2f", func(f figures) float64 {
			return f.khat
		}, highest), span("%.0f", func(f figures) float64 { return f.draws }, lowest),
		span("%.3f", func(f figures) float64 {
			return f.shift
		}, highest), span("%.1f %%", func(f figures) float64 { return 100 * f.width }, highest),
		cmp.Or(strings.Join(missed, "; "), "–"))
	return len(missed) > 0, nil
}

// missed names the bars that are: in more than one seed of ten, and for the trips in any.
func (p *problem) missed(all []figures) (out []string) {
	spared := len(all) / 10
	named := func(name string, holds func(figures) bool, spared int) {
		n := 0
		for _, f := range all {
			if !holds(f) && !(p.handed && !f.corrected) {
				n++
			}
		}
		if n > spared {
			out = append(out, fmt.Sprintf("%s in %d of %d", name, n, len(all)))
		}
	}
	wanted := float64(cmp.Or(p.effective, 1000))
	named("trips", func(f figures) bool { return f.trips <= float64(p.trips) }, 0)
	named("k̂", func(f figures) bool { return f.khat <= 0.7 }, spared)
	named("effective draws", func(f figures) bool { return f.draws >= wanted }, spared)
	named("means or sds", func(f figures) bool { return f.beyond <= 1 }, spared)
	named("quantiles", func(f figures) bool { return f.quantile <= 1 }, spared)
	return out
}

// compare fits a model in other ways.
func (s *study) compare(p *problem) error {
	tables := uint64(0)
	if p.drawn() {
		tables = 1
	}
	truth, err := s.truth(p, tables)
	if err != nil {
		return err
	}
	q := filepath.Join(s.work, p.name+"-q")
	for _, way := range []struct {
		name, dir, backend string
		settings           map[string]string
	}{
		{"nested", q, "sfvi", byGrid},
		{"fixed draws, 512 in a message", "", "sfvi",
			map[string]string{"estimator": "fixed", "draws-per-step": "512"}},
		{"nuts from the grid's draws", "", "nuts", map[string]string{"init": q}},
		{"nuts", "", "nuts", nil},
	} {
		r, seconds, err := s.fitted(p, stdlib.Exact, tables, 1, way.dir, way.backend,
			maps.Clone(way.settings))
		if err != nil {
			fmt.Printf("| %s | %s | %v | | | | | | |\n", p.title, way.name, err)
			continue
		}
		if way.name == "nested" {
			if err := r.Save(q); err != nil {
				return err
			}
		}
		d, err := apart(r, truth, p.quantiles)
		if err != nil {
			return err
		}
		khat := "–"
		if k := float64(r.Document.Diagnostics.Khat); !math.IsNaN(k) && way.backend == "sfvi" {
			khat = fmt.Sprintf("%.2f", k)
		}
		draws := "–"
		if d.draws > 0 { // draws that their weights do not correct have no such number
			draws = fmt.Sprintf("%.0f", d.draws)
		}
		w := r.Document.Work
		fmt.Printf("| %s | %s | %d | %.0f | %.1f | %s | %.3f | %.1f %% | %s |\n", p.title, way.name,
			w.Sequential, float64(w.Bytes)/1e6, seconds, khat, d.shift, 100*d.width, draws)
	}
	return nil
}
