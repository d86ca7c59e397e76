package fit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// Apart is the place of this process in a run whose parties are in processes of their own.
type Apart struct {
	Index     int // of the party
	Transport transport.Transport
	Keys      session.Keys
	// Hindered lists what the algorithm, and Near what the one near whose approximation chains begin, may not
	// choose, since the program of a party excludes it: every party must be given the same.
	Hindered, Near []string
	Marks          *Marks
	// Decrypts is how many numbers that depend on the party's encrypted rows another may learn in this run,
	// of so many rows, and Decrypt is told how many it knows, once it has learned what comes next, in a run
	// whose keys have a digest: an error ends the run before that.
	Decrypts func(rows int) (int, error)
	Decrypt  func(keys string, numbers int) error
	// rows that every category of the party's factors must have; a combination of its columns is about as
	// many
	MinCell int
	// the transition after which each chain goes on, by its number; a chain that is not listed begins
	At map[int]int
}

// errHindered stands for the reason of another party, which is not sent.
var errHindered = errors.New("the program of a party excludes it")

func hindered(names []string) backends.Hindrances {
	out := backends.Hindrances{}
	for _, n := range names {
		out.Add(n, errHindered)
	}
	return out
}

// OpenApart prepares one party's part of a run, whose plan has been taken (compile.OneParty.Take).
// Options.Resume is set where the folder holds the run.
func OpenApart(b *compile.OneParty, apart *Apart, o Options) (*Prepared, diag.List, error) {
	p, err := partly(b, apart, o)
	if err != nil {
		return nil, nil, err
	}
	var diags diag.List
	for _, step := range []func() (diag.List, error){
		p.divideOwn, p.agree, p.compareTrips, p.mayEncrypt, p.mayBegin, p.begins, p.note, p.label,
		p.takeFolder,
	} {
		found, err := step()
		if diags = append(diags, found...); err != nil || diags.HasErrors() {
			return nil, diags, err
		}
	}
	p.loaded = time.Since(p.options.Origin.Began)
	return p, diags, nil
}

func partly(b *compile.OneParty, apart *Apart, o Options) (*Prepared, error) {
	o = o.filled()
	if o.LogLik {
		return nil, usagef("--log-lik is for a run in one process")
	}
	s, err := o.Algorithm.Resolve(b.Checked.Transform.Kind, o.Settings)
	if err != nil {
		return nil, &UsageError{err}
	}
	if len(b.Manifest.Predicted) > 0 {
		s.Plan.Encrypted = false // a prediction sends cuts themselves
	}
	s.UnlikeNoise, s.Auxiliary = unlikeNoiseOf(b.Manifest), o.Auxiliary
	on := *b.BoundModel
	if on.Plan != nil {
		on.Plan = b.Plan.On(wireIn(s))
	}
	p := &Prepared{BoundModel: &on, Algorithm: o.Algorithm, Settings: s, options: o, apart: apart}
	if _, ok := approximating(s.Plan.Initial); !ok && s.Plan.Initial != "" {
		return nil, usagef("%s %s: in a run across processes chains begin near an "+
			"approximation that the run fits: %s", p.setting(backends.Initial), s.Plan.Initial,
			approximations())
	}
	return p, nil
}

// PlanApart is the plan of a run whose parties are apart, with the wire that its settings choose, and the
// exchanges that it may make.
func PlanApart(b *compile.OneParty, o Options) (*model.Plan, []density.Use, error) {
	p, err := partly(b, nil, o)
	if err != nil {
		return nil, nil, err
	}
	uses, err := exchanges(p.Algorithm, p.Settings)
	return p.Plan, append(uses, inEveryRun...), err
}

// divideOwn is divide where the other parties are elsewhere: the manifest says which size counts rows.
func (p *Prepared) divideOwn() (diag.List, error) {
	most, size := p.Settings.Plan.Minibatch, p.Manifest.Rows
	switch held := p.holdsOut(p.Manifest.Weights); {
	case most == 0 && (!held || len(p.Manifest.Contributions) > 0 || size == ""):
		if held {
			p.options.Progress.Message("no rows are held out: not all likelihoods are known to be of rows " +
				"that are independent of each other")
		}
		return nil, nil
	case len(p.Manifest.Contributions) > 0:
		return nil, usagef("%s: a client computes its contribution in a module of its own, of which the "+
			"others do not know whether it mixes rows; leave it out to use all rows",
			p.setting(backends.Minibatch))
	case size == "":
		return nil, usagef("%s: the manifest lists no size whose rows are independent of each other; vflc "+
			"run MODEL with the same setting shows which part of the model mixes them; "+
			"leave it out to use all rows", p.setting(backends.Minibatch))
	}
	n, _ := p.Sizes.Value(size, "")
	if err := p.window(size, n); err != nil {
		return nil, err
	}
	if p.windows == nil {
		return nil, nil
	}
	return lower.DivideOne(p.Plan, p.apart.Index, p.Lowered[0], size, n, p.windows.parts, p.windows.scale)
}

