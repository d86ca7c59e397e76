package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/sbc"
	"github.com/vflc/vflc/runtime/rng"
	"github.com/vflc/vflc/runtime/simulate"
)

const (
	ranked    = 99 // draws among which a value is ranked: a hundred ranks
	doublings = 4  // how often a chain is made twice as long to have as many effective draws
)

// A study is a simulation-based calibration: everything that its replicates share.
type study struct {
	bound     *bound
	model     *simulate.Model
	algorithm backends.Algorithm
	given     map[string]string // settings
	scale     func(string) float64
	seed      uint64
	names     []string // of all scalars, in the order of the simulator's parameters
	results   []replicate
}

// A replicate is the outcome of one data set.
type replicate struct {
	done        bool
	ranks       []int
	ess         float64 // the least of any scalar
	divergences int
	err         error
}

func newStudy(cmd *cobra.Command, b *bound, f *calibrateFlags, a backends.Algorithm) (*study, error) {
	if b.checked.Transform.Kind.AtClients {
		return nil, usagef("the power model cannot be calibrated: its density is a geometric mean of likelihoods, from which no data can be drawn; use --transform augmented or none")
	}
	m, err := b.forwards(cmd)
	if err != nil {
		return nil, err
	}
	s := &study{bound: b, model: m, algorithm: a, given: givenSettings(cmd, a), seed: f.seed, results: make([]replicate, f.replicates)}
	if _, err := s.settings(0); err != nil {
		return nil, &failure{exitUsage, err}
	}
	for k := range m.Responses {
		if err := simulable(b, m, k); err != nil {
			return nil, err
		}
	}
	var scaled []string
	for k, p := range m.Params {
		for _, c := range posterior.Columns([]posterior.Variable{{Name: p.Name, Dims: m.Graph.Params()[k].Shape}}) {
			s.names = append(s.names, c.Name)
		}
		if p.Dist.ScaleAt >= 0 {
			scaled = append(scaled, p.Name)
		}
	}
	s.scale, err = misstated(f.misstate, scaled)
	return s, err
}

// simulable refuses a response that cannot be replaced by simulated values.
func simulable(b *bound, m *simulate.Model, k int) error {
	y := m.Responses[k]
	switch {
	case y.Data == "":
		return fmt.Errorf("the left side of %s is an expression; new data can be drawn only where it is the name of data", y.Name)
	case y.Weighted:
		return fmt.Errorf("the likelihood of %s has weights, which say nothing of how data arise", y.Name)
	case y.Dist.Sample == nil:
		return fmt.Errorf("nothing can be drawn from %s", y.Dist.Name)
	}
	for j, other := range m.Responses {
		if j != k && other.Data == y.Data && other.Holder == y.Holder {
			return fmt.Errorf("%s has two likelihoods, and data can be drawn from one only", y.Data)
		}
	}
	if uses(b, y.Data) > statements(b, y.Data) {
		return fmt.Errorf("%s is used elsewhere in the model than on the left of its likelihood; what depends on the response cannot be simulated before it", y.Data)
	}
	return nil
}

// uses counts where a name stands in the model's expressions.
func uses(b *bound, name string) int {
	n := 0
	ast.Walk(b.file, func(node ast.Node) bool {
		if x, ok := node.(*ast.Name); ok && x.Name == name {
			n++
		}
		return true
	})
	return n
}

// statements counts the likelihoods that a name is the left side of.
func statements(b *bound, name string) int {
	n := 0
	for _, l := range b.checked.Likelihoods {
		if x, ok := l.Stmt.Left.(*ast.Name); ok && x.Name == name {
			n++
		}
	}
	return n
}

// run does all replicates, several at a time. An interrupt lets those at hand end and begins no more.
func (s *study) run(ctx context.Context, jobs int, p *progress) error {
	next := make(chan int)
	var wait sync.WaitGroup
	var lock sync.Mutex
	finished := 0
	for range jobs {
		wait.Go(func() {
			simulator := s.model.NewSimulator()
			for r := range next {
				s.results[r] = s.replicate(simulator, r)
				lock.Lock()
				if finished++; 10*finished/len(s.results) > 10*(finished-1)/len(s.results) {
					p.say("Replicate: %d / %d", finished, len(s.results))
				}
				lock.Unlock()
			}
		})
	}
	for r := range s.results {
		if ctx.Err() != nil {
			p.say("interrupted: the verdict is on what was done")
			break
		}
		next <- r
	}
	close(next)
	wait.Wait()
	return s.failure()
}

