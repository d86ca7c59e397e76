// Package compiletest compiles models for tests, and verifies the result of every pass.
package compiletest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// Try compiles a text, right or wrong, and verifies the passes that were run.
func Try(t testing.TB, src *source.File, o check.Options) (*compile.Model, diag.List) {
	t.Helper()
	m, diags := compile.Compile(src, o)
	if err := m.Verify(); err != nil {
		t.Fatalf("%v\n%s", err, src.Text)
	}
	return m, diags
}

// Compile compiles a model that has no errors.
func Compile(t testing.TB, text string, o check.Options) *compile.Model {
	t.Helper()
	m, diags := Try(t, source.New("model.vfl", text), o)
	fatal(t, diags, text)
	return m
}

// fatal ends the test where there are errors.
func fatal(t testing.TB, diags diag.List, text string) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatalf("%s %s\n%s", diags.Shown()[0].Code, diags.Shown()[0].Message, text)
	}
}

// A Fixture is a model with tables.
type Fixture struct {
	Text   string
	Tables map[string]string // by party, of a family lab/1, lab/2 …: CSV, or JSON where it begins with {
	Family map[string]int    // members of families
}

// Bind binds the tables of a fixture that has no errors.
func (f Fixture) Bind(t testing.TB, o check.Options) *compile.BoundModel {
	t.Helper()
	m := Compile(t, f.Text, o)
	b, diags, err := compile.Bind(m, f.sources(t, m), f.Joining())
	if err != nil {
		t.Fatal(err)
	}
	fatal(t, diags, f.Text)
	if err := b.Verify(); err != nil {
		t.Fatalf("%v\n%s", err, f.Text)
	}
	return b
}

// Diagnose returns what compiling and binding a fixture report.
func (f Fixture) Diagnose(t testing.TB, o check.Options) diag.List {
	t.Helper()
	m, diags := Try(t, source.New("model.vfl", f.Text), o)
	if diags.HasErrors() {
		return diags
	}
	_, found, err := compile.Bind(m, f.sources(t, m), f.Joining())
	if err != nil {
		t.Fatal(err)
	}
	return append(diags, found...)
}

// Joining joins rows on id where a table begins with it, else in their order.
func (f Fixture) Joining() data.Joining {
	for _, text := range f.Tables {
		if strings.HasPrefix(text, data.DefaultKey+",") {
			return data.Joining{}
		}
	}
	return data.Joining{Key: data.RowOrder}
}

// Refused binds the tables of a fixture that has an error, and returns the first.
func (f Fixture) Refused(t testing.TB) *diag.Diagnostic {
	t.Helper()
	m := Compile(t, f.Text, check.Options{})
	_, diags, err := compile.Bind(m, f.sources(t, m), f.Joining())
	if err != nil {
		t.Fatal(err)
	}
	if !diags.HasErrors() {
		t.Fatalf("no error\n%s", f.Text)
	}
	return diags.Shown()[0]
}

// sources writes the tables to a folder of the test.
func (f Fixture) sources(t testing.TB, m *compile.Model) data.Sources {
	out, err := f.Sources(t.TempDir(), m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Sources writes the tables to files in a folder. An error is one of writing.
func (f Fixture) Sources(dir string, m *compile.Model) (out data.Sources, err error) {
	for _, p := range append(m.Parties(), data.PartyRef{Name: data.OwnerShared}) {
		s := data.Source{PartyRef: p}
		add := func(name, text string) {
			path := filepath.Join(dir, name+".csv")
			if text[0] == '{' {
				path = filepath.Join(dir, name+".json")
			}
			s.Files, err = append(s.Files, path), errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
		}
		if text, ok := f.Tables[p.Name]; ok {
			add(p.Name, text)
		}
		for k := 1; p.Family && k <= f.Family[p.Name]; k++ {
			add(fmt.Sprint(p.Name, k), f.Tables[fmt.Sprintf("%s/%d", p.Name, k)])
		}
		out = append(out, s)
	}
	return out, err
}