// Hinders lists, for the algorithm and for the one near whose approximation chains begin, what of that they
// might choose this party's block excludes. It is called before OpenApart, while the party has its data.
func Hinders(b *compile.OneParty, index int, o Options) (algorithm, near []string, err error) {
	p, err := partly(b, nil, o)
	if err != nil {
		return nil, nil, err
	}
	blocks := []density.Block{model.NewParty(p.Plan, index)}
	algorithm = Hindered(p.Algorithm, p.Settings, blocks).Names()
	if a, ok := approximating(p.Settings.Plan.Initial); ok {
		s, err := a.ResolveStart(p.Settings.Transform)
		if err != nil {
			return nil, nil, &UsageError{err}
		}
		near = Hindered(a, s, blocks).Names()
	}
	return algorithm, near, nil
}

// agree settles what the user left to the algorithm as every other party does.
func (p *Prepared) agree() (diag.List, error) {
	parties := len(p.Plan.Names)
	if p.Algorithm.Choose != nil {
		s, why, err := p.Algorithm.Choose(parties, hindered(p.apart.Hindered), p.Settings)
		if err != nil {
			return unsuited(err)
		}
		if p.Settings = s; why != "" {
			p.options.Progress.Message(why)
		}
	}
	a, ok := approximating(p.Settings.Plan.Initial)
	if !ok {
		return nil, nil
	}
	if p.options.From != "" {
		return nil, errTwoStarts
	}
	s, err := a.ResolveStart(p.Settings.Transform)
	if err != nil {
		return nil, &UsageError{err}
	}
	if a.Choose != nil {
		if s, _, err = a.Choose(parties, hindered(p.apart.Near), s); err != nil {
			return nil, err
		}
	}
	p.near = &vicinity{algorithm: a, settings: s, name: p.Settings.Plan.Initial}
	return nil, nil
}

// Discard gives up a run that is not sampled: its folder is free again.
func (p *Prepared) Discard() { p.lock.Release() }

// beside runs a function with the Envs of n chains: over all parties, or of this one.
func (p *Prepared) beside(ctx context.Context, n int, f func(context.Context, *session.Chains) error) error {
	cores := coresOf(ctx)
	a := p.apart
	if a == nil {
		return session.RunChains(ctx, p.Plan, session.OneLoop, p.options.Seed, n, cores, f)
	}
	defer p.settleDown(ctx, n)()
	side, err := session.RemoteChains(p.Plan, a.Index, a.Transport, a.Keys, n)
	if err != nil {
		return err
	}
	side.Spread(cores)
	defer side.Close()
	return f(ctx, side)
}

// Checkpoints lists the transitions after which this party has saved each chain of the run in a folder, by
// the number of the chain, in ascending order.
func Checkpoints(dir string) map[int][]int {
	out := map[int][]int{}
	entries, _ := os.ReadDir(filepath.Join(dir, checkpointDir))
	for _, e := range entries {
		if m := generation.FindStringSubmatch(e.Name()); m != nil {
			chain, _ := strconv.Atoi(m[1])
			at, _ := strconv.Atoi(m[2])
			out[chain] = append(out[chain], at)
		}
	}
	for _, at := range out {
		slices.Sort(at)
	}
	return out
}

var generation = regexp.MustCompile(`^chain-([0-9]{1,9})\.([0-9]{1,18})$`)

// Common chooses where the chains of a run go on, given what each of its parties has saved: the newest
// transition of a chain that all have. Chains that warm up together begin anew unless all of them can go on
// at one transition, or each of them after the warm-up. together is 0 where they do not, else the length of
// the warm-up.
func Common(parties []map[int][]int, chains, together int) map[int]int {
	at, warm := map[int]int{}, true
	for c := 1; c <= chains; c++ {
		for _, s := range parties[0][c] {
			if everywhere(parties, c, s) {
				at[c] = s
			}
		}
		warm = warm && at[c] >= together
	}
	if together == 0 || warm {
		return at
	}
	level := map[int]int{}
	for _, s := range parties[0][1] {
		all := true
		for c := 1; c <= chains; c++ {
			all = all && everywhere(parties, c, s)
		}
		for c := 1; all && c <= chains; c++ {
			level[c] = s
		}
	}
	return level
}

func everywhere(parties []map[int][]int, chain, at int) bool {
	return !slices.ContainsFunc(parties, func(p map[int][]int) bool { return !slices.Contains(p[chain], at) })
}

// generations is how many states of a chain a party keeps: another may not have the newest.
const generations = 3

// prune removes the oldest states of a chain.
func prune(dir string, chain int) {
	at := Checkpoints(dir)[chain]
	for _, s := range at[:max(0, len(at)-generations)] {
		os.Remove(generationFile(dir, chain, s))
	}
}

func generationFile(dir string, chain, at int) string {
	return fmt.Sprintf("%s.%d", chainFile(dir, chain), at)
}

// Walks returns how many chains of a run are saved one by one, and how long they warm up together; 0 where
// they do not.
func Walks(b *compile.OneParty, o Options) (chains, together int, err error) {
	p, err := partly(b, nil, o)
	if err != nil {
		return 0, 0, err
	}
	if _, near := approximating(p.Settings.Plan.Initial); near {
		together = p.Settings.Plan.Warmup
	}
	return (&sampling{Prepared: p}).kernels(), together, nil
}
