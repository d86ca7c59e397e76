package node

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/align"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/transport"
)

// AlignedSuffix follows the name of an aligned table in that of its alignment.
const AlignedSuffix = ".align.json"

// An Aligned is what stands beside an aligned table: how it was made, and what a run compares it with.
type Aligned struct {
	Schema    int      `json:"schema"`
	Project   string   `json:"project,omitempty"`
	Alignment string   `json:"alignment"` // the same at all parties, and no two have the same
	Key       string   `json:"key"`       // the column of identifiers
	Case      string   `json:"case"`
	Parties   []string `json:"parties"`
	Sizes     []int    `json:"sizes"` // rows with an identifier that each brought
	Rows      int      `json:"rows"`  // those in common
	Salt      string   `json:"salt"`
	Digest    string   `json:"digest"` // of the identifiers in their order: see align.Digest
}

// Identified is a table whose rows can be aligned.
type Identified struct {
	table *data.Table
	path  string
	key   string
	rules align.Rules
	keys  align.Identifiers
}

// Identify reads a table and its identifiers. The error holds diagnostics.
func Identify(path, key string, rules align.Rules) (*Identified, error) {
	table, list := data.Open(path)
	if list.HasErrors() {
		return nil, data.Errors(list)
	}
	ids, list := table.Identifiers(key)
	if list.HasErrors() {
		return nil, data.Errors(list)
	}
	t := &Identified{table: table, path: path, key: key, rules: rules, keys: rules.Normalise(ids)}
	if same := t.keys.Repeated; len(same) > 0 {
		table.RepeatedIdentifier(key, same[0][0], same[0][1], len(same)-1, &list)
	} else if len(t.keys.Normal) == 0 {
		t.fail(&list, diag.BadKey, "no row has an identifier in %s", key)
	}
	if list.HasErrors() {
		return nil, data.Errors(list)
	}
	return t, nil
}

func (t *Identified) fail(list *diag.List, code diag.Code, format string, args ...any) {
	list.Errorf(code, nil, source.Span{}, format, args...).Data = t.path
}

// Without is the number of rows that have no identifier, and are in no common row.
func (t *Identified) Without() int { return t.keys.Without }

// aligned describes a result.
func aligned(project string, id transport.ChainID, key string, rules align.Rules, names []string,
	r *align.Result, rows int) *Aligned {
	a := &Aligned{
		Schema: 1, Project: project, Alignment: hex.EncodeToString(id.Run[:]), Key: key, Case: align.CaseFold,
		Parties: names, Sizes: r.Sizes, Rows: rows,
		Salt: hex.EncodeToString(r.Salt[:]), Digest: hex.EncodeToString(r.Digest[:]),
	}
	if rules.Exact {
		a.Case = align.CaseExact
	}
	return a
}

// write writes the common rows in their order, with the identifiers in their normal form, and the alignment
// beside them.
func (t *Identified) write(path string, rows []int, a *Aligned) error {
	if len(rows) == 0 {
		var list diag.List
		t.fail(&list, diag.NoCommonRows,
			"no identifier in %s is in the tables of all parties (%s); nothing is written", t.key,
			strings.Join(a.Parties, ", "))
		return data.Errors(list)
	}
	of, ids := make([]int, len(rows)), make([]string, len(rows))
	for i, k := range rows {
		of[i], ids[i] = t.keys.Row[k], t.keys.Normal[k]
	}
	if same, err := a.holds(slices.Clone(ids)); err != nil || !same {
		return fmt.Errorf("%s: these are not the rows of its alignment; nothing is written", path)
	}
	if err := safefile.Write(path, 0o600, func(w io.Writer) error {
		return t.table.WriteRows(w, of, t.key, ids)
	}); err != nil {
		return err
	}
	return safefile.WriteJSON(path+AlignedSuffix, a)
}

// holds reports whether a table with these identifiers, which it brings to their normal form, is that of the
// alignment, before both are written and when they have been read. The error is that of an alignment without
// its form.
func (a *Aligned) holds(ids []string) (bool, error) {
	rules, err := align.ParseRules(a.Case)
	salt, bad := hex.DecodeString(a.Salt)
	if err != nil || bad != nil || len(salt) != 32 || a.Schema != 1 {
		return false, errors.New("not an alignment that this version has written")
	}
	for i, id := range ids {
		ids[i] = rules.Normal(id)
	}
	sum := align.Digest([32]byte(salt), ids)
	return hex.EncodeToString(sum[:]) == a.Digest && len(ids) == a.Rows, nil
}

// ReadAligned reads the alignment of a table and compares the table with it. It is nil where there is none.
// The error holds diagnostics where the table is not as it was.
func ReadAligned(path string) (*Aligned, error) {
	a := &Aligned{}
	if there, err := safefile.ReadJSON(path+AlignedSuffix, a); !there || err != nil {
		return nil, err
	}
	table, list := data.Open(path)
	if list.HasErrors() {
		return nil, data.Errors(list)
	}
	ids, list := table.Identifiers(a.Key)
	if list.HasErrors() {
		return nil, data.Errors(list)
	}
	same, err := a.holds(ids)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path+AlignedSuffix, err)
	}
	if !same {
		t := &Identified{path: path}
		t.fail(&list, diag.StaleAlignment,
			"the table is not as its alignment left it: %s has %d rows in an order of their own, the "+
				"table has %d; align again", path+AlignedSuffix, a.Rows, len(ids))
		return nil, data.Errors(list)
	}
	return a, nil
}

// alignmentOf returns the alignment of a party's tables: the same for all that have one; "" where none has.
func alignmentOf(tables []string) (string, error) {
	found := ""
	for _, t := range tables {
		_, path, _ := strings.Cut(t, "=")
		for _, file := range strings.Split(path, ",") {
			a, err := ReadAligned(file)
			switch {
			case err != nil:
				return "", err
			case a == nil:
			case found != "" && found != a.Alignment:
				return "", refuse(CodeData, "%s is of another alignment than the other tables of this party",
					file)
			default:
				found = a.Alignment
			}
		}
	}
	return found, nil
}

// AlignHere aligns tables of this machine in one process: a simulation. tables and out are those of names, of
// which the first is the server.
func AlignHere(ctx context.Context, names []string, tables []*Identified, out []string) (*Aligned, error) {
	keys := make([][]string, len(names))
	for i, t := range tables {
		keys[i] = t.keys.Normal
	}
	results, id, err := align.Simulate(ctx, names, tables[0].rules, keys)
	if err != nil {
		return nil, err
	}
	a := aligned("", id, tables[0].key, tables[0].rules, names, results[0], len(results[0].Rows))
	for i, t := range tables {
		if err := t.write(out[i], results[i].Rows, a); err != nil {
			return nil, err
		}
	}
	return a, nil
}
