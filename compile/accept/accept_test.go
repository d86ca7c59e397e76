package accept

import (
	"slices"
	"testing"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// Every disclosure has a name and codes of its own, which are explained.
func TestAll(t *testing.T) {
	seen := map[diag.Code]bool{}
	for _, d := range All() {
		if d.Doc == "" || len(d.Codes) == 0 || slices.Index(Names(), d.Name) < 0 {
			t.Errorf("%s is incomplete", d.Name)
		}
		for _, c := range d.Codes {
			if _, ok := diag.Explain(c); !ok || seen[c] {
				t.Errorf("%s: %s has no page, or two names", d.Name, c)
			}
			seen[c] = true
			if got := Flag(c); got != "--accept "+d.Name {
				t.Errorf("%s is accepted by %q", c, got)
			}
		}
	}
	if Flag(diag.DataCut) != "" {
		t.Error("data as a cut can be accepted")
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Accepted{"": {}, "data-offset": {"data-offset"},
		" data-offset , label-leak,data-offset": {"label-leak", "data-offset"}} {
		if got, err := Parse(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"leak", "label_leak", "Label-leak", "label-leak data-offset"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// Dropping and strictness leave the list that is given as it is.
func TestListsAreNotChanged(t *testing.T) {
	var list diag.List
	list.Warnf(diag.DataOffset, nil, source.Span{}, "an offset")
	list.Warnf(diag.LabelLeak, nil, source.Span{}, "a label")
	list.Errorf(diag.GradientLeak, nil, source.Span{}, "a gradient")
	if got := (Accepted{"gradient-leak", "label-leak"}).Drop(list); len(got) != 1 ||
		got[0].Code != diag.DataOffset || len(list) != 3 {
		t.Errorf("%d are left of %d", len(got), len(list))
	}
	strict := ForSplit(list)
	if strict[0].Severity != diag.Error || strict[1].Severity != diag.Warning ||
		list[0].Severity != diag.Warning || len(list[0].Notes) > 0 {
		t.Error("party programs need --accept data-offset, and the list given is unchanged")
	}
}
