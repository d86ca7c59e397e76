package study

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
)

// A picture is a figure that was drawn, or why it was not.
type picture struct {
	name, caption, missing string
}

// Write makes of the results what the study asks for: the tables as CSV, the figures as SVG, all
// numbers in one CSV, and a report in Markdown. It returns the tables.
func (s *Store) Write(study *Study, results []*Result) ([]Sheet, error) {
	for _, dir := range []string{tablesDir, figuresDir} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), ownerOnlyFolder); err != nil {
			return nil, err
		}
	}
	var sheets []Sheet
	for _, t := range study.Tables {
		sheet := t.Sheet(results)
		sheets = append(sheets, sheet)
		if err := safefile.Write(filepath.Join(s.dir, tablesDir, t.Name+".csv"), ownerOnly,
			sheet.WriteCSV); err != nil {
			return nil, err
		}
	}
	var pictures []picture
	for _, f := range study.Figures {
		drawn, err := s.draw(study, f, results)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, drawn...)
	}
	if err := safefile.Write(filepath.Join(s.dir, ValuesFile), ownerOnly, func(w io.Writer) error {
		return WriteValues(w, study, results)
	}); err != nil {
		return nil, err
	}
	text := markdown(study, results, sheets, pictures)
	return sheets, safefile.WriteBytes(filepath.Join(s.dir, ReportFile), ownerOnly, []byte(text))
}

// draw draws the pictures of a figure.
func (s *Store) draw(study *Study, f StudyFigure, results []*Result) (out []picture, err error) {
	keys, _ := groups(slices.DeleteFunc(slices.Clone(results), func(r *Result) bool {
		return !whole(f.Each, r.Cell)
	}), f.Where, f.Each)
	for _, key := range keys {
		var each []Condition
		p := picture{name: f.Name}
		for k, axis := range f.Each {
			each = append(each, Condition{axis, []string{key[k]}})
			p.name += "-" + fileWord(axis+key[k])
		}
		if p.caption = f.Note; len(key) > 0 {
			p.caption = strings.TrimSpace(shownKey(f.Each, key) + ". " + f.Note)
		}
		var shown []plot.RunView
		for _, r := range results {
			if r.Failed == "" && r.run != nil && has(f.Where, r.Cell) && selects(each, r.Cell) {
				one, err := f.run(study, r)
				if err != nil {
					return nil, err
				}
				if f.Kind != elboKind || one.ELBO != nil {
					shown = append(shown, one)
				}
			}
		}
		if p.missing, err = s.save(f, p.name, shown); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// draws reports whether a figure shows a cell.
func (s *Study) draws(c *GridCell) bool {
	return slices.ContainsFunc(s.Figures, func(f StudyFigure) bool { return has(f.Where, c) })
}

// elboKind is the kind of plot that shows those of the runs that have a trace.
const elboKind = "elbo"

// whole reports whether a cell has a value on every axis.
func whole(axes []string, c *GridCell) bool {
	return !slices.ContainsFunc(axes, func(axis string) bool { _, ok := c.Label(axis); return !ok })
}

// fileWord is a text as part of the name of a file.
func fileWord(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '.':
			return c
		}
		return -1
	}, text)
}

// run is a result as a plot shows it, under the values that tell it from the others of its picture.
func (f StudyFigure) run(study *Study, r *Result) (plot.RunView, error) {
	axes := f.Runs
	if axes == nil {
		for _, axis := range study.Axes() {
			if !slices.Contains(f.Each, axis) {
				axes = append(axes, axis)
			}
		}
	}
	var words []string
	for _, axis := range axes {
		v, ok := r.Cell.Label(axis)
		if _, err := strconv.ParseFloat(v, 64); err == nil {
			v = axis + " " + v // a number alone says little
		}
		if ok {
			words = append(words, v)
		}
	}
	out := plot.RunView{Name: strings.Join(words, ", "), Draws: r.run.Draws}
	var err error
	out.ELBO, err = r.run.ELBO()
	return out, err
}

// save draws a picture into its file; missing says why there is none.
func (s *Store) save(f StudyFigure, name string, shown []plot.RunView) (missing string, err error) {
	if len(shown) == 0 {
		return "no cell of this picture has a result", nil
	}
	figure, err := plot.Make(f.Kind, shown, f.Parameters)
	if err != nil {
		return err.Error(), nil
	}
	return "", figure.Save(filepath.Join(s.dir, figuresDir, name+plot.Ending), 0, 0)
}

// markdown is the report.
func markdown(study *Study, results []*Result, sheets []Sheet, pictures []picture) string {
	var b strings.Builder
	paragraph := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			b.WriteString(text + "\n\n")
		}
	}
	paragraph("# " + cmp.Or(study.Title, strings.TrimSuffix(filepath.Base(study.File.Name),
		filepath.Ext(study.File.Name))))
	paragraph(study.Text)
	paragraph(study.Origin())
	for _, s := range sheets {
		paragraph("## " + s.Name())
		paragraph(s.Table.Note)
		paragraph(s.Markdown())
	}
	for _, p := range pictures {
		paragraph("## " + p.name)
		paragraph(p.caption)
		if p.missing != "" {
			paragraph("No picture: " + p.missing + ".")
			continue
		}
		paragraph(fmt.Sprintf("![%s](%s)", p.name, path.Join(figuresDir, p.name+".svg")))
	}
	paragraph("## Cells")
	paragraph("The result of a cell is in the folder `" + cellsDir +
		"` under its name here; `vflc diagnose` shows the findings that are counted by class: convergence " +
		"of the algorithm, error of an approximation, and moved, by what noise has moved the answer.")
	lines := Sheet{Header: slices.Concat([]string{"cell"}, study.Axes(), []string{"result"})}
	for _, r := range results {
		line := []string{"`" + r.ID + "`"}
		for _, axis := range study.Axes() {
			v, _ := r.Cell.Label(axis)
			line = append(line, v)
		}
		why, _, _ := strings.Cut(r.Failed, "\n")
		lines.Lines = append(lines.Lines, append(line, cmp.Or(why, r.Doubts(), "done")))
	}
	paragraph(lines.Markdown())
	return b.String()
}

// A CellDocument is a cell with its numbers, as JSON has it.
type CellDocument struct {
	ID     string            `json:"id"`
	Labels map[string]string `json:"labels"`
	Failed string            `json:"failed,omitempty"`
	// Findings are counts by class.
	Findings map[posterior.Class]int `json:"findings,omitempty"`
	Values   []ValueDocument         `json:"values"`
}

// A ValueDocument is a number of a cell.
type ValueDocument struct {
	Quantity  string           `json:"quantity"`
	Parameter string           `json:"parameter,omitempty"`
	Value     posterior.Number `json:"value"`
	SE        posterior.Number `json:"se"` // over folds; null of a single number
}

// Document is the results as JSON has them.
func Document(study *Study, results []*Result) any {
	cells := []CellDocument{}
	for _, r := range results {
		c := CellDocument{ID: r.ID, Labels: map[string]string{}, Failed: r.Failed, Findings: r.Findings,
			Values: []ValueDocument{}}
		for _, l := range r.Cell.Labels {
			c.Labels[l.Axis] = l.Value
		}
		for _, v := range r.Values {
			a := average(v.Samples)
			c.Values = append(c.Values, ValueDocument{v.Quantity, v.Parameter, posterior.Number(a.Mean),
				posterior.Number(a.SE)})
		}
		cells = append(cells, c)
	}
	return map[string]any{"schema": posterior.Schema, "study": study.Title, "cells": cells}
}
