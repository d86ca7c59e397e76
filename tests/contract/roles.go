package contract

import (
	"testing"

	"github.com/vflc/vflc/backends"
)

// checkRoles: each number that a run of this kind needs is in exactly one setting of the algorithm.
func checkRoles(t *testing.T, a backends.Algorithm) {
	t.Helper()
	have := map[backends.SettingRole]string{}
	for _, d := range a.Settings {
		if d.Role == backends.Own {
			continue
		}
		if !d.Role.Fits(d.Default) {
			t.Errorf("setting %q has the role %s and the default %v, which is not of its type", d.Name,
				d.Role, d.Default)
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
