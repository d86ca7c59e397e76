package fit

import (
	"errors"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// Export writes the draws of a run to a path. A light build, which lacks a format, says so by a code.
func Export(f export.Format, path string, r *posterior.Run) error {
	err := f.Write(path, r)
	if errors.Is(err, export.ErrLeftOut) {
		return data.Coded(diag.LeftOut, "%v: run vflc of a release, or build it without -tags light; or export "+
			"CSV or Zarr", err)
	}
	return err
}
