package fit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/released"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/release"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// Releasing stands for an algorithm in a run across processes whose parties make a release: they sample
// nothing.
func Releasing() backends.Algorithm {
	return backends.Algorithm{
		Name: "release", Doc: "makes the release of a model under transform private",
		Transforms: []def.Transform{stdlib.Private},
		Exchanges:  func(backends.Settings) []density.Use { return protocol.ReleaseUses() },
	}
}

// An ApartRelease is what a party of a release across processes chooses beside its data.
type ApartRelease struct {
	Charge func(keys string, m *release.Moments) error // see protocol.Releasing
	Sign   func(party string, m *release.Moments) (release.Signature, error)
	Check  func(*release.Moments) error // the signatures of all, before the release is kept
	Dir    string
}

// ReleasePlan is the plan of a release whose parties are apart, and the exchanges that it makes.
func ReleasePlan(b *compile.OneParty) (*model.Plan, []density.Use) {
	return b.Plan.On(model.Wire{Encrypted: true}), protocol.ReleaseUses()
}

// ReleaseApart makes one party's part of a release, whose plan has been taken, and writes the file of it
// to the folder. What the party makes with randomness is in a journal there, until Deliver.
func ReleaseApart(ctx context.Context, b *compile.OneParty, apart *Apart,
	o ApartRelease) (out *release.Moments, err error) {
	plan, _ := ReleasePlan(b)
	env, err := session.NewRemote(plan, apart.Index, apart.Transport, apart.Keys)
	if err != nil {
		return nil, err
	}
	journal, err := protocol.OpenJournal(filepath.Join(o.Dir, posterior.JournalFile))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	declared, terms := compile.ReleaseOf(b.Manifest.Release)
	own, err := b.Released()
	if err != nil {
		return nil, err
	}
	var columns []protocol.DeclaredColumns
	for _, c := range own {
		columns = append(columns, protocol.DeclaredColumns(c))
	}
	out, err = protocol.Release(ctx, env, protocol.Releasing{
		Family: b.Manifest.Release.Family, Declared: declared, Terms: terms, Parties: plan.Names,
		Next:   released.Next,
		Charge: o.Charge, Sign: o.Sign, Journal: journal,
		Own: func(string) []protocol.DeclaredColumns { return columns },
	})
	if err != nil {
		return nil, err
	}
	if end, ok := density.As[density.Chained](env); ok {
		if err := end.End(ctx); err != nil {
			return nil, err
		}
	}
	if err := o.Check(out); err != nil {
		return nil, err
	}
	text, err := out.JSON()
	if err != nil {
		return nil, err
	}
	programs := filepath.Join(o.Dir, posterior.ProgramsDir)
	if err := os.MkdirAll(programs, 0o700); err != nil {
		return nil, err
	}
	if err := safefile.WriteBytes(filepath.Join(programs, split.ManifestFile), 0o600,
		b.Manifest.JSON()); err != nil {
		return nil, err
	}
	return out, safefile.WriteBytes(filepath.Join(o.Dir, posterior.MomentsFile), 0o600, text)
}

// NeedsRows refuses to evaluate rows of a model under a transform that has a release of them alone.
func NeedsRows(m *compile.Model) (diags diag.List) {
	if m.Checked.Transform.Kind.Released() && !m.Checked.PriorOnly {
		diags = append(diags, &diag.Diagnostic{Code: diag.ReleasedOnly, Severity: diag.Error,
			Message: "under transform private rows are not evaluated: `vflc run`, or the parties with " +
				"`vflc serve` and `vflc join`, make one release of them, and the posterior is given that"})
		diags[0].Note("give --transform with another one, which has no budget")
	}
	return diags
}

// Release reads the tables of a model under transform private and makes its release, in this process. Each
// call spends the model's budget anew.
func Release(m *compile.Model, sources data.Sources, joining data.Joining) (*release.Moments, diag.List,
	error) {
	b, diags, err := compile.Bind(m, sources, joining)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	out, err := b.Moments()
	return out, diags, err
}

// AttackRelease tries on at most 500 rows of each column of the tables what a release of them tells to
// whoever knows all values but one.
func AttackRelease(m *compile.Model, sources data.Sources, of *release.Moments) ([]release.Guesses, diag.List,
	error) {
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	columns, values, err := b.ReleasedRows()
	if err != nil {
		return nil, diags, err
	}
	if !slices.Equal(columns, of.Columns) || len(values[0]) != of.Rows {
		return nil, diags, errors.New("the release is of other columns or rows than the tables")
	}
	return of.Attack(values, 500), diags, nil
}
