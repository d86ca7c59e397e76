package node

import (
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

// columns counts the columns that each party encrypts, in the order of names, and lists the parties whose number
// this one does not know before they meet.
func (p *preflight) columns() (of []int, unknown []string, err error) {
	bundle, diags, err := compile.ReadBundle(p.node.programs())
	if err == nil && diags.HasErrors() {
		err = data.Errors(diags)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, name := range p.node.names() {
		base, _, _ := compile.Member(name) // names of the manifest and the project are
		n, known := bundle.Parameters(base, func(size string) (int, bool) {
			f, ok := p.part.facts.Sizes[size]
			if !ok && p.told.Facts != nil {
				f, ok = p.told.Facts.Sizes[size]
			}
			return f.Value, ok
		})
		if of = append(of, n); !known {
			unknown = append(unknown, name)
		}
	}
	return of, unknown, nil
}

// decryptions foresees how many numbers that depend on the party's rows another learns in a run of the programs;
// none where no rows stay encrypted.
func (p *preflight) decryptions() (out policy.DecryptionCounts, err error) {
	m := p.part.manifest
	if !m.RowsStay() || m.Run == nil || len(m.Predicted) > 0 {
		return out, nil
	}
	algorithm, _ := fit.Backend(m.Run.Backend)
	uses, err := fit.Exchanges(m, algorithm, m.Run.Settings)
	if err != nil {
		return out, err
	}
	columns, unknown, err := p.columns()
	if err != nil {
		return out, err
	}
	usual, most := fit.Foreseen(uses, columns, slices.Index(p.node.names(), p.node.id.Party))
	if unknown != nil {
		p.note("decryptions", "they are foreseen without the columns of %s, whose number is known here when the parties meet: then there are more", strings.Join(unknown, " and "))
	}
	return policy.DecryptionCounts{Asked: int64(usual), Most: int64(most)}, nil
}

// ciphertexts says how many bytes a run with encrypted rows takes.
func (p *preflight) ciphertexts(uses []density.Use) {
	columns, _, err := p.columns()
	if err != nil {
		return // decryptions has said it
	}
	names := p.node.names()
	own := columns[slices.Index(names, p.node.id.Party)]
	b, err := fit.CiphertextBytes(len(names), own, len(p.part.rows))
	if err != nil {
		p.problem("forecast", err, "")
		return
	}
	at := slices.IndexFunc(uses, func(u density.Use) bool { return u.Openings[0].Sums == density.OwnGradients })
	text := func(n int) string { return posterior.Bytes(int64(n)) }
	p.note("forecast", "this party sends %s of shares of keys, once; %s of %s, once; and %s at each evaluation, of which there are usually %d and at most %d: usually %s in all. It receives about as much of each of the other %s",
		text(b.Keys), text(b.Columns), grouped.Count(own, "column"), text(b.Evaluation), uses[at].Times, uses[at].MostTimes,
		text(b.Keys+b.Columns+uses[at].Times*b.Evaluation), grouped.Count(len(names)-1, "party"))
}