// failure is the error of the first replicate whose fit failed for a reason that no other data would remove.
func (s *study) failure() error {
	for _, r := range s.results {
		var f *failure
		if errors.As(r.err, &f) {
			return r.err
		}
	}
	return nil
}

// replicate draws a data set, fits it, and ranks the parameters that it was made with. Its random numbers depend on the seed and its number alone.
func (s *study) replicate(simulator *simulate.Simulator, number int) (out replicate) {
	stream := rng.New(rng.SharedKey(s.seed), "calibrate "+strconv.Itoa(number)).Rand()
	truth := make([]float64, s.model.Graph.Dim())
	if out.err = simulator.Prior(stream, truth, s.scale); out.err != nil {
		out.err = &failure{exitInput, out.err}
		return out
	}
	responses, err := simulator.Responses(stream, truth)
	if err != nil {
		out.err = err
		return out
	}
	plan, err := s.bound.with(s.model, responses)
	if err != nil {
		out.err = err
		return out
	}
	seed := stream.Uint64()
	for longer := range doublings + 1 {
		var draws [][]float64
		if draws, out.divergences, out.err = s.fit(plan, seed, longer); out.err != nil {
			return out
		}
		out.ess, out.ranks = s.rank(truth, draws)
		if !s.algorithm.Markov || out.ess >= ranked {
			break
		}
	}
	out.done = true
	return out
}

// settings of a fit whose chains are 2^longer times as long as asked for.
func (s *study) settings(longer int) (backends.Settings, error) {
	transform := s.bound.checked.Transform.Kind
	base, err := s.algorithm.Resolve(transform, s.given)
	if err != nil || longer == 0 {
		return base, err
	}
	given := map[string]string{}
	for name, v := range s.given {
		given[name] = v
	}
	given["draws"] = strconv.Itoa(base.Int("draws") << longer)
	return s.algorithm.Resolve(transform, given)
}

// rank ranks the truth among thinned draws, and tells the least effective sample size of the chain.
func (s *study) rank(truth []float64, draws [][]float64) (ess float64, ranks []int) {
	ess = math.Inf(1)
	for k, column := range draws {
		ranks = append(ranks, sbc.Rank(truth[k], sbc.Thinned(column, ranked)))
		if v := posterior.ESSBulk([][]float64{column}); v < ess {
			ess = v
		}
	}
	return ess, ranks
}

// ranks gathers, by scalar, the ranks of the replicates that were done.
func (s *study) ranks() (ranks [][]int, done int) {
	ranks = make([][]int, len(s.names))
	for _, r := range s.results {
		if !r.done {
			continue
		}
		done++
		for k, v := range r.ranks {
			ranks[k] = append(ranks[k], v)
		}
	}
	return ranks, done
}

// warnings say what weakens the verdict.
func (s *study) warnings() []string {
	out := []string{}
	failed, slow, divergent := 0, 0, 0
	why := ""
	for _, r := range s.results {
		if r.err != nil {
			failed++
			why = r.err.Error()
		}
		if r.done && r.divergences > 0 {
			divergent++
		}
		if r.done && s.algorithm.Markov && r.ess < ranked {
			slow++
		}
	}
	if failed > 0 {
		out = append(out, fmt.Sprintf("%d replicates could not be fitted and are left out, which biases the ranks (the last: %s)", failed, why))
	}
	if divergent > 0 {
		out = append(out, fmt.Sprintf("in %d replicates transitions diverged: where ranks are not uniform, this may be why (--target-accept 0.95, or another parameterisation)", divergent))
	}
	if slow > 0 {
		out = append(out, fmt.Sprintf("in %d replicates the chain had fewer than %d effective draws, though it was made %d times as long: their ranks are correlated; raise --draws", slow, ranked, 1<<doublings))
	}
	return out
}
