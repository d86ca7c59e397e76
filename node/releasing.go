package node

import (
	"context"
	"crypto/ed25519"
	"path/filepath"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/release"
)

// releases reports whether the parties make a release, and fit nothing.
func (p *participant) releases() bool { return p.manifest != nil && p.manifest.Release != nil }

// noised reports whether all that the run tells of rows is a release with noise.
func (p *participant) noised() bool { return p.releases() && !p.manifest.Release.NoNoise }

// plan is that of the run, with the exchanges that it makes.
func (p *participant) plan(o fit.Options) (*model.Plan, []density.Use, error) {
	if p.releases() {
		plan, uses := fit.ReleasePlan(p.part)
		return plan, uses, nil
	}
	return fit.PlanApart(p.part, o)
}

// done is a file that is in the folder of the task when the party has its results.
func (p *participant) done() string {
	if p.releases() {
		return posterior.MomentsFile
	}
	return p.Task.done()
}

// A ReleaseOutcome is what every party has of a release.
type ReleaseOutcome struct {
	*release.Moments
	dir string
}

// Deliver removes what the party has written down of its key and its noise: all parties have the release.
func (r *ReleaseOutcome) Deliver() error {
	return protocol.EraseJournal(filepath.Join(r.dir, posterior.JournalFile))
}

// release makes the party's part of a release.
func (p *participant) release(ctx context.Context, a *fit.Apart) (Outcome, error) {
	guarded := p.guarded
	m, err := fit.ReleaseApart(ctx, p.part, a, fit.ApartRelease{
		Dir:    p.Dir,
		Charge: func(keys string, m *release.Moments) error { return guarded.Charge(keys, m.Terms) },
		Sign: func(party string, m *release.Moments) (release.Signature, error) {
			text := release.Signed(p.id.Project.Name, m.Digest)
			return release.Signature{Party: party, Cert: p.id.Cert.Raw, Text: ed25519.Sign(p.id.Key, text)},
				nil
		},
		Check: p.signed,
	})
	if err != nil {
		return nil, err
	}
	return &ReleaseOutcome{m, p.Dir}, nil
}

// signed checks that every party of the run has signed a release.
func (p *participant) signed(m *release.Moments) error {
	return signedRelease(p.id, m, p.agreed.Names)
}

// Charge notes what a release of the party's rows costs. Where its policy does not allow that, it has ended
// the run, and gives no share of its key.
func (g *guard) Charge(keys string, t release.Terms) error {
	if g.err != nil || t.NoNoise {
		return g.err
	}
	_, diags, err := charge(g.meter, g.policy, g.book, keys, t)
	g.err = refused(CodePolicy, diags, err)
	return g.err
}

// charge notes in a party's ledger, and in its history, what a release costs. The policy may be nil.
func charge(m *policy.Meter, p *policy.Policy, book *ledger.Book, keys string,
	t release.Terms) (c ledger.LoggedCharge, diags diag.List, err error) {
	c = ledger.LoggedCharge{Rho: t.Rho, Epsilon: t.Epsilon, Delta: t.Delta, Keys: keys, Rows: m.Rows()}
	if p != nil && p.Budget != nil {
		c.OfEpsilon, c.OfDelta = p.Budget.Epsilon, p.Budget.Delta
	}
	diags, err = m.Charge(keys, t.Rho, func(together float64) error {
		c.Together = together
		return book.Charge(c)
	})
	return c, diags, err
}
