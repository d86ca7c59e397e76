package sfvi

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

// A running is a mean and a sum of squared deviations.
type running struct {
	n            int
	mean, square float64
}

func (r *running) add(x float64) {
	r.n++
	d := x - r.mean
	r.mean += d / float64(r.n)
	r.square += float64(d * (x - r.mean))
}

// estimate is the mean with its standard error; without two values there is none.
func (r *running) estimate() backends.MonteCarloMean {
	if r.n < 2 {
		return backends.MonteCarloMean{}
	}
	return backends.MonteCarloMean{Value: r.mean, SE: math.Sqrt(r.square / float64(r.n-1) / float64(r.n)),
		N: r.n}
}

// merge adds the values that o has seen (Chan, Golub and LeVeque 1979).
func (r *running) merge(o running) {
	if o.n == 0 {
		return
	}
	n := r.n + o.n
	d := o.mean - r.mean
	r.square += o.square + d*d*float64(r.n)*float64(o.n)/float64(n)
	r.mean += d * float64(o.n) / float64(n)
	r.n = n
}

// A history holds the ELBO's integrand over the iterations, in batches.
type history struct {
	batch   int // iterations in one
	batches []running
	used    int
}

// newHistory makes 400 batches or fewer.
func newHistory(iterations int) history {
	batch := (iterations + 399) / 400
	return history{batch: batch, batches: make([]running, iterations/batch+1)}
}

func (h *history) add(iteration int, x float64) {
	at := iteration / h.batch
	h.batches[at].add(x)
	h.used = at + 1
}

func (h *history) between(from, to int) running {
	var r running
	for _, b := range h.batches[from:to] {
		r.merge(b)
	}
	return r
}

// latest is the mean over the last 5 % of the iterations so far.
func (h *history) latest() backends.MonteCarloMean {
	r := h.between(h.used-(h.used+19)/20, h.used)
	return r.estimate()
}

// drift is the rise of the mean from the third to the fourth quarter. Its standard error includes the trend
// within the quarters, so it errs on the safe side.
func (h *history) drift() backends.MonteCarloMean {
	third, fourth := h.between(h.used/2, h.used*3/4), h.between(h.used*3/4, h.used)
	a, b := third.estimate(), fourth.estimate()
	if a.N == 0 || b.N == 0 {
		return backends.MonteCarloMean{}
	}
	return backends.MonteCarloMean{Value: b.Value - a.Value, SE: portable.Hypot(a.SE, b.SE), N: a.N + b.N}
}

// trace evaluates the ELBO at the current iterate from draws of their own, each over a window of its own
// where the rows are divided.
func (k *kernel) trace(ctx context.Context) error {
	var r running
	if err := k.integrand(ctx, tracing, uint64(k.iter)*tracePoint, tracePoint, &r); err != nil {
		return err
	}
	k.traced, k.fresh, k.drift = r.estimate(), r.n > 1, k.smooth.drift()
	return nil
}

// integrand leaves log p − log q at n draws, at most batchOf, in k.sums and adds them to r. One that is not
// finite is counted and becomes −Inf: a draw of no weight. Nothing depends on them before the last is there,
// so the parties add them up at once.
func (k *kernel) integrand(ctx context.Context, from source, first uint64, n int, r *running) error {
	k.wantGradient = false
	k.selectView(allRows)
	rest := n // where the terms end
	weighed := from == drawing && k.squares != nil
	if weighed {
		rest += n // a squared length of every draw
	}
	width := rest
	if from == drawing && first == 0 { // what the parties know of convergence goes with the first of them
		width += verdicts
		for b, p := range k.parties {
			p.last.judge(&p.theta, k.terms[b][:cap(k.terms[b])][rest:width])
		}
	}
	for b, t := range k.terms {
		k.terms[b] = t[:cap(t)][:width]
	}
	if err := k.addTerms(ctx, from, first, n, rest/n); err != nil {
		return err
	}
	copy(k.verdict[:], k.sums[rest:width])
	for d, ratio := range k.sums[:n] {
		switch {
		case !finite(ratio):
			k.bad++
			k.sums[d] = math.Inf(-1)
		case !weighed || importance.Normal(int(first)+d):
			r.add(ratio)
		}
	}
	return nil
}

