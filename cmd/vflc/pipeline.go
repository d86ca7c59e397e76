package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// compiled is a model after every stage that needs no data.
type compiled struct {
	name     string // of the file, without its ending
	source   *source.File
	universe *stdlib.Universe
	file     *ast.File
	checked  *check.Program
	cuts     *cut.Program
	parts    *transform.Program
	diags    diag.List // warnings
}

// compileModel runs the stages up to the transform and shows what they find; errors end the command.
func compileModel(cmd *cobra.Command, path string, f *modelFlags) (*compiled, error) {
	c, err := compileQuietly(path, f)
	if err != nil {
		return nil, err
	}
	return c, settle(cmd, c.diags)
}

// compileQuietly collects diagnostics in the result. The error is of reading the file or the flags.
func compileQuietly(path string, f *modelFlags) (*compiled, error) {
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := &compiled{name: modelName(path), source: source.New(path, string(text)), universe: stdlib.New()}
	for _, stage := range []func() diag.List{
		func() (l diag.List) { c.file, l = parser.Parse(c.source); return l },
		func() (l diag.List) { c.checked, l = check.Check(c.file, c.universe, options); return l },
		func() (l diag.List) { c.cuts, l = cut.Find(c.checked); return l },
		func() (l diag.List) { c.parts, l = transform.Apply(c.cuts); return l },
	} {
		if c.diags = append(c.diags, stage()...); c.diags.HasErrors() {
			return c, nil
		}
	}
	return c, f.known(c.checked)
}

// compileWhole is compileModel for commands that need a model and not one party's program.
func compileWhole(cmd *cobra.Command, path string, f *modelFlags) (*compiled, error) {
	c, err := compileModel(cmd, path, f)
	if err == nil && c.checked.For != "" {
		err = fmt.Errorf("%s is the program of %s; this command takes the model that it was made of", path, c.checked.For)
	}
	return c, err
}

// modelName is the file's name as an identifier, so that programs and files of other tools can carry it.
func modelName(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, base)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "model_" + name
	}
	return name
}

// pooled says that one party evaluates everything: the model runs as it is written.
func (c *compiled) pooled() bool { return c.checked.Transform.Kind.Pooled }

// files are the party programs and the manifest by file name; of a pooled model, the model.
func (c *compiled) files() map[string][]byte {
	if c.pooled() {
		return map[string][]byte{c.name + ".vfl": []byte(c.source.Text)}
	}
	programs, manifest := split.Split(c.parts, c.name)
	out := map[string][]byte{manifestFile: manifest.JSON()}
	for _, p := range programs {
		out[p.File] = []byte(p.Text)
	}
	return out
}

// bound is a model with its data.
type bound struct {
	*compiled
	data    *data.Dataset
	values  map[string]data.Bindings
	sizes   *lower.Sizes
	parties []*lower.Lowered
	plan    *model.Plan
	windows *division
}

// bind reads the tables, gives every declaration its value, and lowers the programs of all parties to graphs.
func (c *compiled) bind(cmd *cobra.Command, path string, flags []string, key string) (*bound, error) {
	b := &bound{compiled: c}
	sources, err := data.Locate(path, c.partyRefs(), flags)
	if problems := (data.Errors)(nil); errors.As(err, &problems) {
		return nil, settle(cmd, diag.List(problems))
	}
	if err != nil {
		return nil, err
	}
	for _, stage := range []func() diag.List{
		func() (l diag.List) { b.data, l = data.Load(sources, key); return l },
		func() (l diag.List) { b.values, l = b.data.Bind(lower.Wants(c.checked)); return l },
		func() (l diag.List) {
			b.sizes, l = lower.Unify(c.checked, b.values, c.members(sources), b.data.Integer)
			return l
		},
		b.lower,
	} {
		if err := settle(cmd, stage()); err != nil {
			return nil, err
		}
	}
	b.plan, err = lower.Link(b.parties)
	if err != nil {
		return nil, err
	}
	lower.Label(b.plan, b.parties, b.shared())
	return b, nil
}

// partyRefs lists the parties whose tables are looked for, the server first.
func (c *compiled) partyRefs() []data.PartyRef {
	refs := []data.PartyRef{{Name: c.checked.Server}}
	for _, k := range c.checked.Clients {
		refs = append(refs, data.PartyRef{Name: k.Name, Family: k.Family})
	}
	return refs
}

func (c *compiled) members(sources data.Sources) map[string]int {
	out := map[string]int{}
	for _, k := range c.checked.Clients {
		if k.Family {
			out[k.Name] = sources.Members(k.Name)
		}
	}
	return out
}

// shared are the values that every party holds.
func (b *bound) shared() data.Bindings {
	out := data.Bindings{}
	for _, s := range b.checked.Order {
		if v := b.values[b.checked.Server][s.Name]; s.Kind == check.Data && s.Owner == check.Shared && v != nil {
			out[s.Name] = v
		}
	}
	return out
}

// lower builds the graph of every party from the text of its program, read again as the party would read it.
func (b *bound) lower() diag.List {
	if b.pooled() {
		return b.lowerOne(lower.Party{Program: b.checked, Name: b.checked.Server})
	}
	programs, manifest := split.Split(b.parts, b.name)
	var diags diag.List
	for _, p := range programs {
		program, problems := split.Load(manifest, p.Party, p.File, p.Text, b.universe)
		if problems.HasErrors() {
			return append(diags, problems...)
		}
		if !p.Family {
			diags = append(diags, b.lowerOne(lower.Party{Program: program, Name: p.Party})...)
			continue
		}
		for k := 1; k <= b.sizes.Members[p.Party]; k++ {
			member := lower.Party{Program: program, Name: fmt.Sprintf("%s[%d]", p.Party, k), Family: p.Party, Member: k}
			diags = append(diags, b.lowerOne(member)...)
		}
	}
	return diags
}

func (b *bound) lowerOne(p lower.Party) diag.List {
	p.Data, p.Sizes = b.values, b.sizes
	lowered, diags := lower.Lower(p)
	b.parties = append(b.parties, lowered)
	return diags
}

// inputs lists the files that went in, with their digests, for the record of the run.
func (b *bound) inputs() ([]posterior.Source, error) {
	var out []posterior.Source
	for _, s := range b.data.Sources {
		for k, path := range s.Files {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			party := s.Name
			if s.Family {
				party = fmt.Sprintf("%s[%d]", s.Name, k+1)
			}
			out = append(out, posterior.Source{Party: party, Path: path, SHA256: digest(text)})
		}
	}
	return out, nil
}

func digest(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}
