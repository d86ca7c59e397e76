package plot

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/internal/atomicfile"
)

// A format is one of files, which the ending of their names tells.
type format struct {
	ending string
	write  func(f *Figure, w io.Writer, width, height int) error
}

func formats() []format {
	return []format{{".png", (*Figure).PNG}, {".svg", (*Figure).SVG}}
}

// Endings lists the endings of the names of files that Save writes.
func Endings() []string {
	var out []string
	for _, f := range formats() {
		out = append(out, f.ending)
	}
	return out
}

// CheckEnding returns a *ChoiceError if the name of a file has no ending that Save knows.
func CheckEnding(path string) error {
	_, err := formatOf(path)
	return err
}

func formatOf(path string) (format, error) {
	for _, f := range formats() {
		if f.ending == strings.ToLower(filepath.Ext(path)) {
			return f, nil
		}
	}
	return format{}, choicef("%s: the name of a picture ends in %s", path, strings.Join(Endings(), " or "))
}

// Save writes the figure to a file that its owner alone can read, in the format of its ending and a size in
// pixels; 0: a size that suits the figure. If it fails, the file is as it was.
func (f *Figure) Save(path string, width, height int) error {
	format, err := formatOf(path)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, 0o600, func(w io.Writer) error { return format.write(f, w, width, height) })
}
