package compile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// ofSyntax begins the codes of the parser. Names and types are looked at where a program has a tree, so that
// the end of its last error of syntax may bring others to light.
const ofSyntax = "V01"

// count counts the diagnostics of a severity whose codes have a prefix, each once.
func count(l diag.List, s diag.Severity, prefix string) int {
	type place struct {
		code       diag.Code
		start, end int
		message    string
	}
	seen := map[place]bool{}
	for _, d := range l {
		if d.Severity == s && strings.HasPrefix(string(d.Code), prefix) {
			seen[place{d.Code, d.Span.Start, d.Span.End, d.Message}] = true
		}
	}
	return len(seen)
}

// stands reports whether a message of before still stands, behind or before a change of so many bytes at a
// place.
func stands(l diag.List, d *diag.Diagnostic, at, more int) bool {
	start := d.Span.Start
	if start > at {
		start += more
	}
	return slices.ContainsFunc(l, func(o *diag.Diagnostic) bool {
		return o.Code == d.Code && o.Message == d.Message && o.Span.Start == start
	})
}

// onLine reports whether all errors stand on the line of a place.
func onLine(l diag.List, text string, at int) bool {
	line := func(i int) int { return strings.Count(text[:i], "\n") }
	return !slices.ContainsFunc(l, func(d *diag.Diagnostic) bool {
		return d.Severity == diag.Error && line(d.Span.Start) != line(at)
	})
}

// Every fix that a message offers can be applied as it is: the message is gone. What is left has fewer
// messages of its severity, or no more where the fix brings to light what was wrong beside it: of a call of
// an unknown function no argument is looked at. There are no errors where there were none.
func TestFixesHold(t *testing.T) {
	tried := 0
	for _, w := range wrongPrograms(t) {
		before := compiled(w.text)
		for _, d := range before.Shown() {
			for _, f := range d.Fixes {
				if d.File == nil || string(d.File.Text) != w.text {
					continue // of a module
				}
				tried++
				text := w.text[:f.Span.Start] + f.Text + w.text[f.Span.End:]
				after := compiled(text)
				phase := ""
				if strings.HasPrefix(string(d.Code), ofSyntax) {
					phase = ofSyntax
				}
				was, is := count(before, d.Severity, phase), count(after, d.Severity, phase)
				holds := is < was || is == was && (was > 1 || onLine(after, text, f.Span.Start))
				if !holds || stands(after, d, f.Span.Start, len(f.Text)-(f.Span.End-f.Span.Start)) ||
					d.Severity != diag.Error && after.HasErrors() {
					t.Errorf("%s: %s: %s\nfix: %s\n%d messages before, %d after:\n%s\n%s", w.name, d.Code,
						d.Message, f.Message, was, is, text, rendered(t, after))
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d fixes are tried", tried)
	}
}

// A program that has a density keeps it: none of its warnings, notes of --info included, offers a fix. One
// that would has to show here that the log density before and after are equal.
func TestDensitiesHaveNoFixes(t *testing.T) {
	programs := 0
	for _, w := range wrongPrograms(t) {
		m, diags := compile.Compile(source.New("input.vfl", w.text), check.Options{})
		if diags.HasErrors() || len(diags) == 0 {
			continue
		}
		programs++
		for _, d := range append(diags, m.Checked.Pedantic()...) {
			if len(d.Fixes) > 0 {
				t.Errorf("%s: %s %s offers `%s` for a program that runs", w.name, d.Code, d.Message,
					d.Fixes[0].Text)
			}
		}
	}
	if programs < 20 {
		t.Errorf("%d programs have warnings", programs)
	}
}
