package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/fit"
)

// Each setting of each algorithm has a row in the table of settings, which says who needs it, what it gains
// and where that was measured; and there is no row of a setting that is gone.
func TestSettingsHaveTheirRow(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "rationale.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{"transforms --rho": 0}
	for _, s := range backends.OnTheWire() {
		rows["all --"+s.Name] = 0
	}
	for _, a := range fit.Backends() {
		for _, s := range a.Settings {
			if _, all := rows["all --"+s.Name]; !all {
				rows[a.Name+" --"+s.Name] = 0
			}
		}
	}
	row := regexp.MustCompile("(?m)^\\| ([a-z]+) \\| `(--[a-z-]+)` \\| [^|]+ \\| [^|]* \\| [^|]+ \\|$")
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		of := m[1] + " " + m[2]
		if _, known := rows[of]; !known {
			t.Errorf("docs/rationale.md: %s is no setting", of)
		}
		rows[of]++
	}
	for of, n := range rows {
		if n != 1 {
			t.Errorf("docs/rationale.md: %s has %d rows in the table of settings", of, n)
		}
	}
}
