package fit

import (
	"context"
	"fmt"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/stdlib/def"
)

// A vicinity is the approximation near which chains begin: what fits it, with the settings.
type vicinity struct {
	algorithm backends.Algorithm
	settings  backends.Settings
	name      string          // of the algorithm, or of the folder of a run
	earlier   bool            // that run has fitted it
	search    backends.Search // what its fits from several starting points found
}

// cloudDraws is the largest number of draws from an approximation by which chains that begin near it know it.
const cloudDraws = 1000

// approximating returns the algorithm of this name if it fits approximations.
func approximating(name string) (backends.Algorithm, bool) {
	a, ok := Backend(name)
	return a, ok && a.Gives == backends.Approximation
}

// exchanges are those of a run of an algorithm: those of the fit that it begins with included, unless an
// earlier run has made it.
func exchanges(a backends.Algorithm, s backends.Settings) ([]density.Use, error) {
	first, ok := approximating(s.Plan.Initial)
	if !ok {
		return crossed(s, a.Exchanges(s)), nil
	}
	of, err := first.ResolveStart(s.Transform)
	if err != nil {
		return nil, &UsageError{err}
	}
	return union(first.Exchanges(of), a.Exchanges(s)), nil
}

// exchanges are those of a run whose parties' data are there, so that every choice is settled.
func (p *Prepared) exchanges() []density.Use {
	uses := p.Algorithm.Exchanges(p.Settings)
	if p.near != nil && !p.near.earlier {
		uses = union(p.near.algorithm.Exchanges(p.near.settings), uses)
	}
	return crossed(p.Settings, uses)
}

// crossed are the exchanges that sessions have in place of those of an algorithm.
func crossed(s backends.Settings, uses []density.Use) []density.Use {
	if s.Plan.Encrypted {
		return protocol.Uses(uses)
	}
	return uses
}

// union lists the exchanges of a fit and of what follows it, each once.
func union(uses, more []density.Use) []density.Use {
	for _, u := range more {
		if !slices.Contains(uses, u) {
			uses = append(uses, u)
		}
	}
	return uses
}

// settle finds the approximation near which the chains begin, nil where they do not, while the parties' data
// are there.
func (p *Prepared) settle(blocks []density.Block) error {
	near := p.Settings.Plan.Initial
	if near == "" {
		return nil
	}
	if p.options.From != "" {
		return errTwoStarts
	}
	a, ok := approximating(near)
	earlier, resolve := !ok, a.ResolveStart
	if earlier {
		r, err := posterior.ReadRecord(near)
		if err != nil {
			return fmt.Errorf("--init %w; a backend that fits an approximation is %s", err, approximations())
		}
		if a, ok = approximating(r.Backend); !ok {
			return fmt.Errorf("--init %s: it is a run of %s, which fits no approximation; take a run of %s",
				near, r.Backend, approximations())
		}
		resolve = func(t def.Transform) (backends.Settings, error) {
			return a.Resolve(t, a.Recorded(r.Settings))
		}
	}
	s, err := resolve(p.Settings.Transform)
	if err != nil {
		return usagef("--init %s: %w", near, err)
	}
	s.UnlikeNoise = p.Settings.UnlikeNoise
	s, why, err := Chosen(a, s, blocks)
	if err != nil {
		return err
	}
	if why != "" {
		p.options.Progress.Message(fmt.Sprintf("--init %s: %s", near, why))
	}
	p.near = &vicinity{algorithm: a, settings: s, name: near, earlier: earlier}
	return nil
}

// errTwoStarts is the error where chains are to begin at two places.
var errTwoStarts = usagef("--from starts where another run ended, and --init near an " +
	"approximation: choose one")

func approximations() string {
	for _, b := range Backends() {
		if b.Gives == backends.Approximation {
			return b.Name
		}
	}
	return "none"
}

// approximate returns draws of every block from each approximation near which chains are to begin.
func (v *vicinity) approximate(ctx context.Context, env density.Env, progress Progress) ([][][][]float64,
	error) {
	k, err := v.algorithm.New(env, v.settings)
	if err != nil {
		return nil, &UsageError{err}
	}
	if h, ok := k.(backends.Holding); ok && h.Held() != "" {
		return nil, usagef("--init %s: its draws have parameters at a mode, which say nothing of where "+
			"chains should begin: --init sfvi, or no --init", v.name)
	}
	find := v.fit
	if v.earlier {
		find = v.load
	}
	info, err := find(ctx, env, k)
	if err != nil {
		return nil, err
	}
	if !v.earlier {
		progress.Message(fmt.Sprintf("the approximation of %s took %s", v.name,
			grouped.Count(env.Work().Sequential, "round trip")))
	}
	n := min(info.Draws, cloudDraws)
	several, ok := k.(backends.Restarted)
	if ok {
		v.search = several.Search()
	}
	if v.search.Places < 2 {
		return [][][][]float64{cloud(env, k, n)}, nil
	}
	var out [][][][]float64
	for i := range v.search.Places {
		if err := several.Select(i); err != nil {
			return nil, err
		}
		out = append(out, cloud(env, k, n))
	}
	return out, nil
}

// fit fits the approximation.
func (v *vicinity) fit(ctx context.Context, env density.Env, k backends.Kernel) (info backends.StepInfo,
	err error) {
	if err := k.Init(ctx); err != nil {
		return info, err
	}
	for !info.Done {
		if info, err = k.Step(ctx); err != nil {
			return info, err
		}
	}
	return info, nil
}

// load loads it from the folder of its run.
func (v *vicinity) load(_ context.Context, _ density.Env, k backends.Kernel) (backends.StepInfo, error) {
	c := chain{number: 1, kernel: k}
	there, err := c.load(v.name)
	switch {
	case err != nil:
		return c.info, fmt.Errorf("--init %s: %w", v.name, err)
	case !there || !c.info.Done:
		return c.info, fmt.Errorf("--init %s: its fit is not finished; vflc resume %s continues it", v.name,
			v.name)
	}
	return c.info, nil
}

// cloud takes draws of every block.
func cloud(env density.Env, k backends.Kernel, n int) [][][]float64 {
	out := make([][][]float64, len(env.Blocks()))
	theta := make([][]float64, len(out))
	for id := range n {
		for b, block := range env.Blocks() {
			theta[b] = make([]float64, block.Dim())
			out[b] = append(out[b], theta[b])
		}
		k.Draw(id, theta)
	}
	return out
}
