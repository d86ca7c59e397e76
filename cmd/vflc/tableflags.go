package main

import (
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/internal/safefile"
)

// tableLimits bound the tables of a run, in bytes.
type tableLimits struct {
	most   amount // of a file
	memory amount // of the numbers of tables and graphs, before they are in files; 0: half of the machine's
}

func (f *tableLimits) addLimits(fs *pflag.FlagSet) {
	f.most = safefile.MaxBytes
	fs.Var(&f.most, "max-bytes", "largest size of a table in `bytes`, also as 20GB")
	fs.Var(&f.memory, "memory", "`bytes` of memory for the numbers of tables, also as 2GB: more is in files "+
		"without a name in TMPDIR or /var/tmp while the command runs (default: half of the machine's)")
}

// An amount is a number of bytes.
type amount int64

// String implements pflag.Value.
func (a *amount) String() string { return strconv.FormatInt(int64(*a), 10) }

// Type implements pflag.Value.
func (a *amount) Type() string { return "bytes" }

// Set implements pflag.Value.
func (a *amount) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err == nil && (n == 0 || n > 1<<62) {
		err = strconv.ErrRange
	}
	if err != nil {
		return usagef("%s is no number of bytes, as 2000000000 or 2GB", text)
	}
	*a = amount(n)
	return nil
}
