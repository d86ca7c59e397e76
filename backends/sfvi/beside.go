package sfvi

import (
	"context"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
)

// A beside is a fit by quadrature that iterates together with others: they share round trips.
type beside struct {
	number int
	kernel *quadrature.Kernel
}

// begin begins so many of them.
func (k *restarted) begin(ctx context.Context, fits int) error {
	for range fits {
		q, err := newQuadrature(k.env, settled(k.settings, nil), k.begun)
		if err != nil {
			return err
		}
		if err := q.Init(ctx); err != nil {
			return err
		}
		k.beside, k.begun = append(k.beside, beside{k.begun, q}), k.begun+1
	}
	return nil
}

// iterating are those that are not at rest.
func (k *restarted) iterating() (out []*quadrature.Kernel) {
	for _, f := range k.beside {
		if _, rests := f.kernel.AtRest(); !rests {
			out = append(out, f.kernel)
		}
	}
	return out
}

// iterate makes an iteration of these. When all are at rest, those follow that are to be evaluated.
func (k *restarted) iterate(ctx context.Context) (backends.StepInfo, error) {
	fits := k.iterating()
	i, ends, err := quadrature.Together(ctx, fits)
	if err != nil {
		return i, err
	}
	k.length = max(k.length, i.Iteration)
	for l, end := range ends {
		if end == nil {
			continue
		}
		if !k.failed(end) {
			return i, end
		}
		k.drop(fits[l])
	}
	if k.iterating() != nil {
		return k.told(i), nil
	}
	if err := k.sortOut(ctx); err != nil {
		return i, err
	}
	return k.next(ctx, i)
}

// drop counts a fit that failed.
func (k *restarted) drop(fit *quadrature.Kernel) {
	for l, f := range k.beside {
		if f.kernel == fit {
			k.beside = append(k.beside[:l:l], k.beside[l+1:]...)
			k.count(f.number, &backends.VariationalFit{}, true)
			return
		}
	}
}

// sortOut leaves of the fits, all at rest, those that are to be evaluated. A q(θ_j) is narrower than draws of
// the joint Gaussian: whoever is not elsewhere by its standard deviations is not by theirs.
func (k *restarted) sortOut(ctx context.Context) error {
	if len(k.beside) == 0 {
		return nil
	}
	var kernels []backends.Kernel
	var ends []ending
	var fits []backends.VariationalFit
	for _, f := range k.beside {
		end, _ := f.kernel.AtRest()
		kernels, fits = append(kernels, f.kernel), append(fits, end)
		ends = append(ends, k.moments(f.kernel, f.number, &end))
	}
	elsewhere, err := k.compare(ctx, kernels, ends)
	if err != nil {
		return err
	}
	var left []beside
	kept, n := make([]bool, len(ends)), len(elsewhere)/len(ends)
	for l, f := range k.beside {
		at := elsewhere[l*n:][:n]
		there := false
		for m, apart := range at[1:] {
			if m < len(k.places) {
				there = there || apart == 0 && k.places[m].covers(&ends[l])
			} else if m -= len(k.places); m < l && kept[m] {
				there = there || apart == 0 && ends[m].covers(&ends[l])
			}
		}
		if failed := at[0] > 0; failed || there {
			k.count(f.number, &fits[l], failed)
			continue
		}
		kept[l], left = true, append(left, f)
	}
	k.beside = left
	return nil
}

// better is by how much, in nats, a fit is to be better than another at the same place to be evaluated too:
// fits at rest differ by some of their tolerance, of 0.01, and draws that are corrected by less.
const better = 0.1

// covers reports whether nothing follows from a fit that ended at the same place.
func (m *ending) covers(o *ending) bool {
	return (m.mode || !o.mode) && o.height <= m.height+better
}
