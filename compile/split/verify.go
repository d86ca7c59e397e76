package split

import (
	"fmt"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// Verify checks what Split wrote: each program is the one of the manifest, loads at its party and is
// formatted; it declares nothing that another party keeps; every value that one program receives another
// sends, with the same shape, and the reverse. The error names the first violation: a fault of Split.
func Verify(p *transform.Program, programs []PartyProgram, m *Manifest) error {
	v := &verifier{Program: p, sent: map[channel]types.Type{}, received: map[channel]types.Type{}}
	if len(programs) != len(p.Parties) || len(m.Parties) != len(p.Parties) ||
		m.ModelSHA256 != ModelDigest(p.Linked) {
		return fmt.Errorf("%d programs and %d in the manifest for %d parties of model %s", len(programs),
			len(m.Parties), len(p.Parties), m.ModelSHA256)
	}
	for _, q := range programs {
		if entry, _ := m.Party(q.Party); entry.SHA256 != q.SHA256() {
			return fmt.Errorf("%s is not the program of the manifest", q.File)
		}
		program, diags := Examine(m, q.Party, q.File, q.Text, p.Universe)
		if diags.HasErrors() {
			return fmt.Errorf("%s is refused: %s", q.File, diags.Shown()[0].Message)
		}
		if again := format.Format(program.File); again != q.Text {
			return fmt.Errorf("%s is not formatted", q.File)
		}
		if err := v.program(program); err != nil {
			return fmt.Errorf("%s: %w", q.File, err)
		}
	}
	return v.channels()
}

// A channel is a value that one party sends to another.
type channel struct{ from, to, name string }

type verifier struct {
	*transform.Program
	sent, received map[channel]types.Type
}

// program checks what a party's program holds, and collects what it sends and receives.
func (v *verifier) program(p *check.Program) error {
	if err := p.Verify(); err != nil {
		return err
	}
	for _, s := range p.Order {
		if s.Kind != check.Data && s.Kind != check.Param {
			continue
		}
		was := v.Symbols[s.Name]
		size := s.Owner == check.Shared && v.Sizes[s.Name] != nil &&
			(was == nil || was.Type.Elem == types.Int && was.Type.Scalar())
		if !size && (was == nil || was.Kind != s.Kind || !v.keeps(p.For, was)) {
			return fmt.Errorf("it declares %s, which %s does not keep", s.Name, p.For)
		}
	}
	for _, stmt := range p.File.Stmts {
		switch s := stmt.(type) {
		case *ast.Receive:
			v.received[channel{s.From.Name, p.For, s.Name.Name}] = p.Symbols[s.Name.Name].Type
		case *ast.Send:
			for _, to := range s.To {
				v.sent[channel{p.For, to.Name, s.Name.Name}] = typeSent(p, s)
			}
		}
	}
	return nil
}

// keeps reports whether a party holds a value of the model: its own, shared data, or as the server shared
// parameters.
func (v *verifier) keeps(party string, s *check.Symbol) bool {
	return s.Owner == party || s.Owner == check.Shared && (s.Kind == check.Data || party == v.Server)
}

// typeSent is the type of what a statement sends: of a declared value or a cut, or of a sum of received
// values.
func typeSent(p *check.Program, s *ast.Send) types.Type {
	if named := p.Symbols[s.Name.Name]; named != nil {
		return named.Type
	}
	var t types.Type
	ast.Walk(s.Value, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && p.Symbols[name.Name] != nil {
			t = p.Symbols[name.Name].Type
		}
		return true
	})
	return t
}

func (v *verifier) channels() error {
	for c, t := range v.received {
		sent, ok := v.sent[c]
		if !ok || !sent.SameShape(t) {
			return fmt.Errorf("%s receives %s : %s from %s, which sends %s (%t)", c.to, c.name, t, c.from,
				sent, ok)
		}
	}
	for c := range v.sent {
		if _, ok := v.received[c]; !ok {
			return fmt.Errorf("%s sends %s to %s, which does not receive it", c.from, c.name, c.to)
		}
	}
	return nil
}
