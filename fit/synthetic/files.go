package synthetic

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
)

// Truth is the name of the table of parameters.
const Truth = "truth.csv"

// Path is where a run looks for the table, in the folder of the model's name. alone is true where the model
// has one party.
func (t *Table) Path(alone bool) string {
	name := t.Party
	switch {
	case t.Member > 0:
		name = filepath.Join(t.Party, strconv.Itoa(t.Member))
	case alone && t.Party != data.OwnerShared:
		name = "data"
	}
	if t.Document() {
		return name + ".json"
	}
	return name + ".csv"
}

// Write writes the tables and the truth to a folder, where none of these files may exist. It returns their
// paths in it, the truth last.
func (s *Simulation) Write(dir string, alone bool) ([]string, error) {
	var paths []string
	for i := range s.Tables {
		paths = append(paths, s.Tables[i].Path(alone))
	}
	paths = append(paths, Truth)
	for _, path := range paths {
		if _, err := os.Lstat(filepath.Join(dir, path)); err == nil {
			return nil, fmt.Errorf("%s exists; name another folder, or remove it", filepath.Join(dir, path))
		}
	}
	for i, path := range paths {
		write := func(w io.Writer) error { return csv.NewWriter(w).WriteAll(s.truth()) }
		if i < len(s.Tables) {
			write = s.Tables[i].write
		}
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := safefile.WriteSoon(path, 0o644, write); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

func (t *Table) write(w io.Writer) error {
	if t.Document() {
		_, err := w.Write(t.document())
		return err
	}
	return csv.NewWriter(w).WriteAll(t.rows())
}

// rows are the header and the rows of a table.
func (t *Table) rows() [][]string {
	out := make([][]string, t.Rows()+1)
	for _, c := range t.Columns {
		out[0] = append(out[0], c.Name)
		for i, cell := range c.Words {
			out[i+1] = append(out[i+1], cell)
		}
	}
	return out
}

func (s *Simulation) truth() [][]string {
	out := [][]string{{"parameter", "owner", "value"}}
	for _, v := range s.Truth {
		out = append(out, []string{v.Name, v.Owner, text(v.Value)})
	}
	return out
}

// Read reads the columns of a CSV, or the entries of a Stan-JSON document, that a simulation is to use, with
// rows in the order of their keys.
func Read(path string) (Table, error) {
	content, err := safefile.Read(path, safefile.MaxBytes)
	if err != nil {
		return Table{}, err
	}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		return readDocument(path, content)
	}
	if strings.HasPrefix(strings.TrimSpace(string(content)), "{") {
		return Table{}, untabled("%s: a CSV table is needed, but this is a document; end its name in .json",
			path)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(content), "\ufeff"))).ReadAll()
	if err != nil || len(rows) < 2 {
		return Table{}, untabled("%s: a CSV table with a header and rows is needed: %v", path, err)
	}
	if at := slices.Index(rows[0], data.DefaultKey); at >= 0 {
		slices.SortStableFunc(rows[1:], func(a, b []string) int { return data.Natural(a[at], b[at]) })
	}
	out := make([]data.Values, len(rows[0]))
	for k, name := range rows[0] {
		out[k].Name = strings.TrimSpace(name)
		for _, row := range rows[1:] {
			out[k].Words = append(out[k].Words, row[k])
		}
	}
	return Table{Columns: out}, nil
}
