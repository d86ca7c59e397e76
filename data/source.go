package data

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Absolute is the text of a source by which it is found from any folder.
func Absolute(source string) (string, error) {
	d, err := databaseOf(source)
	if d == nil || err != nil {
		return filepath.Abs(source)
	}
	return d.moved(filepath.Abs)
}

// Split lists the sources of a family: what stands between commas, or one address of a database, in which
// commas are part of the query.
func Split(sources string) []string {
	if isDatabase(sources) {
		return []string{sources}
	}
	return strings.Split(sources, ",")
}

// beside is the text of a source whose path, if it has one, is relative to a folder.
func beside(dir, source string) string {
	join := func(path string) (string, error) {
		if filepath.IsAbs(path) {
			return path, nil
		}
		return filepath.Join(dir, path), nil
	}
	out, _ := join(source)
	if d, err := databaseOf(source); err != nil {
		return source // which is refused where it is read
	} else if d != nil {
		out, _ = d.moved(join)
	}
	return out
}

// Found lists the sources that a text names from a folder, as in [data] of a vfl.toml: a database, a file, or
// the files that a pattern matches. nil: there are none.
func Found(dir, source string) []string {
	at := beside(dir, source)
	if isDatabase(at) || isFile(at) {
		return []string{at}
	}
	return matches(at)
}

// Copy writes what a source consists of: the bytes of a file, or the result of a query as CSV. again is
// false, and nothing is written, where it can be read only once.
func Copy(w io.Writer, source string) (again bool, err error) {
	d, err := databaseOf(source)
	if err != nil {
		return false, err
	}
	if d != nil {
		return true, d.write(w)
	}
	info, err := os.Stat(source)
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	f, err := os.Open(source)
	if err != nil {
		return false, err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return true, err
}

func (d *database) write(w io.Writer) error {
	columns, err := d.columns()
	if err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	out, row := csv.NewWriter(w), make([]string, len(columns))
	for k, c := range columns {
		row[k] = c.Name
	}
	err = out.Write(row)
	for i := 0; err == nil && i < columns[0].len(); i++ {
		for k, c := range columns {
			switch row[k] = ""; {
			case c.Words != nil:
				row[k] = c.Words[i]
			case !math.IsNaN(c.Numbers[i]):
				row[k] = written(c.Numbers[i])
			}
		}
		err = out.Write(row)
	}
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}
