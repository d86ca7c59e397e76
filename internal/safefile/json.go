package safefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// WriteJSON replaces the contents of path by a value as JSON, as [Write] does. The file is for its owner.
func WriteJSON(path string, v any) error { return Write(path, 0o600, JSON(v)) }

// JSON writes a value as indented JSON.
func JSON(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
}

// ReadJSON reads a file of JSON into a value, and reports whether there is such a file. The error names it.
func ReadJSON(path string, v any) (bool, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return true, fmt.Errorf("%s: %w", path, err)
	}
	return true, nil
}
