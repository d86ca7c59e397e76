package report

import (
	"bytes"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/assess"
)

// An accuracySection is what vflc loo prints.
type accuracySection struct {
	Table string
	Noise bool // rho√J is in the density that is judged
}

// accuracy is there for a run that has stored the log density of its observations.
func (r *Report) accuracy() (any, error) {
	stored, err := fit.StoredLogLikelihood(r.run)
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	var b bytes.Buffer
	if err := assess.LOO().Of(r.run, stored, nil).WriteTable(&b); err != nil {
		return nil, err
	}
	return accuracySection{b.String(), r.transform.Noise()}, nil
}
