package diag

import (
	"slices"
	"testing"

	"github.com/vflc/vflc/lang/source"
)

// Every disclosure has a name and codes of its own, which are explained.
func TestAll(t *testing.T) {
	seen := map[Code]bool{}
	for _, d := range Acceptances() {
		if d.Doc == "" || len(d.Codes) == 0 || slices.Index(AcceptanceNames(), d.Name) < 0 {
			t.Errorf("%s is incomplete", d.Name)
		}
		for _, c := range d.Codes {
			if _, ok := Explain(c); !ok || seen[c] {
				t.Errorf("%s: %s has no page, or two names", d.Name, c)
			}
			seen[c] = true
			if got := AcceptFlag(c); got != "--accept "+d.Name {
				t.Errorf("%s is accepted by %q", c, got)
			}
		}
	}
	if AcceptFlag(DataCut) != "" {
		t.Error("data as a cut can be accepted")
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Accepted{"": {}, "data-offset": {"data-offset"},
		" data-offset , label-leak,data-offset": {"label-leak", "data-offset"}} {
		if got, err := ParseAccepted(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"leak", "label_leak", "Label-leak", "label-leak data-offset"} {
		if _, err := ParseAccepted(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// Dropping and strictness leave the list that is given as it is.
func TestListsAreNotChanged(t *testing.T) {
	var list List
	list.Warnf(DataOffset, nil, source.Span{}, "an offset")
	list.Warnf(LabelLeak, nil, source.Span{}, "a label")
	list.Errorf(GradientLeak, nil, source.Span{}, "a gradient")
	if got := (Accepted{"gradient-leak", "label-leak"}).Drop(list); len(got) != 1 ||
		got[0].Code != DataOffset || len(list) != 3 {
		t.Errorf("%d are left of %d", len(got), len(list))
	}
	strict := ForSplit(list)
	if strict[0].Severity != Error || strict[1].Severity != Warning ||
		list[0].Severity != Warning || len(list[0].Notes) > 0 {
		t.Error("party programs need --accept data-offset, and the list given is unchanged")
	}
}
