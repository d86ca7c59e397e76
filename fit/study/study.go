package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/lang/source"
)

// A Study is what a file asks for.
type Study struct {
	File    *source.File
	Title   string
	Text    string // a paragraph for the report
	Folder  string // that holds the tables of the study; "": those that a model finds beside it
	absent  string // the first table that it lists and that is not there, so that the models' own are used
	Cells   []*GridCell
	Tables  []Table
	Figures []StudyFigure
	// Reference selects the cells that others are compared with; nil: none.
	Reference *Baseline
}

// A Label is the value of a cell on an axis of the grid.
type Label struct{ Axis, Value string }

// A GridCell is one point of the grid.
type GridCell struct {
	cells.Cell
	Labels []Label
	Span   source.Span // of the block that makes it
}

// Label returns the value of the cell on an axis; ok is false where it has none.
func (c *GridCell) Label(axis string) (value string, ok bool) {
	for _, l := range c.Labels {
		if l.Axis == axis {
			return l.Value, true
		}
	}
	return "", false
}

// Name describes the cell by its labels.
func (c *GridCell) Name() string {
	var parts []string
	for _, l := range c.Labels {
		parts = append(parts, l.Axis+" "+l.Value)
	}
	return strings.Join(parts, ", ")
}

// A Condition holds for cells that have one of some values on an axis.
type Condition struct {
	Axis   string
	Values []string
}

// selects reports whether a cell meets all conditions. A cell without a value on an axis meets those of that
// axis.
func selects(where []Condition, c *GridCell) bool {
	return !slices.ContainsFunc(where, func(w Condition) bool {
		v, ok := c.Label(w.Axis)
		return ok && !slices.Contains(w.Values, v)
	})
}

// has reports whether a cell meets all conditions, with a value on each axis.
func has(where []Condition, c *GridCell) bool {
	return selects(where, c) && !slices.ContainsFunc(where, func(w Condition) bool {
		_, ok := c.Label(w.Axis)
		return !ok
	})
}

// A Heading is a quantity as a table shows it.
type Heading struct {
	Quantity  string
	Parameter string // "": of the cell as a whole
	Title     string
	Span      source.Span
}

// A Table is a line for each combination of the values on some axes.
type Table struct {
	Name, Title, Note string
	Rows, Over        []string // axes: of the lines, and those whose cells are averaged in a line
	Columns           []Heading
	Where             []Condition
	Beside            []Beside
	Span              source.Span
}

// Beside are numbers from elsewhere for some lines of a table.
type Beside struct {
	Source string
	Lines  []BesideLine
}

// A BesideLine has the numbers of the line whose cells meet Where, by the title of the column.
type BesideLine struct {
	Where  []Condition
	Values map[string]string
}

// A StudyFigure is a plot of runs in one picture; with Each, a picture for each combination of the values on
// those axes.
type StudyFigure struct {
	Name, Kind, Note string
	Each, Runs       []string // axes: of the pictures, and those whose values name a run in a picture
	Where            []Condition
	Parameters       []string
	Span             source.Span
}

// A Baseline pairs a cell with the one that meets Where and has the same values on some axes.
type Baseline struct {
	Where []Condition
	Same  []string
	Span  source.Span
}

// Axes lists the axes of the cells, in order of occurrence.
func (s *Study) Axes() []string {
	var out []string
	for _, c := range s.Cells {
		for _, l := range c.Labels {
			if !slices.Contains(out, l.Axis) {
				out = append(out, l.Axis)
			}
		}
	}
	return out
}

// referenceOf returns the cell that one is compared with, nil if there is none or it is the same.
func (s *Study) referenceOf(c *GridCell) *GridCell {
	if s.Reference == nil {
		return nil
	}
	for _, r := range s.Cells {
		if r.Command != c.Command || !has(s.Reference.Where, r) {
			continue
		}
		same := func(axis string) bool {
			a, _ := r.Label(axis)
			b, _ := c.Label(axis)
			return a == b
		}
		if !slices.ContainsFunc(s.Reference.Same, func(axis string) bool { return !same(axis) }) {
			if r == c {
				return nil
			}
			return r
		}
	}
	return nil
}

// Origin says that the tables are not those that the study lists, "" where they are.
func (s *Study) Origin() string {
	if s.absent == "" {
		return ""
	}
	return fmt.Sprintf("The tables are those that the models find, since %s is not there and no folder was "+
		"named: numbers from elsewhere are not of these tables.", s.absent)
}
