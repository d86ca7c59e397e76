package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// fitted runs a model on the tables of a seed, in a folder unless that is "", and returns the CPU seconds
// too.
func (s *study) fitted(p *problem, kind def.Transform, tables, seed uint64, dir, backend string,
	settings map[string]string) (*fit.Result, float64, error) {
	flags, err := p.files(s.data, s.work, tables)
	if err != nil {
		return nil, 0, err
	}
	text, err := p.text()
	if err != nil {
		return nil, 0, err
	}
	model, diags := compile.Compile(source.New(p.path, text), check.Options{Transform: kind, Set: p.set,
		Accept: diag.AcceptanceNames()})
	if diags.HasErrors() {
		return nil, 0, data.Errors(diags)
	}
	located, err := data.Locate(p.path, model.Parties(), flags)
	if err != nil {
		return nil, 0, err
	}
	algorithm, ok := fit.Backend(backend)
	if !ok {
		return nil, 0, fmt.Errorf("no backend %s", backend)
	}
	began := stopwatch.Process()
	prepared, diags, err := fit.Open(model, located, fit.Options{Algorithm: algorithm, Seed: seed,
		Settings: settings, Dir: dir})
	if err != nil || diags.HasErrors() {
		return nil, 0, errors.Join(err, data.Errors(diags))
	}
	r, err := prepared.Sample(context.Background(), nil)
	return r, (stopwatch.Process() - began).Seconds(), err
}

// A known is what a long run tells of a quantity.
type known struct {
	Mean, SD, Q5, Q95 float64
	Draws, TailDraws  float64 // effective ones, for the mean and for quantiles
	// fourth moment over the square of the second: the standard error of an sd follows from it
	Tails float64
}

// truth is what a long run on pooled data tells, by name.
func (s *study) truth(p *problem, tables uint64) (map[string]known, error) {
	settings := map[string]string{"draws": "5000", "chains": "4", "target-accept": "0.9"}
	maps.Copy(settings, p.settings)
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(fmt.Append(nil, text, settings, p.set, p.sizes))
	file := filepath.Join(s.references, fmt.Sprintf("%s-%d-%.4x.json", p.name, tables, key[:]))
	out := map[string]known{}
	if content, err := os.ReadFile(file); err == nil && s.references != "" {
		return out, json.Unmarshal(content, &out)
	}
	r, _, err := s.fitted(p, stdlib.NoTransform, tables, 1000+tables, "", "nuts", settings)
	if err != nil {
		return nil, err
	}
	for _, row := range r.Summary() {
		if !(row.SD > 0) { // such as the first element of a factor of correlations
			continue
		}
		k := known{Mean: float64(row.Mean), SD: float64(row.SD), Q5: float64(row.Q5), Q95: float64(row.Q95),
			Draws: float64(row.ESSBulk), TailDraws: float64(row.ESSTail)}
		at := slices.IndexFunc(r.Draws.Columns(), func(c posterior.Scalar) bool { return c.Name == row.Name })
		if k.Tails = 3; at >= 0 {
			k.Tails = tails(r.Draws.Column(at))
		}
		out[row.Name] = k
	}
	if s.references == "" {
		return out, nil
	}
	content, err := json.MarshalIndent(out, "", " ")
	return out, errors.Join(err, os.WriteFile(file, content, 0o600))
}

// tails is the kurtosis of draws.
func tails(chains [][]float64) float64 {
	x := slices.Concat(chains...)
	n, mean, second, fourth := float64(len(x)), 0.0, 0.0, 0.0
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		d := (v - mean) * (v - mean)
		second, fourth = second+d/n, fourth+d*d/n
	}
	return fourth / (second * second)
}

// A distance is how far a fit is from the truth.
type distance struct {
	shift, width float64 // the largest, of means in sds, of sds relative
	beyond       float64 // the largest of both over what is allowed: 0.1 and four standard errors
	quantile     float64 // of log τ in sds, over 0.1
	worst        string
	draws        float64 // the least effective ones
}

const allowed = 0.1

func apart(r *fit.Result, truth map[string]known, quantiles string) (d distance, err error) {
	d.draws = math.Inf(1)
	for _, row := range r.Summary() {
		of, ok := truth[row.Name]
		if !ok && row.SD > 1e-9 {
			return d, fmt.Errorf("the pooled run has no %s", row.Name)
		}
		if !ok {
			continue
		}
		d.draws = min(d.draws, float64(row.ESSBulk))
		se := math.Sqrt(1/float64(row.ESSBulk) + 1/of.Draws)
		wide := math.Sqrt((1/min(float64(row.ESSBulk), float64(row.ESSTail)) + 1/of.TailDraws) * (of.Tails -
			1) / 4)
		shift, width := math.Abs(float64(row.Mean)-of.Mean)/of.SD, math.Abs(float64(row.SD)/of.SD-1)
		d.shift, d.width = max(d.shift, shift), max(d.width, width)
		beyond := max(shift/(allowed+4*se), width/(allowed+4*wide))
		if beyond > d.beyond {
			d.beyond, d.worst = beyond, row.Name
		}
		if row.Name == quantiles {
			d.quantile = max(math.Abs(float64(row.Q5)-of.Q5),
				math.Abs(float64(row.Q95)-of.Q95)) / of.SD / allowed
		}
	}
	return d, nil
}
