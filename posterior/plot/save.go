package plot

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/internal/safefile"
)

// Ending is that of the names of files that Save writes.
const Ending = ".svg"

// CheckEnding returns a *ChoiceError if the name of a file has another ending.
func CheckEnding(path string) error {
	if strings.ToLower(filepath.Ext(path)) != Ending {
		return choicef("%s: the name of a picture ends in %s", path, Ending)
	}
	return nil
}

// Save writes the figure to an SVG file that its owner alone can read, in a size in pixels; 0: a size that
// suits the figure. If it fails, the file is as it was.
func (f *Figure) Save(path string, width, height int) error {
	if err := CheckEnding(path); err != nil {
		return err
	}
	return safefile.Write(path, 0o600, func(w io.Writer) error { return f.SVG(w, width, height) })
}
