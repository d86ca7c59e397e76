package compile

import (
	"errors"
	"fmt"
	"math"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
)

// verifyParse checks that the printed tree parses to a tree that prints the same.
func verifyParse(m *Model) error {
	text := format.Format(m.File)
	again, diags := parser.Parse(source.New(m.Source.Name, text))
	if diags.HasErrors() {
		return fmt.Errorf("the printed tree does not parse: %s", diags.Shown()[0].Message)
	}
	if format.Format(again) != text {
		return errors.New("the tree, printed and parsed again, prints differently")
	}
	return nil
}

func verifySplit(m *Model) error {
	if m.Pooled() || m.Manifest == nil {
		return nil
	}
	if m.public == nil {
		return split.Verify(m.Parts, m.Programs, m.Manifest)
	}
	if err := split.Verify(m.public.Parts, m.Programs, m.Manifest); err != nil {
		return err
	}
	return split.Verify(m.Parts, m.split, m.whole)
}

// verifyBind checks that a party's values are its own or shared, and that each is what its type allows.
func verifyBind(b *BoundModel) error {
	for party, bindings := range b.Values {
		for name, v := range bindings {
			s := b.Checked.Symbols[name]
			if s == nil || s.Kind != check.Data {
				return fmt.Errorf("%s holds %s, which is not data", party, name)
			}
			if !b.holds(party, s) {
				return fmt.Errorf("%s holds %s of %s", party, name, s.Owner)
			}
			if err := verifyValues(s, v); err != nil {
				return fmt.Errorf("%s of %s: %w", name, party, err)
			}
		}
	}
	return nil
}

// holds reports whether a party, or a member of a family, owns or shares data.
func (b *BoundModel) holds(party string, s *check.Symbol) bool {
	if s.Owner == check.Shared || s.Owner == party {
		return true
	}
	for k := 1; s.Family && k <= b.members[s.Owner]; k++ {
		if party == fmt.Sprintf("%s[%d]", s.Owner, k) {
			return true
		}
	}
	return false
}

func verifyValues(s *check.Symbol, v *data.BoundValue) error {
	n := 1
	for _, d := range v.Dims {
		n *= d
	}
	if len(v.Dims) != len(s.Type.Dims) || n != len(v.Values) {
		return fmt.Errorf("%d values of shape %v for %s", len(v.Values), v.Dims, s.Type)
	}
	for i, x := range v.Values {
		whole := x == math.Trunc(x) && !math.IsInf(x, 0)
		good := !math.IsNaN(x)
		switch s.Type.Elem {
		case types.Int:
			good = whole
		case types.Binary:
			good = x == 0 || x == 1
		case types.Count:
			good = whole && x >= 0
		case types.Level:
			good = whole && x >= 1 && x <= float64(v.Levels)
		}
		if !good {
			return fmt.Errorf("element %d is %v", i+1, x)
		}
	}
	return nil
}

// verifySizes checks that every dimension of every value has the value of its size.
func verifySizes(b *BoundModel) error {
	for party, bindings := range b.Values {
		for name, v := range bindings {
			for i, d := range b.Checked.Symbols[name].Type.Dims {
				n, err := d.Eval(func(size string) (int, bool) { return b.Sizes.Value(size, party) })
				if err != nil || n != v.Dims[i] {
					return fmt.Errorf("%s of %s has %d where %s is %d (%v)", name, party, v.Dims[i], d, n,
						err)
				}
			}
		}
	}
	for _, c := range b.Checked.Clients {
		if c.Family && b.Sizes.Members[c.Name] < 1 {
			return fmt.Errorf("the family %s has no members", c.Name)
		}
	}
	return nil
}

func verifyLower(b *BoundModel) error {
	parties := 1
	for _, p := range b.Programs {
		switch {
		case p.Family:
			parties += b.Sizes.Members[p.Party]
		case p.Party != b.Checked.Server:
			parties++
		}
	}
	if len(b.Lowered) != parties {
		return fmt.Errorf("%d graphs for %d parties", len(b.Lowered), parties)
	}
	for _, l := range b.Lowered {
		if err := l.Verify(); err != nil {
			return err
		}
	}
	return nil
}
