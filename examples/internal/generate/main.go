// Command generate writes the data of the examples, the same bytes every time:
//
//	go run ./examples/internal/generate [FOLDER]
//
// FOLDER is that of the repository. Beside the tables of a regression, truth.csv lists the parameter values
// that generated the data. The data in tests/fixtures have noise on the predictor, as large as that of rho =
// 1: tests compare figures that were measured on them.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/vflc/vflc/runtime/vector"
)

func main() {
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if err := write(folder, files()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// files are the contents of all files, by path below the folder.
func files() map[string][]byte {
	out := map[string][]byte{}
	for place, data := range map[string][]map[string][]byte{
		"examples":       {linear(), logistic(0), poissonMultilevel(), heartDisease("split_nn")},
		"tests/fixtures": {linear(), logistic(1)},
	} {
		for _, d := range data {
			for name, text := range d {
				out[path.Join(place, name)] = text
			}
		}
	}
	return out
}

func write(folder string, files map[string][]byte) error {
	for name, text := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// seed fixes the data of the examples; another seed gives other data of the same designs.
const seed = 20240501

// normals returns n standard normal numbers of a named stream, rounded to the decimals of the tables.
func normals(name string, n int) []float64 {
	out := make([]float64, n)
	vector.NewGenerator(vector.SharedKey(seed), name).Normals(out)
	for i, v := range out {
		out[i] = rounded(v)
	}
	return out
}

// rounded returns v rounded to six decimals, so that the other columns are computed from exactly the numbers
// in the tables.
func rounded(v float64) float64 {
	r, err := strconv.ParseFloat(decimal(v), 64)
	if err != nil {
		panic("generate: a formatted number does not parse: " + err.Error())
	}
	return r
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

// dot is Σ x·beta. The conversions keep compilers from fusing multiplication and addition, which would change
// bytes between machines.
func dot(x, beta []float64) float64 {
	s := 0.0
	for k := range x {
		s += float64(x[k] * beta[k])
	}
	return s
}

// table is a CSV with a key column id (p0001, p0002, …) and rows of cells.
func table(columns []string, rows int, cell func(row, column int) string) []byte {
	var b bytes.Buffer
	b.WriteString("id")
	for _, c := range columns {
		b.WriteString("," + c)
	}
	for i := range rows {
		fmt.Fprintf(&b, "\np%04d", i+1)
		for k := range columns {
			b.WriteString("," + cell(i, k))
		}
	}
	b.WriteString("\n")
	return b.Bytes()
}

// numbered gives prefix1, prefix2, … from first to last.
func numbered(prefix string, first, last int) []string {
	var out []string
	for k := first; k <= last; k++ {
		out = append(out, prefix+strconv.Itoa(k))
	}
	return out
}

// truth lists values by the name of their parameter.
type truth struct{ bytes.Buffer }

func newTruth() *truth {
	t := &truth{}
	t.WriteString("name,value\n")
	return t
}

func (t *truth) scalar(name string, v float64) { fmt.Fprintf(t, "%s,%s\n", name, decimal(v)) }

func (t *truth) vector(name string, v []float64) {
	for k, x := range v {
		t.scalar(fmt.Sprintf("%s[%d]", name, k+1), x)
	}
}
