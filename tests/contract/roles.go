package contract

import (
	"testing"

	"github.com/vflc/vflc/backends"
)

// checkRoles: each number that a run of this kind needs is in exactly one setting of the algorithm.
func checkRoles(t *testing.T, a backends.Algorithm) {
	t.Helper()
	have := map[backends.Role]string{}
	for _, d := range a.Settings {
		if d.Role == backends.Own {
			continue
		}
		if _, ok := d.Default.(int); !ok {
			t.Errorf("setting %q has a role and is no whole number", d.Name)
		}
		if have[d.Role] != "" {
			t.Errorf("settings %q and %q have one role", have[d.Role], d.Name)
		}
		have[d.Role] = d.Name
	}
	if have[backends.Draws] == "" {
		t.Error("no setting counts the draws")
	}
	if a.Gives != backends.Approximation && have[backends.Chains] == "" {
		t.Error("no setting counts the chains")
	}
}
