package main

import (
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/runtime/release"
)

// joinFlags say how the rows of tables are joined.
type joinFlags struct {
	key, rows  string
	identities []string // folders of parties
}

// The values of --rows.
const (
	rowsError     = "error"
	rowsIntersect = "intersect"
)

func (f *joinFlags) addJoins(fs *pflag.FlagSet) {
	fs.StringVar(&f.key, "key", "",
		"`column` on which the rows of the parties' tables are joined (default: id), or none "+
			"for the order of the files")
	fs.StringVar(&f.rows, "rows", rowsError,
		"tables that hold different rows: error, or `intersect` to keep the rows that all have")
}

// addAccount adds the flag of commands that tell something of rows.
func (f *joinFlags) addAccount(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.identities, "identity", nil,
		"`folder` with a party's keys, whose account is kept: what releases of its rows cost is charged, "+
			"what its [budget] does not allow is refused; repeatable")
}

// joining are the rows that are joined, which the accounts of parties note as those of a run without noise.
func (f *joinFlags) joining() (data.Joining, error) {
	switch {
	case f.rows != rowsError && f.rows != rowsIntersect:
		return data.Joining{}, usagef("--rows %s: choose %s or %s", f.rows, rowsError, rowsIntersect)
	case f.rows == rowsIntersect && f.key == data.RowOrder:
		return data.Joining{}, usagef("--rows %s needs a key, and --key %s gives none", rowsIntersect,
			data.RowOrder)
	}
	account, err := node.OpenAccount(f.identities)
	return data.Joining{Key: f.key, Intersect: f.rows == rowsIntersect,
		Rows: account.Rows(release.Terms{NoNoise: true})}, err
}
