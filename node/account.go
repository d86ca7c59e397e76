package node

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/release"
)

// An Account is what parties remember of a run whose parties are all in one process, which has the folders
// with their keys: the same history, ledger and budget that they have across machines. Nothing is sent to
// others here, and no other line of their policies is read. A nil Account is of nobody.
type Account []*holder

// A holder is a party that has an account.
type holder struct {
	*identity.Identity
	policy *policy.Policy
	rows   policy.RowSet
}

// OpenAccount reads keys and policies of parties in their folders.
func OpenAccount(identities []string) (a Account, err error) {
	for _, dir := range identities {
		id, err := identity.Load(dir)
		if err != nil {
			return nil, err
		}
		if slices.Contains(a.Parties(), id.Party) {
			return nil, placed(diag.OtherParty, dir, eachOnce, "two folders hold keys of %s", id.Party)
		}
		path := filepath.Join(dir, policy.FileName)
		p, diags, err := policy.Read(path)
		switch {
		case err != nil:
			return nil, err
		case diags.HasErrors():
			return nil, data.Errors(diags)
		case p == nil:
			p = policy.Unwritten(path)
		}
		a = append(a, &holder{Identity: id, policy: p})
	}
	return a, nil
}

// placed is an error about a folder, with a way out.
func placed(code diag.Code, dir, out, format string, args ...any) data.Errors {
	var diags diag.List
	d := diags.Errorf(code, nil, source.Span{}, format, args...)
	d.Data = dir
	return data.Errors{d.Note("%s", out)}
}

const eachOnce = "--identity names the folder of each party whose account is kept, once"

// Parties lists those whose account it is.
func (a Account) Parties() (out []string) {
	for _, h := range a {
		out = append(out, h.Party)
	}
	return out
}

func (h *holder) history() policy.PastRuns { return policy.OpenHistory(h.Dir()) }

// Rows notes what runs on the rows of a binding (data.Joining): a release by some terms, or where these have
// no noise anything else. Where the budget of one party does not allow it, none has noted it.
func (a Account) Rows(t release.Terms) func(map[string][]string) (diag.List, error) {
	if a == nil {
		return nil
	}
	return func(of map[string][]string) (diags diag.List, err error) {
		for _, h := range a {
			names, ok := of[h.Party]
			if !ok {
				return nil, placed(diag.OtherParty, h.Dir(), eachOnce,
					"the folder holds keys of %s, and the run is of %s", h.Party, strings.Join(slices.Sorted(maps.Keys(of)),
						", "))
			}
			h.rows = policy.NewRowSet(h.Secret(), names)
			spent, err := h.history().Charged(h.rows, "")
			if err != nil {
				return nil, err
			}
			diags = append(diags, h.asks(t, spent)...)
		}
		for _, h := range a {
			if err == nil && !diags.HasErrors() {
				err = h.history().Begin(h.rows, !t.NoNoise)
			}
		}
		return diags, err
	}
}

// asks is what the party's budget says of a run after others, and that it will be spent by one without noise.
func (h *holder) asks(t release.Terms, spent policy.ReleaseCharge) (diags diag.List) {
	if spent.Asked = t.Rho; !t.NoNoise {
		return h.policy.Spends(&spent)
	}
	if diags = h.policy.Spends(nil); len(diags) == 0 && !spent.Unnoise {
		diags.Warnf(diag.PolicyRounds, nil, source.Span{}, "the history of %s notes that a run without noise has "+
			"had these rows: no budget bounds any more what is told of them", h.Party).Data = h.Dir()
	}
	return diags
}

// Charge notes what a release of the rows costs each party, before anything of it leaves the process: in its
// history, and in a ledger in the folder of the run, which must have none. It says what is spent and left.
func (a Account) Charge(dir string, m *release.Moments) (said []string, err error) {
	if len(a) == 0 || m.Terms.NoNoise {
		return nil, nil
	}
	if _, err := os.Stat(filepath.Join(dir, posterior.RecordFile)); err == nil || len(ledger.Find(dir)) > 0 {
		return nil, placed(diag.OtherRun, dir, "name another folder: what was charged is not overwritten, and "+
			"--release goes on with a release that is there, at no cost",
			"the folder holds an earlier run, and a release is charged in a folder of its own")
	}
	for _, h := range a {
		c, err := h.charge(dir, m, a.Parties())
		if err != nil {
			return nil, err
		}
		said = append(said, ledger.Costs(h.Party, c))
	}
	return said, nil
}

// charge notes it for one of the parties.
func (h *holder) charge(dir string, m *release.Moments, parties []string) (c ledger.LoggedCharge, err error) {
	book, err := ledger.Open(dir, h.Party, h.Key, h.Cert.Raw)
	if err != nil {
		return c, err
	}
	defer book.Close()
	if err := book.Begin(ledger.Opening{Run: m.Digest, Epoch: 1, Names: parties}); err != nil {
		return c, err
	}
	c, diags, err := charge(policy.NewMeter(h.policy, h.history(), h.rows), h.policy, book, m.Digest, m.Terms)
	switch {
	case err != nil:
		return c, err
	case diags.HasErrors():
		return c, data.Errors(diags)
	}
	return c, book.End(ledger.Complete)
}

// NoAccount says of which parties' rows no account of a release is kept; "": of none.
func NoAccount(m *release.Moments, kept []string) string {
	without := slices.DeleteFunc(release.Parties(m.Columns), func(party string) bool {
		return slices.Contains(kept, party)
	})
	if len(without) == 0 || m.Terms.NoNoise {
		return ""
	}
	return fmt.Sprintf("no account is kept of what it cost the rows of %s", strings.Join(without, ", "))
}
