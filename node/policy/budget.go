package policy

import (
	"fmt"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/release"
)

// A PrivacyBudget is how much all releases of a person's rows together may tell.
type PrivacyBudget struct {
	Epsilon float64 `toml:"epsilon"`
	Delta   float64 `toml:"delta"`
}

// valid reports whether it is one.
func (b *PrivacyBudget) valid() bool {
	return b.Epsilon > 0 && b.Epsilon < 1e3 && b.Delta > 0 && b.Delta < 1
}

// ReleaseCharge is what releases of a person's rows have cost, in zero-concentrated privacy ρ, which adds up
// over releases (Bun and Steinke 2016, lemma 1.7).
type ReleaseCharge struct {
	Rho     float64 // of the person of whom most was released, in earlier runs
	Asked   float64 // in this one
	Unnoise bool    // a run without noise has had some of these rows: nothing bounds what it told
}

// left is what the budget has left of ρ.
func (b *PrivacyBudget) left(c ReleaseCharge) float64 {
	return max(0, release.Rho(b.Epsilon, b.Delta)-c.Rho)
}

// slack is for the rounding of sums: a budget of two equal releases allows two.
const slack = 1e-9

// unnoised adds the line on the budget of a run that is no release with noise.
func (l *lines) unnoised() {
	l.add("budget", false, diag.PolicyTransform, "",
		"the policy has a budget, and what this run tells of the rows has no noise that bounds it: "+
			"transform private alone has some")
}

// Spends is the error where the budget does not allow a release, or of nil a run that is none with noise.
func (p *Policy) Spends(c *ReleaseCharge) diag.List {
	l := &lines{path: p.path}
	switch {
	case p.Budget == nil:
	case c == nil:
		l.unnoised()
	default:
		l.charged(*c, p)
	}
	return Refused(l.out)
}

// charged adds the line on the budget.
func (l *lines) charged(c ReleaseCharge, p *Policy) {
	b := p.Budget
	left := b.left(c)
	found := fmt.Sprintf("of epsilon %g at delta %g for these rows %s is left", b.Epsilon, b.Delta,
		epsilon(left, b.Delta))
	if c.Unnoise {
		l.add("budget", false, diag.PolicyRounds, "",
			"these rows, or some of them, were in a run without noise: no budget bounds "+
				"what has been told of them")
		return
	}
	l.add("budget", c.Asked <= left+float64(slack*c.Rho)+float64(slack*left), diag.PolicyRounds, found,
		"the release would cost epsilon %s at delta %g, and of epsilon %g for these rows %s is left",
		epsilon(c.Asked, b.Delta), b.Delta, b.Epsilon, epsilon(left, b.Delta))
}

// epsilon writes a ρ as the ε that it is at δ.
func epsilon(rho, delta float64) string { return fmt.Sprintf("%.3g", release.Epsilon(rho, delta)) }

// Charged is what releases of a person among the rows have cost at most, but for the one with some keys, if
// any.
func (h PastRuns) Charged(rows RowSet, but string) (out ReleaseCharge, err error) {
	if out.Rho, err = h.most(rows, func(u *used) float64 { return u.Rho - u.Released[but] }); err != nil {
		return out, err
	}
	without, err := h.most(rows, func(u *used) float64 {
		if u.Unnoised || u.Releases == 0 && (u.Rounds > 0 || u.Products > 0 || u.Decrypted > 0) {
			return 1
		}
		return 0
	})
	out.Unnoise = without > 0
	return out, err
}

// Begin notes that a run on rows begins, which makes a release with noise or something else.
func (h PastRuns) Begin(rows RowSet, noise bool) error {
	return h.change(rows, rows.digest(), func(u *used) {
		if noise {
			u.Releases++
		} else {
			u.Unnoised = true
		}
	})
}

// Charge notes what a release costs before any share of it leaves. A run that was stopped makes the same
// release again with its keys, which is charged once. What it costs is first written down elsewhere, with
// what all releases of a person have cost together then. The list says why it may not be made: then it is not
// charged.
func (m *Meter) Charge(keys string, rho float64, write func(together float64) error) (diags diag.List,
	err error) {
	err = m.history.Locked(func() error {
		spent, err := m.history.Charged(m.rows, keys)
		if err != nil {
			return err
		}
		spent.Asked = rho
		if diags = m.policy.Spends(&spent); diags.HasErrors() {
			return nil
		}
		if err := write(spent.Rho + rho); err != nil {
			return err
		}
		return m.history.changed(m.rows, m.digest, func(u *used) {
			if u.Released == nil {
				u.Released = map[string]float64{}
			}
			u.Rho += max(0, rho-u.Released[keys])
			u.Released[keys] = max(rho, u.Released[keys])
		})
	})
	return diags, err
}
