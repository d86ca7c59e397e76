package export

import (
	"fmt"
	"slices"
)

// ReadObserved reads the responses of a directory that Write wrote, with their pointwise log likelihoods;
// none if it has no observed_data.
func ReadObserved(dir string) ([]Observed, error) {
	names, err := Names(dir, "observed_data")
	if err != nil {
		return nil, err
	}
	stored, err := Names(dir, "log_likelihood")
	if err != nil {
		return nil, err
	}
	var out []Observed
	for _, name := range names {
		values, shape, err := ReadFloats(dir, "observed_data/"+name)
		if err != nil {
			return nil, err
		}
		o := Observed{Name: name, Shape: shape, Values: make([]float64, len(values))}
		order := rowMajor(shape)
		for k, at := range order {
			o.Values[at] = values[k]
		}
		if slices.Contains(stored, name) {
			if err := o.readLogLik(dir); err != nil {
				return nil, err
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// readLogLik reads the log likelihood, whose dimensions after chain and draw are those of the values, or
// without the last ones where these are vectors or matrices.
func (r *Observed) readLogLik(dir string) error {
	values, shape, err := ReadFloats(dir, "log_likelihood/"+r.Name)
	if err != nil {
		return err
	}
	if len(shape) < 2 || len(shape) > 2+len(r.Shape) || !slices.Equal(shape[2:], r.Shape[:len(shape)-2]) {
		return fmt.Errorf("%s: log_likelihood/%s has shape %v for observations of shape %v", dir, r.Name,
			shape, r.Shape)
	}
	if len(shape)-2 < len(r.Shape) {
		r.Outcomes = append([]int{}, shape[2:]...)
	}
	order := rowMajor(shape[2:])
	n := len(order)
	r.LogLik = make([][][]float64, n)
	for k, at := range order {
		for c := range shape[0] {
			chain := make([]float64, shape[1])
			for i := range chain {
				chain[i] = values[(c*shape[1]+i)*n+k]
			}
			r.LogLik[at] = append(r.LogLik[at], chain)
		}
	}
	return nil
}
