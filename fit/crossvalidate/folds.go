package crossvalidate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/runtime/rng"
)

// A division says which rows are in which fold. It follows from the seed that all parties share and from the order of the joined rows.
type division struct {
	parties []string // whose tables are divided
	key     string   // the column that joins them; "": the order of the rows
	byKey   map[string]int
	byRow   map[int]int // by the row of the files
}

// fold returns the fold of a row of a file; -1 where the row is in none, since it was left out when rows were joined.
func (d *division) fold(row int, key string) int {
	k, ok := d.byRow[row]
	if d.byKey != nil {
		k, ok = d.byKey[strings.TrimSpace(key)]
	}
	if !ok {
		return -1
	}
	return k
}

// rows chooses those of fold k, or of all others.
func (d *division) rows(k int, others bool) func(row int, key string) bool {
	return func(row int, key string) bool {
		fold := d.fold(row, key)
		return fold >= 0 && (fold != k) == others
	}
}

// divide assigns the rows of a model's tables to folds.
func divide(b *compile.Bound, tables *data.Dataset, sources data.Sources, o Options) (*division, error) {
	d := &division{}
	rows := 0
	switch joins := tables.Joins; {
	case len(joins) > 1:
		return nil, fmt.Errorf("the tables are joined in %d sets, so that it is not clear whose rows are divided into folds", len(joins))
	case len(joins) == 1:
		d.parties, rows = joins[0].Parties, joins[0].Rows
		if joins[0].Key != data.RowOrder {
			d.key = joins[0].Key
		}
	default:
		for _, h := range tables.Parties {
			if d.parties = append(d.parties, h.Party); len(d.parties) > 1 {
				return nil, fmt.Errorf("the tables have rows of their own, which no key joins: cross-validation divides rows that all parties share")
			}
			rows = h.View.Rows
		}
	}
	if o.Folds < 2 || o.Folds > rows {
		return nil, fmt.Errorf("%d folds of %d rows: there are at least 2 folds, and at most one for each row", o.Folds, rows)
	}
	var keys []string
	if d.key != "" {
		if _, keys = tables.RowKeys(rows); keys == nil {
			return nil, fmt.Errorf("no table has the keys of the joined rows")
		}
	}
	labels, err := d.labels(b, tables, sources, rows, keys, o)
	if err != nil {
		return nil, err
	}
	d.byRow = map[int]int{}
	if keys != nil {
		d.byKey = map[string]int{}
	}
	for i, fold := range assign(labels, o.By != "", o.Folds, o.Seed) {
		if keys != nil {
			d.byKey[keys[i]] = fold
		} else {
			d.byRow[tables.FileRow(d.parties[0], i)] = fold
		}
	}
	return d, nil
}

// labels are what rows are stratified or grouped by, in the order of the joined rows; all equal for neither.
func (d *division) labels(b *compile.Bound, tables *data.Dataset, sources data.Sources, rows int, keys []string, o Options) ([]string, error) {
	if o.Stratify {
		for _, k := range b.Checked.Likelihoods {
			name := leftName(k)
			for _, values := range b.Values {
				if v := values[name]; v != nil && len(v.Values) == rows {
					return texts(v.Values), nil
				}
			}
		}
		return nil, fmt.Errorf("--stratify: no response has one value for each row")
	}
	if o.By == "" {
		return make([]string, rows), nil
	}
	for _, party := range d.parties {
		column, there, err := sources.Texts(party, o.By)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		if keys == nil {
			out := make([]string, rows)
			for i := range out {
				out[i] = column[tables.FileRow(party, i)]
			}
			return out, nil
		}
		own, _, err := sources.Texts(party, d.key)
		if err != nil {
			return nil, err
		}
		of := map[string]string{}
		for i, k := range own {
			of[k] = column[i]
		}
		out := make([]string, rows)
		for i, k := range keys {
			out[i] = of[k]
		}
		return out, nil
	}
	return nil, fmt.Errorf("--by %s: no table whose rows are divided has this column", o.By)
}

func texts(values []float64) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return out
}

// assign gives each row a fold. Rows are permuted and dealt out in turn: without labels all of them, in strata one after another; of groups, whole groups, the next to the fold with the fewest
// rows.
func assign(labels []string, whole bool, folds int, seed uint64) []int {
	n := len(labels)
	out := make([]int, n)
	order := rng.New(rng.SharedKey(seed), "folds").Rand().Perm(n)
	if !whole {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
		for at, row := range order {
			out[row] = at % folds
		}
		return out
	}
	counts, fold := make([]int, folds), map[string]int{}
	of := map[string]int{}
	for _, l := range labels {
		of[l]++
	}
	for _, row := range order {
		k, ok := fold[labels[row]]
		if !ok {
			k = slices.Index(counts, slices.Min(counts))
			fold[labels[row]] = k
			counts[k] += of[labels[row]]
		}
		out[row] = k
	}
	return out
}
