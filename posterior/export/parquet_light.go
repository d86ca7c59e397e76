//go:build light

package export

import (
	"io"

	"github.com/vflc/vflc/posterior"
)

// writeTable returns the error that this build does not write Parquet.
func writeTable(io.Writer, *posterior.Draws) error { return ErrLeftOut }
