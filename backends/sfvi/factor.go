package sfvi

import vec "github.com/vflc/vflc/runtime/vector"

// A factor is variational parameters that always move together, with their optimiser: those of q(θ), and
// those of q(z | θ), which have one factor for each window of rows where every auxiliary variable has
// parameters of its own.
type factor struct {
	phi      []float64
	grad     []float64
	mean     []float64 // running mean of phi over its steps in the tail
	averaged int       // how many these are
	opt      adam
	due      float64 // the rate of a step that is put off until flush; 0: none
	next     step    // that step, when it is made
}

// newFactor makes a factor. Where parties are apart its steps can be undone.
func newFactor(size int, apart bool) *factor {
	v := make([]float64, 3*size)
	f := &factor{phi: v[:size], grad: v[size : 2*size], mean: v[2*size:], opt: newAdam(size)}
	if apart {
		f.opt.safe = make([]float64, 3*size)
	}
	return f
}

// ascendLater puts a step of ascend off: to when the party uses the parameters, by then in a goroutine of its
// own where there are several.
func (f *factor) ascendLater(rate float64) { f.due = rate }

// step returns the step that was put off, for the caller to make, or nil.
func (f *factor) step() *step {
	if f.due == 0 {
		return nil
	}
	if f.opt.safe != nil {
		f.opt.keep(f.phi)
	}
	f.next, f.due = f.opt.next(f.grad, f.due), 0
	return &f.next
}

// flush makes the step that was put off. All that uses the parameters, the gradient or the optimiser calls it
// before.
func (f *factor) flush() {
	if by := f.step(); by != nil {
		by.move(len(f.phi), f.phi, 0)
	}
}

// ascend moves the parameters along the gradient. Where the step may have to be undone it keeps a copy first.
func (f *factor) ascend(rate float64) {
	f.ascendLater(rate)
	f.flush()
}

// average includes phi in the running mean.
func (f *factor) average() {
	f.flush()
	f.averaged++
	vec.Approach(len(f.phi), f.mean, 1/float64(f.averaged), f.phi)
}

// settle moves to the running mean, where there is one.
func (f *factor) settle() {
	f.flush()
	if f.averaged > 0 {
		copy(f.phi, f.mean)
	}
}
