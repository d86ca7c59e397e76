package data

import (
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"github.com/vflc/vflc/internal/safefile"
)

// WriteSettings writes a vfl.toml by which the files of a model's parties are found, and their rows joined.
func WriteSettings(path string, files map[string][]string, j Joining) error {
	var file struct {
		Data map[string]any `toml:"data"`
		Run  struct {
			Key  string `toml:"key,omitempty"`
			Rows string `toml:"rows,omitempty"`
		} `toml:"run,omitempty"`
	}
	file.Data, file.Run.Key = map[string]any{}, j.Key
	if j.Intersect {
		file.Run.Rows = "intersect"
	}
	for party, list := range files {
		names := make([]string, len(list))
		for i, f := range list {
			var err error
			if names[i], err = relative(filepath.Dir(path), f); err != nil {
				return err
			}
		}
		if file.Data[party] = any(names); len(names) == 1 {
			file.Data[party] = names[0]
		}
	}
	text, err := toml.Marshal(file)
	if err != nil {
		return err
	}
	return safefile.WriteBytes(path, 0o644, text)
}

// relative is the text of a source as it is found from a folder: a path below it relative to it, another one
// absolute.
func relative(dir, source string) (string, error) {
	whole, err := Absolute(source)
	if err != nil || isDatabase(source) {
		return whole, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if below, err := filepath.Rel(dir, whole); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below), nil
	}
	return whole, nil
}
