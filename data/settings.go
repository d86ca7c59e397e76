package data

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/vflc/vflc/lang/diag"
)

// SettingsFile is the name of the file beside a model that says what flags say.
const SettingsFile = "vfl.toml"

// RunSettings reads section [run] of the vfl.toml beside a model: what flags of vflc run say, by name. There
// may be no such file or section. path is that of the file, and the errors name it.
func RunSettings(model string) (settings map[string]any, path string, err error) {
	path = filepath.Join(filepath.Dir(model), SettingsFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, path, nil
	}
	if err != nil {
		return nil, path, err
	}
	var file struct {
		Run map[string]any `toml:"run"`
	}
	if err := toml.Unmarshal(text, &file); err != nil {
		return nil, path, fmt.Errorf("%s: %w", path, err)
	}
	return file.Run, path, nil
}

// settings reads [data] of a vfl.toml: party = "file", or for a family a list of files and patterns. Paths
// are relative to the file. Other sections are not read here. Flags take precedence.
func (l *locator) settings(path string) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		fail(&l.list, diag.Unreadable, path, "%s", reason(err))
		return
	}
	var file struct {
		Data map[string]any `toml:"data"`
	}
	if err := toml.Unmarshal(text, &file); err != nil {
		line := 1
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			line, _ = bad.Position()
		}
		fail(&l.list, diag.BadSettings, place(path, line), "%s", strings.TrimPrefix(err.Error(), "toml: "))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(file.Data)) {
		l.setting(path, lineOf(string(text), name), name, file.Data[name])
	}
}

// lineOf finds the line that sets a key of [data], for messages.
func lineOf(text, key string) int {
	inside := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			if inside = strings.HasPrefix(line, "[data]"); line == "[data."+key+"]" {
				return i + 1
			}
		}
		name, _, ok := strings.Cut(line, "=")
		name = strings.Trim(strings.TrimSpace(name), `"'`)
		if ok && (inside && name == key || name == "data."+key) {
			return i + 1
		}
	}
	return 1
}

func (l *locator) setting(path string, line int, name string, value any) {
	where := place(path, line)
	if _, ok := value.(map[string]any); ok {
		fail(&l.list, diag.BadSettings, where,
			"[data.%s]: a study lists sets of tables; in %s [data] names one file for each "+
				"party, as PARTY = \"FILE\"", name, SettingsFile)
		return
	}
	s := l.party(name, diag.BadSettings, where)
	if s == nil || s.given {
		return
	}
	var files []string
	switch v := value.(type) {
	case string:
		files = []string{v}
	case []any:
		for _, item := range v {
			text, ok := item.(string)
			if !ok {
				files = nil
				break
			}
			files = append(files, text)
		}
	}
	if len(files) == 0 || slices.Contains(files, "") || (len(files) > 1 && !s.Family) {
		fail(&l.list, diag.BadSettings, where,
			"%s: expected a file name in quotes, or for a family a list of them", name)
		return
	}
	s.given = true
	for _, f := range files {
		f = beside(filepath.Dir(path), f)
		if s.Family {
			l.glob(s, f, diag.BadSettings, where)
		} else {
			s.Files = []string{f}
		}
	}
}
