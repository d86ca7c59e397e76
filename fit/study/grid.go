package study

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

// A draft is a cell that is being put together.
type draft struct {
	command, model, data *node

	flags  []cells.Flag
	labels []Label
}

// cells makes the cells of a block: every combination of what it varies, the last axis fastest.
func (r *reader) cells(n *node) {
	r.known(n, "cells", []string{"command", "model", "data", "label", "flags", "vary"})
	first := draft{command: n.field("command"), model: n.field("model"), data: n.field("data")}
	for _, f := range r.tablesOf(n, "label").fields {
		if r.want(f.value, "a label", text) {
			first.labels = append(first.labels, Label{f.name, f.value.text})
		}
	}
	first.flags = merged(r.flags, r.flagsOf(n.field("flags")))
	drafts := []draft{first}
	for _, axis := range r.tablesOf(n, "vary").fields {
		drafts = r.vary(drafts, axis)
	}
	for _, d := range drafts {
		r.cell(n, d)
	}
}

// vary makes of each draft one for each value of an axis.
func (r *reader) vary(drafts []draft, axis *field) []draft {
	if axis.value.kind != array || len(axis.value.list) == 0 {
		r.errorf(diag.BadStudy, axis.span, "vary gives %s a list of values", axis.name)
		return drafts
	}
	if len(drafts) > 0 && slices.ContainsFunc(drafts[0].labels, func(l Label) bool {
		return l.Axis == axis.name
	}) {
		r.errorf(diag.BadStudy, axis.span, "%s is a label of these cells already", axis.name)
		return drafts
	}
	var out []draft
	for _, d := range drafts {
		for _, v := range axis.value.list {
			out = append(out, r.varied(d, axis, v))
		}
	}
	return out
}

// varied is a draft with a value of an axis: of the flag of that name, or what a table says.
func (r *reader) varied(d draft, axis *field, v *node) draft {
	d.labels = slices.Clone(d.labels)
	if v.kind != table {
		d.labels = append(d.labels, Label{axis.name, v.text})
		d.flags = merged(d.flags, r.flagOf(&field{axis.name, v.span, v}))
		return d
	}
	is := v.field("is")
	if is == nil {
		r.errorf(diag.BadStudy, v.span, "a value of %s that is a table has a name",
			axis.name).Note("as { is = \"mean-field\", guide = \"meanfield\" }")
		return d
	}
	d.labels = append(d.labels, Label{axis.name, is.text})
	for _, f := range v.fields {
		switch f.name {
		case "is":
		case "command":
			d.command = f.value
		case "model":
			d.model = f.value
		case "data":
			d.data = f.value
		default:
			d.flags = merged(d.flags, r.flagOf(f))
		}
	}
	return d
}

// cell finishes a draft.
func (r *reader) cell(n *node, d draft) {
	c := &GridCell{Cell: cells.Cell{Command: Commands()[0].Name, Flags: d.flags}, Labels: d.labels,
		Span: n.span}
	if d.command != nil {
		c.Command = d.command.text
		if _, ok := CommandOf(c.Command); !ok {
			r.once(diag.BadStudy, d.command, "a cell is one of the commands "+strings.Join(commandNames(),
				", ")+posterior.Suggestion(c.Command, commandNames()))
		}
	}
	switch {
	case d.model == nil:
		r.once(diag.BadStudy, n, "cells have a model, as model = \"FILE.vfl\"")
		return
	case !r.want(d.model, "model", text):
		return
	}
	c.Model = r.relative(d.model.text)
	if _, err := os.Stat(c.Model); err != nil {
		r.once(diag.BadStudy, d.model, d.model.text+" cannot be opened; models are relative to the study")
	}
	if d.data != nil {
		c.Flags = append(slices.Clone(c.Flags), r.files(d.data)...)
	}
	for _, other := range r.study.Cells {
		if slices.Equal(other.Labels, c.Labels) {
			r.once(diag.BadStudy, n, "two cells have the same labels ("+c.Name()+
				"); label = { … } tells blocks apart")
			return
		}
	}
	r.study.Cells = append(r.study.Cells, c)
}

// once reports what is wrong with a value that many cells have.
func (r *reader) once(code diag.Code, n *node, message string) {
	for _, d := range r.list {
		if d.Code == code && d.Span == n.span && d.Message == message {
			return
		}
	}
	r.errorf(code, n.span, "%s", message)
}

// files are the flags that give the tables of a data set: those in the folder of tables, and without one
// those beside the study; none where these are not there.
func (r *reader) files(n *node) []cells.Flag {
	set := r.data.field(n.text)
	if n.kind != text || set == nil || set.kind != table {
		r.once(diag.BadStudy, n, "the study has no [data."+n.text+"]"+posterior.Suggestion(n.text,
			r.data.names()))
		return nil
	}
	folder := r.study.Folder
	if folder == "" {
		// where they are if they are anywhere: else a cell has the tables of its model
		folder = filepath.Dir(r.study.File.Name)
	}
	var out []cells.Flag
	for _, f := range set.fields {
		names, ok := f.value.texts()
		if !ok {
			r.once(diag.BadStudy, f.value, "the tables of "+f.name+" are a file, or a list of files")
			continue
		}
		var found []string
		for _, name := range names {
			some := data.Found(folder, filepath.FromSlash(name))
			if some == nil && r.study.Folder == "" {
				r.study.absent = cmp.Or(r.study.absent, name)
				return nil
			}
			if some == nil {
				r.once(diag.NoStudyData, f.value, filepath.Join(folder, name)+", a table of "+f.name+
					", is not there; --data names the folder that has the tables of the study")
			}
			found = append(found, some...)
		}
		out = append(out, cells.Flag{Name: cells.DataFlag, Value: f.name + "=" + strings.Join(found, ","),
			Span: f.span})
	}
	return out
}

// flagsOf reads a table of flags.
func (r *reader) flagsOf(n *node) []cells.Flag {
	var out []cells.Flag
	if n == nil || !r.want(n, "flags", table) {
		return nil
	}
	for _, f := range n.fields {
		out = append(out, r.flagOf(f)...)
	}
	return out
}

// flagOf reads a flag; of a list one for each element.
func (r *reader) flagOf(f *field) []cells.Flag {
	if slices.Contains(cells.OwnFlags(), f.name) {
		r.once(diag.BadCell, &node{span: f.span},
			"--"+f.name+
				" is not for a cell: the study says where results and tables are, and a "+
				"result depends on these alone")
		return nil
	}
	values, ok := f.value.texts()
	if !ok {
		r.once(diag.BadStudy, f.value,
			f.name+" is a flag, whose value is a text, a number, true or false, or a list of them")
		return nil
	}
	var out []cells.Flag
	for _, v := range values {
		out = append(out, cells.Flag{Name: f.name, Value: v, Span: f.value.span})
	}
	return out
}

// merged are flags in which later ones take the place of earlier ones of the same name.
func merged(flags, later []cells.Flag) []cells.Flag {
	out := slices.DeleteFunc(slices.Clone(flags), func(f cells.Flag) bool {
		return slices.ContainsFunc(later, func(l cells.Flag) bool { return l.Name == f.Name })
	})
	return append(out, later...)
}
