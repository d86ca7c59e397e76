package parser

// The rules of the grammar that its tags do not express.

import (
	"strings"
	"unicode/utf8"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// verifyParty checks the name of a party, which stands in certificates and in the names of files.
func (p *parser) verifyParty(id ast.Ident) {
	if strings.ContainsFunc(id.Name, func(r rune) bool { return r >= utf8.RuneSelf }) {
		p.errorf(diag.BadCharacter, id.Span(), "the name of a party uses the letters a-z and A-Z, digits and _").
			Note("it stands in certificates and in the names of files; names of data and parameters may have " +
				"other letters")
	}
}

func (p *parser) verifyFamily(f *ast.Family) {
	p.verifyParty(f.Name)
	switch n := f.Count.(type) {
	case nil, *ast.Name:
	case *ast.Number:
		if !n.Int || n.Value < 1 {
			p.errorf(diag.FamilyCount, n.Span(), "a family has a whole number of members, at least 1")
		}
	default:
		p.errorf(diag.FamilyCount, n.Span(),
			"the number of members is a name or a whole number, not an expression")
	}
}

func (p *parser) verifyType(t *ast.Type) {
	if level := t.Elem.Name == "level"; t.Levels != nil && !level {
		p.errorf(diag.TypeForm, t.Levels.Span(),
			"only `level` takes a number of categories in parentheses").Note("A shape is written in "+
			"square brackets: %s[N].", t.Elem.Name)
	} else if a, listed := t.Levels.(*ast.Array); listed {
		p.verifyCategories(a)
	} else if t.Levels == nil && level {
		p.errorf(diag.TypeForm, t.Elem.Span(),
			"`level` needs its number of categories").Fix(behind(t.Elem.Span()), "(R)", "name the number")
	}
	for i, b := range t.Bounds {
		if b.Which.Name != "lower" && b.Which.Name != "upper" {
			d := p.errorf(diag.TypeForm, b.Which.Span(), "found %s, expected `lower` or `upper`",
				quote(b.Which.Name))
			if b.Which.Name == "offset" || b.Which.Name == "multiplier" {
				d.Note("what Stan samples in other coordinates is here param u : real[N] ~ " +
					"normal(mu, tau) noncentered")
			}
		} else if i > 0 && b.Which.Name == t.Bounds[0].Which.Name {
			p.errorf(diag.TypeForm, b.Which.Span(), "%s is given twice", quote(b.Which.Name))
		}
	}
}

// verifyCategories checks that what stands in the parentheses of a level is one size, or categories alone.
func (p *parser) verifyCategories(a *ast.Array) {
	for _, e := range a.Elems {
		if _, text := e.(*ast.Text); !text {
			p.errorf(diag.TypeForm, e.Span(), "a level has one size, as level(R), or a list of categories in quotes").
				Note("numbers as categories are listed by a statement: levels Year = 2019, 2020")
			return
		}
	}
}

// verifyCategory checks that a category is a string or a whole number.
func (p *parser) verifyCategory(c *ast.Category) {
	if !c.Quoted && !whole(c.Text) {
		p.errorf(diag.TypeForm, c.Span(), "a category is a string or a whole number").Fix(c.Span(),
			`"`+c.Text+`"`, "write it as a string")
	}
}

// verifyColumn checks that an encoder begins with the column that it encodes, or with * alone.
func (p *parser) verifyColumn(c *ast.Column, args []*columnArg) {
	if !c.Star {
		if first := encoderArg(args[0]); first.Key != nil || first.Column == nil {
			p.errorf(diag.EncoderForm, first.Span(), "the first argument of an encoder is a column, or *")
		}
		args = args[1:]
	}
	for _, a := range args {
		if a.Star {
			p.errorf(diag.EncoderForm, a.at().Span(), "* is all columns: it stands alone, as in %s(*)",
				c.Encoder.Name)
		}
	}
}

// behind returns the empty span at the end of s.
func behind(s source.Span) source.Span { return source.Span{Start: s.End, End: s.End} }
