package posterior

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ELBO reads the trace of the evidence lower bound of a variational fit. It is nil for other runs, and for
// draws outside the folder of a run. The error names a file that was altered.
func (r *Run) ELBO() ([]ELBOPoint, error) {
	if r.Record == nil {
		return nil, nil
	}
	path := filepath.Join(r.Path, ELBOFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := verifyFiles(r.Path, r.Record, ELBOFile); err != nil {
		return nil, err
	}
	trace, err := ReadELBO(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return trace, nil
}
