package node

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
)

// columns counts the columns that each party encrypts, in the order of names, and tells the parties whose
// number this one does not know before they meet.
func (p *preflight) columns(bundle *compile.Bundle) (of []int, unknown []bool) {
	for _, name := range p.node.names() {
		base, _, _ := compile.Member(name) // names of the manifest and the project are
		n, known := bundle.Parameters(base, func(size string) (int, bool) {
			f, ok := p.part.facts.Sizes[size]
			if !ok && p.told.Facts != nil {
				f, ok = p.told.Facts.Sizes[size]
			}
			return f.Value, ok
		})
		of, unknown = append(of, n), append(unknown, !known)
	}
	return of, unknown
}

// bundle reads the programs.
func (p *preflight) bundle() (*compile.Bundle, error) {
	bundle, diags, err := compile.ReadBundle(p.node.programs())
	return bundle, data.Failed(diags, err)
}

// decryptions foresees how many numbers that depend on the party's rows another learns in a run of the
// programs; none where no rows stay encrypted. A party of unknown columns has one at least.
func (p *preflight) decryptions() (out policy.DecryptionCounts, err error) {
	m := p.part.manifest
	if !m.RowsStay() || m.Release != nil || m.Run == nil || len(m.Predicted) > 0 {
		return out, nil
	}
	algorithm, _ := fit.Backend(m.Run.Backend)
	uses, err := fit.Exchanges(m, algorithm, m.Run.Settings)
	if err != nil {
		return out, err
	}
	bundle, err := p.bundle()
	if err != nil {
		return out, err
	}
	uses = fit.BoundLikelihood(bundle).Opens(uses)
	columns, unknown := p.columns(bundle)
	foreseen := func(each int) (usual, most int) {
		all := slices.Clone(columns)
		for k, is := range unknown {
			if is {
				all[k] += each
			}
		}
		return fit.Foreseen(uses, all, slices.Index(p.node.names(), p.node.id.Party))
	}
	usual, most := foreseen(1)
	if slices.Contains(unknown, true) {
		p.note("decryptions",
			"the number of columns of %s is known here when the parties meet. One at each is counted; %s",
			p.unknown(unknown), perColumn(foreseen))
	}
	return policy.DecryptionCounts{Asked: int64(usual), Most: int64(most)}, nil
}

// unknown lists the parties whose columns are unknown.
func (p *preflight) unknown(is []bool) string {
	var names []string
	for k, name := range p.node.names() {
		if is[k] {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}

// perColumn says what is foreseen with more columns.
func perColumn(foreseen func(each int) (usual, most int)) string {
	var with []string
	for _, each := range []int{3, 10, 30} {
		usual, most := foreseen(each)
		with = append(with, fmt.Sprintf("with %d it is about %s and at most %s", each, grouped.Digits(usual),
			grouped.Digits(most)))
	}
	return strings.Join(with, ", ")
}

// ciphertexts says how many bytes a run with encrypted rows takes.
func (p *preflight) ciphertexts(uses []density.Use) {
	bundle, err := p.bundle()
	if err != nil {
		return // decryptions has said it
	}
	columns, _ := p.columns(bundle)
	names := p.node.names()
	own := columns[slices.Index(names, p.node.id.Party)]
	b, err := fit.CiphertextBytes(len(names), own, len(p.part.rows))
	if err != nil {
		p.problem("forecast", err, "")
		return
	}
	at := slices.IndexFunc(uses, func(u density.Use) bool {
		return u.Openings[0].Sums == density.OwnGradients
	})
	text := func(n int) string { return posterior.Bytes(int64(n)) }
	p.note("forecast",
		"this party sends %s of shares of keys, once; %s of %s, once; and %s at each evaluation, of which "+
			"there are usually %d and at most %d: usually %s in all. It receives about as much "+
			"of each of the other %s",
		text(b.Keys), text(b.Columns), grouped.Count(own, "column"), text(b.Evaluation), uses[at].Times,
		uses[at].MostTimes,
		text(b.Keys+b.Columns+uses[at].Times*b.Evaluation), grouped.Count(len(names)-1, "party"))
}
