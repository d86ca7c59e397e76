package zarr

import (
	"fmt"
	"slices"
)

// ReadObserved reads the responses of a directory that Write wrote, with their pointwise log likelihoods; none if it has no observed_data.
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
			if o.LogLik, err = readLogLik(dir, name, order); err != nil {
				return nil, err
			}
		}
		out = append(out, o)
	}
	return out, nil
}

func readLogLik(dir, name string, order []int) ([][][]float64, error) {
	values, shape, err := ReadFloats(dir, "log_likelihood/"+name)
	if err != nil {
		return nil, err
	}
	n := len(order)
	if len(shape) < 2 || len(values) != shape[0]*shape[1]*n {
		return nil, fmt.Errorf("%s: log_likelihood/%s has shape %v for %d observations", dir, name, shape, n)
	}
	out := make([][][]float64, n)
	for k, at := range order {
		for c := range shape[0] {
			chain := make([]float64, shape[1])
			for i := range chain {
				chain[i] = values[(c*shape[1]+i)*n+k]
			}
			out[at] = append(out[at], chain)
		}
	}
	return out, nil
}
