package posterior

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A StanFile is one chain read from a Stan CSV file, written by this program or by CmdStan.
type StanFile struct {
	Columns []string // names of the parameters' scalars as in the file, "slope.2.3"
	Values  [][]float64
	// nil if the comments name a sampler of independent draws; statistics that the file does not have are
	// NaN, or 0
	Transitions []Transition
}

// ReadStanCSV reads the draws of one chain; saved warm-up draws are not distinguished from others. The error
// gives the line.
func ReadStanCSV(r io.Reader) (*StanFile, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<30)
	f := &stanReader{}
	for number := 1; in.Scan(); number++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			f.comment(line)
			continue
		}
		if err := f.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if f.header == nil {
		return nil, errors.New("no header: this is not a Stan CSV file")
	}
	f.byColumn()
	file := f.StanFile // without the fields of the reader
	return &file, nil
}

type stanReader struct {
	StanFile
	header  []string
	at      []int // per column: its index in Columns, -1 for columns of the sampler
	sampler map[string]int
	// independent: the sampler draws independently. A file whose comments do not name its sampler is taken
	// for a Markov chain, whose mixing is examined.
	independent bool
	row         []float64
	draws       [][]float64 // by draw: the values of Columns
}

// comment reads the sampler from CmdStan's comments "# method = variational" and "# algorithm = fixed_param".
func (f *stanReader) comment(line string) {
	name, value, ok := strings.Cut(strings.TrimLeft(line, "# "), "=")
	if !ok {
		return
	}
	value, _, _ = strings.Cut(strings.TrimSpace(value), " ")
	switch strings.TrimSpace(name) {
	case "method":
		// all others approximate the posterior, and draw from that
		f.independent = value != "sample" && value != "generate_quantities"
	case "algorithm":
		f.independent = f.independent || value == "fixed_param"
	}
}

func (f *stanReader) line(line string) error {
	cells := strings.Split(line, ",")
	if f.header == nil {
		return f.names(cells)
	}
	if len(cells) != len(f.header) {
		return fmt.Errorf("%d numbers for %d columns", len(cells), len(f.header))
	}
	for k, c := range cells {
		v, err := strconv.ParseFloat(strings.TrimSpace(c), 64)
		if err != nil {
			return fmt.Errorf("column %s: %q is not a number", f.header[k], c)
		}
		f.row[k] = v
	}
	f.draws = append(f.draws, f.parameters())
	if !f.independent {
		f.Transitions = append(f.Transitions, f.transition())
	}
	return nil
}

// parameters copies the values of parameters from the row.
func (f *stanReader) parameters() []float64 {
	draw := make([]float64, len(f.Columns))
	for k, at := range f.at {
		if at >= 0 {
			draw[at] = f.row[k]
		}
	}
	return draw
}

// byColumn stores the draws by column, in one allocation.
func (f *stanReader) byColumn() {
	n := len(f.draws)
	all := make([]float64, n*len(f.Columns))
	f.Values = make([][]float64, len(f.Columns))
	for k := range f.Values {
		f.Values[k] = all[k*n : (k+1)*n : (k+1)*n]
	}
	for i, draw := range f.draws {
		for k, v := range draw {
			f.Values[k][i] = v
		}
	}
}

func (f *stanReader) names(header []string) error {
	f.header, f.sampler = header, map[string]int{}
	f.row, f.at = make([]float64, len(header)), make([]int, len(header))
	if err := distinct(header); err != nil {
		return err
	}
	for k, name := range header {
		if strings.HasSuffix(name, "__") {
			f.sampler[name], f.at[k] = k, -1
			continue
		}
		f.at[k] = len(f.Columns)
		f.Columns = append(f.Columns, name)
	}
	if len(f.sampler) == 0 {
		return errors.New("the header has no lp__: this is not a Stan CSV file")
	}
	return nil
}

