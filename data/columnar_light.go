//go:build light

package data

import "github.com/vflc/vflc/lang/diag"

// arrowColumns returns the error that this build does not read Arrow.
func arrowColumns([]byte, decoding) ([]Values, error) { return columnar("Arrow") }

// parquetColumns returns the error that this build does not read Parquet.
func parquetColumns([]byte, decoding) ([]Values, error) { return columnar("Parquet") }

func columnar(format string) ([]Values, error) {
	return nil, Coded(diag.LeftOut, "a light build does not read %s: run vflc of a release, or build it "+
		"without -tags light; or write the table as CSV", format)
}
