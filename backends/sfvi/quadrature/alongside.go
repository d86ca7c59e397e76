package quadrature

import (
	"context"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// MostTogether is the largest number of fits that iterate together.
const MostTogether = 4

// TogetherAtMost is how many of so many fits one message takes, of a size that depends on the rows alone.
func (k *Kernel) TogetherAtMost(fits int) int {
	return max(1, k.relay.Piece(2*min(fits, MostTogether))/2)
}

// AtRest is where the fit ended, unless it goes on.
func (k *Kernel) AtRest() (end backends.VariationalFit, ok bool) {
	end = backends.VariationalFit{Judged: true, Converged: k.reached,
		Final: backends.MonteCarloMean{Value: k.elbo, N: 1}}
	return end, k.phase != fitting
}

// Together makes an iteration of fits of one Env that are not at rest, and that differ by where they began.
// It takes the round trips of one: their columns and numbers follow one another. It returns where the first
// stands, and the reasons why single fits cannot go on.
func Together(ctx context.Context, fits []*Kernel) (first backends.StepInfo, ends []error, err error) {
	ends = make([]error, len(fits))
	if err := iterate(ctx, fits); err != nil {
		return first, nil, err
	}
	for i, k := range fits {
		if k.options.Start == 0 || k.verdict == abandon {
			ends[i] = k.failing()
		}
		k.advance()
	}
	return fits[0].info(), ends, nil
}

// iterate is one iteration: one round trip where the likelihood is at the server; where it is at the clients
// two, and one more from the second iterate on, for the coefficients.
func iterate(ctx context.Context, fits []*Kernel) error {
	k := fits[0]
	if !k.options.AtClients {
		size := density.RelaySize{Columns: 2, Scalars: 1 + coefficients,
			Answers: decision + coefficients, Over: true}
		return meet(ctx, momentsExchange, size, fits,
			func(k *Kernel) density.Relayed { return atServer{k} })
	}
	sent := k.shared + k.shared*k.shared
	err := meet(ctx, momentsExchange, density.RelaySize{Columns: 2, Answers: sent}, fits,
		func(k *Kernel) density.Relayed { return moments{k} })
	if err != nil {
		return err
	}
	var mixed []*Kernel
	for _, k := range fits {
		clear(k.mix)
		if k.mix[0] = 1; k.parties[0].trail.used > 1 {
			mixed = append(mixed, k)
		}
	}
	err = meet(ctx, Mixing, density.RelaySize{Scalars: pairs, Answers: coefficients}, mixed,
		func(k *Kernel) density.Relayed { return mixing{k} })
	if err != nil {
		return err
	}
	for _, k := range fits {
		for _, p := range k.parties {
			p.move(k.mix)
		}
	}
	return meet(ctx, slopesExchange, density.RelaySize{Columns: 2, Scalars: 1 + sent + k.described(),
		Answers: decision + k.described()}, fits, func(k *Kernel) density.Relayed { return slopes{k} })
}

// meet is one round trip, of a size that is that of each fit.
func meet(ctx context.Context, x *density.Exchange, size density.RelaySize, fits []*Kernel,
	part func(*Kernel) density.Relayed) error {
	if len(fits) == 0 {
		return nil
	}
	var all alongside
	for _, k := range fits {
		all.starts, all.parts = append(all.starts, k.options.Start), append(all.parts, part(k))
	}
	n := len(fits)
	size.Columns, size.Scalars, size.Answers = n*size.Columns, n*size.Scalars, n*size.Answers
	return fits[0].relay.Relay(ctx, x, size, all)
}

// alongside are the parts of some fits in a round trip, in the order of their starting points.
type alongside struct {
	starts []int
	parts  []density.Relayed
}

// Fits are the numbers of the starting points.
func (a alongside) Fits() []int { return a.starts }

// of is what is of fit i.
func (a alongside) of(i int, v []float64) []float64 {
	n := len(v) / len(a.parts)
	return v[i*n : (i+1)*n]
}

func (a alongside) each(i int, vectors [][]float64) [][]float64 {
	out := make([][]float64, len(vectors))
	for m, v := range vectors {
		out[m] = a.of(i, v)
	}
	return out
}

func (a alongside) Send(b int, up [][]float64, scalars []float64) {
	for i, p := range a.parts {
		p.Send(b, a.each(i, up), a.of(i, scalars))
	}
}

func (a alongside) Answer(sum [][]float64, total []float64, down [][]float64, answers []float64) {
	for i, p := range a.parts {
		p.Answer(a.each(i, sum), a.of(i, total), a.each(i, down), a.of(i, answers))
	}
}

func (a alongside) Receive(b int, down [][]float64, answers []float64) {
	for i, p := range a.parts {
		p.Receive(b, a.each(i, down), a.of(i, answers))
	}
}
