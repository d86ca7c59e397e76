package data

import "testing"

// - as the file of a party is the standard input, and ./- a file of that name.
func TestDashIsStandardInput(t *testing.T) {
	for flag, want := range map[string]string{"-": standardInput, "server=-": standardInput, "./-": "./-",
		"server=./-": "./-"} {
		s, err := Named([]PartyRef{{Name: "server"}}, []string{flag})
		if err != nil || s[0].Files[0] != want {
			t.Errorf("%s: %v, %v", flag, s, err)
		}
	}
}
