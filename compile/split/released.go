package split

import (
	"strconv"

	"github.com/vflc/vflc/lang/diag"
)

// A ManifestRelease is what parties release of their data, once, under transform private. Numbers are text.
type ManifestRelease struct {
	// the response last; a level is one, and so is a matrix but where its columns have bounds of their own:
	// there each is one, under the name of the matrix
	Columns []ManifestColumn `json:"columns"`
	Delta   string           `json:"delta"`
	Epsilon string           `json:"epsilon"`
	Family  string           `json:"family"`
	NoNoise bool             `json:"no_noise,omitempty"`
	Norm    string           `json:"norm"` // to which each party clips its part of a row; 0: none does
}

// A ManifestColumn is a declaration of one party's data, with public bounds.
type ManifestColumn struct {
	Binary bool     `json:"binary,omitempty"`
	Levels []string `json:"levels,omitempty"` // of which each but the first is a column of 0 and 1
	Lower  string   `json:"lower"`
	Name   string   `json:"name"`
	Owner  string   `json:"owner"`
	Upper  string   `json:"upper"`
}

// number reads one that is text; 0 is no number of a manifest that was checked.
func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// release checks that columns are of parties that there are, with bounds, and that there is a budget unless a
// release without noise was accepted.
func (v *validator) release() {
	m := v.Release
	if m == nil {
		return
	}
	if len(m.Columns) < 2 || m.Family == "" || len(v.Cuts)+len(v.Groups)+len(v.Shared) > 0 {
		v.errorf("release", "a release has a response and columns, and its programs have data alone")
	}
	for _, c := range m.Columns {
		p, ok := v.Party(c.Owner)
		if low, high := number(c.Lower), number(c.Upper); !ok || p.Family != "" || !(low < high) ||
			high-low > 1e300 || len(c.Levels) == 1 || c.Levels != nil && !c.Binary {
			v.errorf("release", "%s is no column of a party with bounds", c.Name)
		}
	}
	switch epsilon, delta, norm := number(m.Epsilon), number(m.Delta), number(m.Norm); {
	case m.NoNoise && !v.Accepted.Code(diag.NoBudget):
		v.errorf("release", "the release has no noise, and the manifest does not list that as accepted")
	case !m.NoNoise && !(epsilon > 0 && epsilon < 1e3 && delta > 0 && delta < 1), !(norm >= 0 && norm < 1e6):
		v.errorf("release", "the release has no budget, or a norm that is none")
	}
}