// distinct is an error where a column has no name, or that of another.
func distinct(header []string) error {
	seen := make(map[string]bool, len(header))
	for _, name := range header {
		if name == "" || seen[name] {
			return fmt.Errorf("the header has an empty name, or has %q twice", name)
		}
		seen[name] = true
	}
	return nil
}

func (f *stanReader) transition() Transition {
	get := func(name string) float64 {
		if k, ok := f.sampler[name]; ok {
			return f.row[k]
		}
		return math.NaN()
	}
	count := func(name string) int {
		if v := get(name); v-v == 0 {
			return int(v)
		}
		return 0
	}
	return Transition{
		LP: get("lp__"), Accept: get("accept_stat__"), StepSize: get("stepsize__"), Energy: get("energy__"),
		TreeDepth: count("treedepth__"), Leapfrogs: count("n_leapfrog__"),
		Divergent: count("divergent__") != 0,
	}
}

// Gather combines chains that were read into draws. vars are the variables in the order of the columns, as
// the run recorded them; if nil, they follow from the columns' names. The error names a chain with other
// columns or another number of draws.
func Gather(chains []*StanFile, vars []Variable) (*Draws, error) {
	if len(chains) == 0 {
		return nil, errors.New("no chains")
	}
	if vars == nil {
		vars = variablesOfStan(chains[0].Columns)
	}
	names := stanNames(vars)
	d := &Draws{Vars: vars, columns: Columns(vars), values: make([][][]float64, len(chains))}
	for c, f := range chains {
		switch {
		case !slices.Equal(f.Columns, names):
			return nil, fmt.Errorf("chain %d: its columns are not those expected: %s", c+1,
				firstDifference(f.Columns, names))
		case f.length() != chains[0].length():
			return nil, fmt.Errorf("chain %d has %d draws, but chain 1 has %d", c+1, f.length(),
				chains[0].length())
		case (f.Transitions == nil) != (chains[0].Transitions == nil):
			return nil, fmt.Errorf("chain %d comes from another kind of sampler than chain 1", c+1)
		}
		d.values[c] = f.Values
		if f.Transitions != nil {
			d.Transitions = append(d.Transitions, f.Transitions)
		}
	}
	return d, nil
}

func (f *StanFile) length() int {
	if len(f.Values) == 0 {
		return 0
	}
	return len(f.Values[0])
}

func firstDifference(got, want []string) string {
	for k, name := range got {
		if k >= len(want) || name != want[k] {
			return fmt.Sprintf("column %d is %s", k+1, name)
		}
	}
	return fmt.Sprintf("%d columns, not %d", len(got), len(want))
}

// variablesOfStan groups columns x.1.1, x.2.1, … into variables without owners.
func variablesOfStan(columns []string) []Variable {
	names := make([]Scalar, len(columns))
	for k, c := range columns {
		if base, index, ok := strings.Cut(c, "."); ok {
			c = base + "[" + strings.ReplaceAll(index, ".", ",") + "]"
		}
		names[k].Name = c
	}
	return Variables(names)
}

// Variables is the inverse of Columns: it groups scalars by name, "slope[2,3]" being an element of slope and
// "lab[2].b" a scalar.
func Variables(columns []Scalar) []Variable {
	var out []Variable
	for _, c := range columns {
		base, index := c.Name, []int(nil)
		if open := strings.LastIndexByte(c.Name, '['); open > 0 && strings.HasSuffix(c.Name, "]") {
			if parsed, ok := parseIndex(c.Name[open+1 : len(c.Name)-1]); ok {
				base, index = c.Name[:open], parsed
			}
		}
		last := len(out) - 1
		if last < 0 || out[last].Name != base || len(out[last].Dims) != len(index) || index == nil {
			out = append(out, Variable{Name: base, Owner: c.Owner, Dims: index, Point: c.Point,
				Generated: c.Generated})
			continue
		}
		for k, v := range index {
			out[last].Dims[k] = max(out[last].Dims[k], v)
		}
	}
	return out
}

func parseIndex(text string) ([]int, bool) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.Atoi(part)
		if err != nil || v < 1 {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}
