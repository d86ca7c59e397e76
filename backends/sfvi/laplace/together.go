package laplace

import (
	"context"
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// stepTogether evaluates, or has the curvature decrypted where the last evaluation was, and goes the server's
// step.
func (k *Kernel) stepTogether(ctx context.Context) error {
	if k.opening {
		var gram []float64
		if k.server != nil {
			gram = k.server.gram
		}
		if err := k.secret.Curvatures(ctx, gram); err != nil {
			return err
		}
	} else if err := k.evaluate(ctx); err != nil {
		return err
	}
	if err := k.secret.Consult(ctx, asking{k}); err != nil {
		return err
	}
	return k.failure
}

// asking is how the server's step is asked for: a party tells the gradient by its parameters, and at first
// the precision of its prior, and receives its part of the step.
type asking struct{ *Kernel }

func (k asking) Size(_, columns int) (up, down, all int) {
	if up = columns; !k.asked {
		up += columns * columns
	}
	return up, columns, 2
}

func (k asking) Ask(b int, up []float64) {
	p := k.parties[b]
	if copy(up, p.grad); !k.asked {
		p.precision(up[p.d:])
	}
}

func (k asking) Counsel(up, down [][]float64, all []float64) {
	s := k.server
	for b, v := range up {
		from, d := s.at[b], s.at[b+1]-s.at[b]
		copy(s.grad[from:], v[:d])
		for i := 0; i < d && !k.asked; i++ {
			copy(s.priors[(from+i)*s.p+from:], v[d+i*d:][:d])
		}
	}
	verdict, decrement := k.decide()
	for b, v := range down {
		if clear(v); verdict != openAgain && verdict != giveUp {
			copy(v, s.step[s.at[b]:])
		}
	}
	all[0], all[1] = float64(verdict), decrement
}

// decide judges the last step and makes the next.
func (k asking) decide() (verdict int, decrement float64) {
	s := k.server
	last := k.evaluations >= k.options.Iterations || !k.affords(evaluated, stepped)
	s.weighs, s.room = k.afforded() > 0, k.evaluations+2 <= k.options.Iterations &&
		k.affords(seeked, evaluated, evaluated, paired)
	s.renews = k.affords([]density.Decryption{crossed}, stepped, evaluated, stepped)
	if k.beyond != nil {
		s.beyond++
	}
	switch {
	case k.opening:
		s.open()
	case s.judge(k.beyond != nil):
		if last || s.beyond > mostBeyond {
			return giveUp, s.least
		}
		return s.again(), s.least
	}
	return s.next(k.scale, last)
}

func (k asking) Take(b int, step, all []float64) {
	p, verdict := k.parties[b], int(all[0])
	switch verdict {
	case goOn, arrive, average, stop:
		copy(p.base, p.theta)
		vec.Accumulate(p.d, p.theta, step)
	case goBack:
		vec.Add(p.d, p.theta, p.base, step)
	case openAgain:
	default: // giveUp, or what no server says
		k.failure = k.lost()
	}
	k.asked, k.opening, k.decrement = true, verdict == openAgain, all[1]
	switch verdict {
	case arrive, stop:
		k.phase, k.converged = drawing, verdict == arrive
		if !k.converged && k.evaluations+2 <= k.options.Iterations {
			k.unfinished = fmt.Sprintf("steps ended, before a pair of evaluations around the mode, where "+
				"more numbers may not be decrypted; the last promised log p to rise by %.2g", 0.5*k.decrement)
		}
	case average:
		k.phase, k.converged = seeking, true
	}
}

// Unfinished implements backends.Unfinished.
func (k *Kernel) Unfinished() (reason, wayOut string) {
	if k.unfinished == "" {
		return "", ""
	}
	return k.unfinished, "more rows or fewer columns; zscored columns; another wire"
}

// lost is the error where no step leads on.
func (k *Kernel) lost() error {
	if k.beyond != nil {
		return &backends.FitError{Err: fmt.Errorf("sfvi: the mode of encrypted rows is not in reach: %w",
			k.beyond)}
	}
	return &backends.FitError{Err: fmt.Errorf("sfvi: no step of the fit of encrypted rows leads "+
		"on after %d evaluations: "+
		"the density is not finite, not concave, or flat where steps lead: %s", k.evaluations, wayOut)}
}
