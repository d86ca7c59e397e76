package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/release"
)

// budgeted is a policy with a budget.
func budgeted(t *testing.T) *Policy {
	t.Helper()
	p, diags := Parse("policy.toml", []byte("[budget]\nepsilon = 3\ndelta = 1e-6\n"))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return p
}

func people(from, to int) RowSet {
	var names []string
	for k := from; k < to; k++ {
		names = append(names, string(rune('a'+k)))
	}
	return NewRowSet([]byte("secret"), names)
}

// Releases add up for each person, whatever other rows they had, a run that is made again is charged once,
// and what would go beyond the budget is not charged, with what is left; nothing is charged that could not be
// written down.
func TestReleasesAreCharged(t *testing.T) {
	p, h := budgeted(t), PastRuns{t.TempDir()}
	whole := release.Rho(3, 1e-6)
	written := 0
	charge := func(rows RowSet, keys string, rho float64) string {
		t.Helper()
		if err := h.Begin(rows, true); err != nil {
			t.Fatal(err)
		}
		diags, err := NewMeter(p, h, rows).Charge(keys, rho, func(float64) error { written++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if len(diags) == 0 {
			return ""
		}
		if diags[0].Code != diag.PolicyRounds {
			t.Error(diags[0].Code)
		}
		return diags[0].Message
	}
	for _, c := range []struct {
		rows    RowSet
		keys    string
		rho     float64
		refused string
	}{
		{people(0, 10), "one", .5 * whole, ""},
		{people(0, 10), "one", .5 * whole, ""}, // made again
		{people(1, 11), "two", .5 * whole, ""}, // a row has changed
		{people(2, 12), "three", .01 * whole, "of epsilon 3 for these rows 0 is left"},
		{people(11, 20), "four", whole, ""}, // whose first was in one that was refused
		{people(12, 20), "five", .1 * whole, "for these rows 0 is left"},
	} {
		if got := charge(c.rows, c.keys, c.rho); (got == "") != (c.refused == "") ||
			!strings.Contains(got, c.refused) {
			t.Errorf("%s: %q", c.keys, got)
		}
	}
	if written != 4 {
		t.Errorf("%d charges were written down", written)
	}
	spent, err := h.Charged(people(0, 10), "")
	if err != nil || spent.Rho < whole*(1-1e-12) || spent.Rho > whole*(1+1e-12) || spent.Unnoise {
		t.Error(spent, err)
	}
	full := errors.New("no room")
	if _, err := NewMeter(p, h, people(20, 25)).Charge("six", whole, func(float64) error {
		return full
	}); !errors.Is(err, full) {
		t.Error(err)
	}
	if spent, _ := h.Charged(people(20, 25), ""); spent.Rho > 0 {
		t.Error("a charge that was not written down counts")
	}
}

// A run without noise voids the budget of all rows that it had, also one of an earlier version, and a policy
// with a budget lets none run.
func TestUnnoisedRunsVoidABudget(t *testing.T) {
	p, h := budgeted(t), PastRuns{t.TempDir()}
	if err := h.Begin(people(0, 10), false); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Add(people(10, 15), 5, 0); err != nil { // as an earlier version has counted
		t.Fatal(err)
	}
	for _, rows := range []RowSet{people(9, 10), people(14, 20)} {
		diags, err := NewMeter(p, h, rows).Charge("keys", 1e-3, func(float64) error { return nil })
		if err != nil || len(diags) == 0 || !strings.Contains(diags[0].Message, "without noise") {
			t.Error(diags, err)
		}
	}
	for noised, refused := range map[bool]bool{true: false, false: true} {
		diags := Refused(p.Program(Proposal{Transform: "private", Noised: noised}))
		if (len(diags) > 0) != refused {
			t.Error(noised, diags)
		}
	}
}

// What is not a budget is refused.
func TestBudgetsThatAreNone(t *testing.T) {
	for _, text := range []string{"epsilon = 3", "epsilon = 3\ndelta = 1", "epsilon = -1\ndelta = 1e-6",
		"delta = 1e-6"} {
		if _, diags := Parse("policy.toml", []byte("[budget]\n"+text+"\n")); !diags.HasErrors() {
			t.Errorf("%q is taken", text)
		}
	}
}
