package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// compile takes a model's text and the tables beside it through every stage to the graphs of all parties. It returns the tables too.
func compile(path string) (*model.Plan, data.Sources, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	tree, diags := parser.Parse(source.New(path, string(text)))
	if diags.HasErrors() {
		return nil, nil, failure(diags)
	}
	checked, diags := check.Check(tree, stdlib.New(), check.Options{})
	if diags.HasErrors() {
		return nil, nil, failure(diags)
	}
	cuts, diags := cut.Find(checked)
	if diags.HasErrors() {
		return nil, nil, failure(diags)
	}
	parts, diags := transform.Apply(cuts)
	if diags.HasErrors() {
		return nil, nil, failure(diags)
	}
	refs := []data.PartyRef{{Name: checked.Server}}
	for _, c := range checked.Clients {
		refs = append(refs, data.PartyRef{Name: c.Name, Family: c.Family})
	}
	sources, err := data.Locate(path, refs, nil)
	if err != nil {
		return nil, nil, err
	}
	plan, err := link(checked, parts, sources)
	return plan, sources, err
}

// link binds the data, lowers the program of every party and joins them.
func link(checked *check.Program, parts *transform.Program, sources data.Sources) (*model.Plan, error) {
	set, diags := data.Load(sources, "")
	if diags.HasErrors() {
		return nil, failure(diags)
	}
	values, diags := set.Bind(lower.Wants(checked))
	if diags.HasErrors() {
		return nil, failure(diags)
	}
	members := map[string]int{}
	for _, c := range checked.Clients {
		if c.Family {
			members[c.Name] = sources.Members(c.Name)
		}
	}
	sizes, diags := lower.Unify(checked, values, members, set.Integer)
	if diags.HasErrors() {
		return nil, failure(diags)
	}
	var parties []*lower.Lowered
	programs, manifest := split.Split(parts, "model")
	for _, p := range programs {
		program, diags := split.Load(manifest, p.Party, p.File, p.Text, stdlib.New())
		if diags.HasErrors() {
			return nil, failure(diags)
		}
		for _, party := range seats(p, members[p.Party]) {
			party.Program, party.Data, party.Sizes = program, values, sizes
			low, diags := lower.Lower(party)
			if diags.HasErrors() {
				return nil, failure(diags)
			}
			parties = append(parties, low)
		}
	}
	return lower.Link(parties)
}

// seats are the parties that run a program: one, or the members of a family.
func seats(p split.PartyProgram, members int) []lower.Party {
	if !p.Family {
		return []lower.Party{{Name: p.Party}}
	}
	var out []lower.Party
	for k := 1; k <= members; k++ {
		out = append(out, lower.Party{Name: fmt.Sprintf("%s[%d]", p.Party, k), Family: p.Party, Member: k})
	}
	return out
}

func failure(l diag.List) error { return errors.New(l[0].Message) }
