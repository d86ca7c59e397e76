//go:build !light

package data

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// While a Parquet file is read the memory has no more of its pages than a column of a group of rows takes,
// and some around it.
func TestPagesOfAFileAreGivenBack(t *testing.T) {
	type row struct {
		A float64 `parquet:"a"`
		B float64 `parquet:"b"`
	}
	const rows, group = 1 << 20, 1 << 16
	all := make([]row, rows)
	for i := range all {
		all[i] = row{float64(i), float64(-i)}
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := parquet.WriteFile(path, all, parquet.MaxRowsPerRowGroup(group)); err != nil {
		t.Fatal(err)
	}
	r, err := newReader(path, 1<<30, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, most := r.(*columnFile), 0
	f.decode = func(text []byte, o decoding) ([]Values, error) {
		rest := o.rest
		o.rest = func() {
			most = max(most, inMemory(t, path))
			rest()
		}
		defer func() { most = max(most, inMemory(t, path)) }()
		return parquetColumns(text, o)
	}
	table, list := f.Read()
	if list.HasErrors() {
		t.Fatal(list)
	}
	if b, _ := table.Array("b"); len(b.Numbers) != rows || b.Numbers[rows-1] != 1-rows {
		t.Error("the numbers are not those of the file")
	}
	if most == 0 || most > 16*rows/4 {
		t.Errorf("%d bytes of %d are in memory together", most, 16*rows)
	}
}

// A file that another program shortens while it is read is an error that says so.
func TestFileThatIsShortened(t *testing.T) {
	type row struct {
		A float64 `parquet:"a"`
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := parquet.WriteFile(path, make([]row, 1<<19), parquet.DataPageStatistics(false)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 4<<20); err != nil { // as long as it is, whatever the encoding
		t.Fatal(err)
	}
	r, err := newReader(path, 1<<30, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := r.(*columnFile)
	f.decode = func(text []byte, o decoding) ([]Values, error) {
		if err := os.Truncate(path, 4096); err != nil {
			t.Fatal(err)
		}
		return parquetColumns(text, o)
	}
	if _, list := f.Read(); len(list) != 1 || !strings.Contains(list[0].Message, "was shortened") {
		t.Error(list.Shown())
	}
}

// inMemory is how many bytes of the mappings of a file are in memory.
func inMemory(t *testing.T, path string) (bytes int) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip("the system does not tell: ", err)
	}
	defer f.Close()
	here := false
	for s := bufio.NewScanner(f); s.Scan(); {
		switch words := strings.Fields(s.Text()); {
		case strings.Contains(words[0], "-"):
			here = words[len(words)-1] == path
		case here && words[0] == "Rss:":
			kb, _ := strconv.Atoi(words[1])
			bytes += kb << 10
		}
	}
	return bytes
}
