package report

import (
	"bytes"
	"html/template"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// allShown are what the templates of pages show, by their names.
func allShown() map[string]any {
	return map[string]any{
		"accuracy": accuracySection{}, "agreement": agreementSection{}, "audit": auditSection{},
		"costs": costsSection{}, "findings": findingsSection{}, "forecast": forecastSection{},
		"frame": frame{}, "model": modelSection{}, "plots": plotsSection{}, "predictive": predictiveSection{},
		"programs": programSection{}, "repeat": repeatSection{},
		"sensitivity": sensitivitySection{}, "signatures": signatureSection{}, "split": splitSection{},
		"summary": summarySection{},
	}
}

// attacks end each context of HTML, or begin another.
var attacks = []string{"", "x", "</title></style></textarea><script>alert(1)</script>", `" onload="alert(2)`,
	"' onclick='alert(3)", "-->]]><!--", "{{.}}", "&lt;&#60;&", "javascript:alert(4)", "+ADw-script+AD4-", "\x00<\x00",
	"é\xff<", "\u2028`\\", "a b=c>d/"}

// fill gives every part of a value something, at random: an attack to each text, but to names of sections,
// which are constants.
func fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); v.Type().Field(i).Name == "ID" {
				f.SetString("split")
			} else if f.CanSet() {
				fill(r, f)
			}
		}
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 2))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.String:
		v.SetString(attacks[r.IntN(len(attacks))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int:
		v.SetInt(r.Int64N(5) - 1)
	}
}

// Whatever the texts are, a page has the bytes that html/template makes of its template: that follows the
// syntax of HTML, and escapes a value as the place needs where it stands.
func TestPagesAreThoseOfHTMLTemplate(t *testing.T) {
	own, err := readTemplates()
	good(t, nil, err)
	raw := strings.NewReplacer("{{.SVG}}", "{{raw .SVG}}", "{{.Narrow}}", "{{raw .Narrow}}", "{{.Body}}",
		"{{raw .Body}}", "{{.Style}}", "{{style .Style}}")
	reference := template.New("").Funcs(template.FuncMap{
		"raw":   func(m markup) template.HTML { return template.HTML(m) },
		"style": func(m markup) template.CSS { return template.CSS(m) },
	})
	names, err := fs.Glob(pages, "page/*.html")
	good(t, nil, err)
	for _, path := range names {
		text, err := pages.ReadFile(path)
		good(t, nil, err)
		_, err = reference.New(strings.TrimPrefix(path, "page/")).Parse(raw.Replace(string(text)))
		good(t, nil, err)
	}
	if want := len(allShown()) + 1; len(names) != want { // and that of a figure
		t.Errorf("%d templates of which %d are tested", len(names), want)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, of := range allShown() {
		for range 100 {
			v := reflect.New(reflect.TypeOf(of)).Elem()
			fill(r, v)
			var got strings.Builder
			var want bytes.Buffer
			own.write(&got, name+".html", v)
			good(t, nil, reference.ExecuteTemplate(&want, name+".html", v.Interface()))
			if got.String() != want.String() {
				t.Fatalf("%s:\n%s\nand not\n%s", name, &got, &want)
			}
		}
	}
}
