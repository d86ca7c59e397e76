package data

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/vflc/vflc/internal/atomicfile"
)

// An Addition is what a vfl.toml has to say besides, so that the files of a model's parties are found and
// their rows joined.
type Addition struct {
	Path    string
	Parties []string // whose files are added
	Joins   bool     // how rows are joined is added
	Lines   []string // what is added, as it is written
	Begins  bool     // there is no file yet
	Others  []string // settings in [run] of the file that are not about tables: a run reads them too

	have settings
	text string
}

// settings are what a vfl.toml says.
type settings map[string]any

// section is one of its tables; nil: there is none.
func (s settings) section(name string) map[string]any {
	out, _ := s[name].(map[string]any)
	return out
}

// A Contradiction is what a vfl.toml says that a model beside it cannot have.
type Contradiction string

func (c Contradiction) Error() string { return string(c) }

// Add plans what a vfl.toml beside a model needs for the files of its parties. What is there stays: where it
// says something else, the error is a Contradiction.
func Add(model string, files map[string][]string, j Joining) (*Addition, error) {
	a := &Addition{Path: filepath.Join(filepath.Dir(model), SettingsFile)}
	text, err := os.ReadFile(a.Path)
	if a.Begins = errors.Is(err, fs.ErrNotExist); err != nil && !a.Begins {
		return nil, err
	}
	if err := toml.Unmarshal(text, &a.have); err != nil {
		return nil, Contradiction("it is no TOML")
	}
	if a.text = string(text); a.have == nil {
		a.have = settings{}
	}
	for _, party := range slices.Sorted(maps.Keys(a.have.section("data"))) {
		if files[party] == nil {
			return nil, Contradiction(fmt.Sprintf("it names a table of %s, and the model has none", party))
		}
	}
	for _, party := range slices.Sorted(maps.Keys(files)) {
		if err := a.table(party, files[party]); err != nil {
			return nil, err
		}
	}
	rows := ""
	if j.Intersect {
		rows = "intersect"
	}
	if err := errors.Join(a.setting("key", j.Key), a.setting("rows", rows)); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(a.have.section("run"))) {
		if name != "key" && name != "rows" {
			a.Others = append(a.Others, name)
		}
	}
	return a, nil
}

// table adds the files of a party.
func (a *Addition) table(party string, files []string) error {
	dir := filepath.Dir(a.Path)
	if said, ok := a.have.section("data")[party]; ok {
		var there, here []string
		for _, one := range filesOf(said) {
			there = append(there, Found(dir, one)...)
		}
		for _, one := range files {
			here = append(here, Found("", one)...)
		}
		if same(there, here) {
			return nil
		}
		return Contradiction(fmt.Sprintf("it says %s = %q", party, strings.Join(filesOf(said), ", ")))
	}
	names := make([]string, len(files))
	for i, f := range files {
		var err error
		if names[i], err = relative(dir, f); err != nil {
			return err
		}
	}
	a.Parties = append(a.Parties, party)
	if len(names) == 1 {
		return a.add("data", party, names[0])
	}
	return a.add("data", party, names)
}

// filesOf are the files of a setting.
func filesOf(value any) (out []string) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, one := range list {
		out = append(out, fmt.Sprint(one))
	}
	return out
}

// same reports whether sources are the same files in one order.
func same(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool {
		x, wrong := Absolute(x)
		y, bad := Absolute(y)
		return wrong == nil && bad == nil && x == y
	})
}

// setting adds a flag of vflc run, "" for its default.
func (a *Addition) setting(name, value string) error {
	said, ok := a.have.section("run")[name]
	switch {
	case ok && fmt.Sprint(said) != value && !(name == "rows" && value == "" && said == "error"):
		return Contradiction(fmt.Sprintf("it says %s = %q", name, fmt.Sprint(said)))
	case ok || value == "":
		return nil
	}
	a.Joins = true
	return a.add("run", name, value)
}

// add puts a line into a section, and sees that nothing else has changed.
func (a *Addition) add(section, name string, value any) error {
	line, err := toml.Marshal(map[string]any{name: value})
	if err != nil {
		return err
	}
	text := inserted(a.text, section, string(line))
	want := settings(maps.Clone(a.have))
	in := maps.Clone(a.have.section(section))
	if in == nil {
		in = map[string]any{}
	}
	var one, got settings
	if err := errors.Join(toml.Unmarshal(line, &one), toml.Unmarshal([]byte(text), &got)); err != nil {
		return Contradiction("it is written in a form to which nothing can be added")
	}
	in[name], want[section] = one[name], in
	if !reflect.DeepEqual(got, want) {
		return Contradiction("it is written in a form to which nothing can be added")
	}
	a.text, a.have = text, got
	a.Lines = append(a.Lines, strings.TrimSpace(string(line)))
	return nil
}

// inserted puts a line at the end of a section, which it makes where there is none.
func inserted(text, section, line string) string {
	lines := slices.Collect(strings.Lines(text))
	at, inside := -1, false
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "[") {
			inside = l == "["+section+"]" || strings.HasPrefix(l, "["+section+"] ")
		}
		if inside && l != "" && !strings.HasPrefix(l, "#") {
			at = i + 1
		}
	}
	if n := len(lines); n > 0 && !strings.HasSuffix(lines[n-1], "\n") {
		lines[n-1] += "\n"
	}
	if at >= 0 {
		return strings.Join(slices.Insert(lines, at, line), "")
	}
	if len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) != "" {
		lines = append(lines, "\n")
	}
	return strings.Join(lines, "") + "[" + section + "]\n" + line
}

// Write writes the file.
func (a *Addition) Write() error {
	path, mode := a.Path, fs.FileMode(0o644)
	if !a.Begins {
		var err error
		if path, err = filepath.EvalSymlinks(a.Path); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		mode = info.Mode().Perm()
	}
	return atomicfile.WriteBytes(path, mode, []byte(a.text))
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
