package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/posterior"
)

// What other parties would refuse is not signed, not in the ledger and not written.
func TestNothingIsPublishedThatNobodyTakes(t *testing.T) {
	own := posterior.Variable{Name: "beta", Owner: "a"}
	for name, p := range map[string]Publication{
		"results of another party": {Schema: schema,
			Rows: []posterior.SummaryRow{{Name: "gamma", Owner: "b"}}},
		"draws of another party": {Schema: schema,
			Variables: []posterior.Variable{own, {Name: "gamma", Owner: "b"}}, Draws: [][]string{{"", ""}}},
		"a column less": {Schema: schema, Variables: []posterior.Variable{own},
			Draws: [][]string{{""}, {}}},
		"another schema": {Schema: schema + 1, Variables: []posterior.Variable{own},
			Draws: [][]string{{""}}},
	} {
		dir := t.TempDir()
		var list data.Errors
		if err := p.write(dir, filepath.Join(dir, "a.json"), &identity.Identity{Party: "a"}); !errors.As(err,
			&list) || list[0].Code != diag.Unpublishable {
			t.Errorf("%s: %v", name, err)
		}
		if there, _ := os.ReadDir(dir); len(there) > 0 {
			t.Errorf("%s: %v is written", name, there)
		}
	}
}
