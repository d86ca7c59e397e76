package compile_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

// ofARow is a text that says of a number of a row that it crosses, or what it then tells.
var ofARow = regexp.MustCompile(
	`adjoint|sees each|for every value of the parameters|would cross is data|can recover|sends both`,
)

// Where rows stay encrypted no finding says that a number of a row crosses, on any model that has a page; on
// a wire on which it does, several do.
func TestEncryptedRowsCross(t *testing.T) {
	said := map[diag.Code]bool{}
	for _, page := range diag.Pages {
		for _, text := range []string{page.Wrong, page.Right} {
			text = regexp.MustCompile(`(?m)^transform .*$`).ReplaceAllString(text, "")
			if !strings.Contains(text, "client ") || strings.Contains(text, "party ") {
				continue
			}
			for _, encrypted := range []bool{false, true} {
				o := check.Options{Transform: stdlib.Exact, Encrypted: encrypted}
				m, diags := compiletest.Try(t, source.New("m.vfl", text), o)
				if m.Manifest != nil {
					_, found := m.Bundle()
					diags = append(diags, found...)
				}
				for _, d := range diags {
					if !ofARow.MatchString(d.Message) {
						continue
					}
					if said[d.Code] = true; encrypted {
						t.Errorf("page %s: %s %s", page.Code, d.Code, d.Message)
					}
				}
			}
		}
	}
	got := slices.Sorted(maps.Keys(said))
	if want := []diag.Code{diag.DataCut, diag.LabelLeak, diag.SeparateCuts,
		diag.DataOffset}; !slices.Equal(got, want) {
		t.Errorf("said without encryption: %v, want %v", got, want)
	}
}
