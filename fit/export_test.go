package fit

import (
	"testing"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// A format that a build lacks has its code.
func TestExportLeftOut(t *testing.T) {
	lacks := export.Format{Write: func(string, *posterior.Run) error { return export.ErrLeftOut }}
	list, coded := Export(lacks, "draws.parquet", nil).(data.Errors)
	if !coded || len(list) != 1 || list[0].Code != diag.LeftOut {
		t.Errorf("a format that is left out: %v", list)
	}
}