// addTerms leaves the sums of the terms in k.sums, first those of all draws, so many of each, and then what
// else there is: in one message, or a few where they are long, where parties can evaluate their densities by
// themselves, else a draw at a time.
func (k *kernel) addTerms(ctx context.Context, from source, first uint64, n, each int) error {
	width := len(k.terms[0])
	if k.places != nil {
		k.env.Work().Gradients += int64(n)
		piece := k.relay.Piece(n)
		for at := 0; at < n; at += piece {
			m, last := min(piece, n-at), each*n
			if at+m == n {
				last = width
			}
			scalars := each*m + last - each*n
			size := density.RelaySize{Columns: m, Scalars: scalars, Answers: scalars}
			if err := k.relay.Relay(ctx, drawingExchange, size, drawn{k, from, first + uint64(at), at, m, n,
				each}); err != nil {
				return err
			}
		}
		return nil
	}
	for d := range n {
		if from == tracing {
			k.selectView(k.traceWindow(first + uint64(d)))
		}
		if err := k.visit(ctx, from, first+uint64(d)); err != nil {
			return err
		}
		for b, p := range k.parties {
			k.terms[b][d] = k.lp[b] + p.ratio
			if each == 2 {
				k.terms[b][n+d] = p.theta.square
			}
		}
	}
	return k.env.Sum(ctx, k.terms, k.sums[:width])
}

// finalBatch evaluates the next draws of the final ELBO.
func (k *kernel) finalBatch(ctx context.Context) error {
	want := k.settings.Int(elboDraws)
	n := min(batchOf, want-k.evaluated)
	if err := k.integrand(ctx, drawing, uint64(k.evaluated), n, &k.elbo); err != nil {
		return err
	}
	if k.squares != nil {
		copy(k.squares[k.evaluated:], k.sums[n:2*n])
	}
	k.evaluated += copy(k.ratios[k.evaluated:], k.sums[:n])
	if k.evaluated == want {
		if k.phase = done; k.squares != nil {
			k.normal = importance.Correct(k.ratios, k.squares, int(k.verdict[dimensions]))
		}
		return k.look(ctx)
	}
	return nil
}

// Ratios implements backends.Weighted: those of the draws of the final ELBO.
func (k *kernel) Ratios() []float64 {
	if k.phase != done {
		return nil
	}
	return k.ratios
}

// Propose implements backends.Weighted.
func (k *kernel) Propose(on bool) { k.proposing = on }

// Correctable implements backends.Weighted: the ratios are also of the auxiliary variables, over which they
// vary too much to be weights. The transform says whether there are any, the same at every party.
func (k *kernel) Correctable() (bool, error) {
	switch {
	case !wanted(k.settings):
		return false, nil
	case k.env.Augmented():
		return false, fmt.Errorf("%w: %s", errWeightless, weighed)
	}
	return true, nil
}

// errWeightless is why draws of auxiliary variables are not corrected, and weighed is what could be.
var errWeightless = errors.New("weights would be of the auxiliary variables too, over which they vary too " +
	"much; without them the cuts would have to cross without noise, which a sampled fit never sends")

const weighed = "--estimator quadrature where it applies, --transform exact, or --backend nuts"

// info describes the state of the fit.
func (k *kernel) info() backends.StepInfo {
	i := backends.StepInfo{Phase: "fit", Iteration: k.iter, Iterations: k.planned, NonFinite: k.bad}
	if k.phase >= evaluating && k.evaluated > 0 {
		i.Phase, i.Iteration, i.Iterations = backends.Evaluation, k.evaluated, k.settings.Int(elboDraws)
	}
	i.Fit = backends.VariationalFit{Smooth: k.smooth.latest(), Trace: k.traced, Traced: k.fresh,
		Drift: k.drift}
	if k.evaluated > 0 {
		k.judged(&i.Fit)
	}
	if k.phase == done {
		i.Done, i.Draws, i.Fit.Final = true, k.settings.Int(draws), k.elbo.estimate()
	}
	return i
}
