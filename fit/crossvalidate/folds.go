package crossvalidate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/runtime/vector"
)

// A division says which rows are in which fold. It follows from the order of the joined rows and from random
// numbers: those that all parties share, or where rows are stratified or grouped by what one party has,
// numbers of its own. The folds then tell the others no more than which rows are together: with random
// numbers that they know they could follow the dealing, and find most of what there is to know.
type division struct {
	tables  *data.Dataset
	count   int
	parties []string // whose tables are divided
	key     string   // the column that joins them; "": the order of the rows
	keys    []string // of the joined rows, in their order; nil without a key
	byKey   map[string]int
	byRow   map[int]int // by the row of the files
	folds   []int       // in the order of the joined rows
}

// fold returns the fold of a row of a file; -1 where the row is in none, since it was left out when rows were
// joined.
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

// divide assigns the rows of a model's tables to folds, where one process has them all.
func divide(b *compile.BoundModel, tables *data.Dataset, sources data.Sources, o Options) (*division, error) {
	d, err := joined(tables, o.Folds)
	if err != nil {
		return nil, err
	}
	l, err := d.labels(b, sources.Texts, o)
	switch {
	case err != nil:
		return nil, err
	case l == nil && o.Stratify:
		return nil, errors.New("--stratify: no response has one value for each row")
	case l == nil:
		return nil, fmt.Errorf("--by %s: no table whose rows are divided has this column", o.By)
	}
	key := vector.SharedKey(o.Seed)
	if l.owner != "" {
		key = vector.SimulatedKey(o.Seed, l.owner)
	}
	d.take(assign(l.texts, o.By != "", o.Folds, key))
	return d, nil
}

// joined finds the rows that are divided.
func joined(tables *data.Dataset, folds int) (*division, error) {
	d := &division{tables: tables}
	switch joins := tables.Joins; {
	case len(joins) > 1:
		return nil, fmt.Errorf("the tables are joined in %d sets, so that it is not clear whose "+
			"rows are divided into folds", len(joins))
	case len(joins) == 1:
		d.parties, d.count = joins[0].Parties, joins[0].Rows
		if joins[0].Key != data.RowOrder {
			d.key = joins[0].Key
		}
	default:
		for _, h := range tables.Parties {
			if d.parties = append(d.parties, h.Party); len(d.parties) > 1 {
				return nil, errors.New("the tables have rows of their own, which no key joins: " +
					"cross-validation divides rows that all parties share")
			}
			d.count = h.View.Rows
		}
	}
	if folds < 2 || folds > d.count {
		return nil, fmt.Errorf("%d folds of %d rows: there are at least 2 folds, and "+
			"at most one for each row", folds, d.count)
	}
	if d.key != "" {
		if _, d.keys = tables.RowKeys(d.count); d.keys == nil {
			return nil, errors.New("no table has the keys of the joined rows")
		}
	}
	return d, nil
}

// take keeps the fold of each row, in the order of the joined rows.
func (d *division) take(folds []int) {
	d.folds = folds
	d.byRow = map[int]int{}
	if d.keys != nil {
		d.byKey = map[string]int{}
	}
	for i, fold := range folds {
		if d.keys != nil {
			d.byKey[d.keys[i]] = fold
		} else {
			d.byRow[d.tables.FileRow(d.parties[0], i)] = fold
		}
	}
}

// numbers are those of the rows of a fold, counted from 1 in the order of the joined rows.
func (d *division) numbers(k int) (out []string) {
	for i, fold := range d.folds {
		if fold == k {
			out = append(out, strconv.Itoa(i+1))
		}
	}
	return out
}

// labels are what rows are stratified or grouped by, in the order of the joined rows; all equal for neither.
type labels struct {
	texts []string
	name  string // of the response or the column
	owner string // the party whose they are; "": all parties have them
}

// labels finds them; nil where nothing that b has is such.
func (d *division) labels(b *compile.BoundModel, texts func(party, column string) ([]string, bool, error),
	o Options) (*labels, error) {
	switch {
	case o.Stratify:
		return d.strata(b), nil
	case o.By == "":
		return &labels{texts: make([]string, d.count)}, nil
	}
	for _, party := range d.parties {
		column, there, err := texts(party, o.By)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		l := &labels{texts: make([]string, d.count), name: o.By, owner: party}
		if party == data.OwnerShared {
			l.owner = ""
		}
		if d.keys == nil {
			for i := range l.texts {
				l.texts[i] = column[d.tables.FileRow(party, i)]
			}
			return l, nil
		}
		own, _, err := texts(party, d.key)
		if err != nil {
			return nil, err
		}
		of := map[string]string{}
		for i, k := range own {
			of[strings.TrimSpace(k)] = column[i]
		}
		for i, k := range d.keys {
			l.texts[i] = of[k]
		}
		return l, nil
	}
	return nil, nil
}

// strata are the values of the first response that has one for each row; nil where none has.
func (d *division) strata(b *compile.BoundModel) *labels {
	for _, k := range b.Checked.Likelihoods {
		name := leftName(k)
		for _, party := range slices.Sorted(maps.Keys(b.Values)) {
			if v := b.Values[party][name]; v != nil && len(v.Values) == d.count {
				if b.Checked.Symbols[name].Owner == check.Shared {
					party = ""
				}
				return &labels{shown(v.Values), name, party}
			}
		}
	}
	return nil
}

func shown(values []float64) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return out
}

// assign gives each row a fold. Rows are permuted and dealt out in turn: without labels all of them, in
// strata one after another; of groups, whole groups, the next to the fold with the fewest rows.
func assign(labels []string, whole bool, folds int, key vector.Key) []int {
	n := len(labels)
	out := make([]int, n)
	order := vector.NewGenerator(key, "folds").Rand().Perm(n)
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
