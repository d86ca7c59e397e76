// Command stretch compares fits of the examples under auxiliary variables with fits of the true model, and
// with the forecast that a run prints:
//
//	go run ./bench/stretch
//
// "coefficients" is the least-squares factor between the posterior means, "sds" the geometric mean of the
// ratios of posterior standard deviations, "moved" the largest distance between means in standard deviations
// of the true posterior.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

func main() {
	fmt.Println("| example | transform | rho | coefficients | forecast | sds | forecast | moved |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, name := range []string{"logistic", "logistic_family", "linear"} {
		truth, err := fitted(name, stdlib.NoTransform, 0)
		if err != nil {
			log.Fatal(err)
		}
		for _, kind := range stdlib.NoisyTransforms() {
			for _, rho := range []float64{0, 0.25, 1} {
				r, err := fitted(name, kind, rho)
				if err != nil {
					log.Fatal(err)
				}
				row(name, kind, r, truth)
			}
		}
	}
}

// fitted fits an example; a rho of 0 stands for 0.35/√J.
func fitted(name string, kind def.Transform, rho float64) (*fit.Result, error) {
	path := "examples/" + name + ".vfl"
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	model := strings.Split(string(text), "\ntransform ")[0] + "\n"
	m, diags := compile.Compile(source.New(path, model), check.Options{Transform: kind, Rho: rho})
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	tables, err := data.Locate(path, m.Parties(), nil)
	if err != nil {
		return nil, err
	}
	if kind.Noise() && rho == 0 {
		if m, diags = compile.Compile(m.Source, check.Options{Transform: kind,
			Rho: 0.35 / math.Sqrt(float64(m.Addends(tables)))}); diags.HasErrors() {
			return nil, data.Errors(diags)
		}
	}
	p, diags, err := fit.Open(m, tables, fit.Options{Seed: 1, Settings: map[string]string{"draws": "4000"}})
	if err := errors.Join(err, data.Errors(diags.Shown())); err != nil && diags.HasErrors() {
		return nil, err
	}
	return p.Sample(context.Background(), nil)
}

// row prints one line of the table.
func row(name string, kind def.Transform, r, truth *fit.Result) {
	var xy, yy, logs, n, moved float64
	at := map[string]posterior.SummaryRow{}
	for _, p := range truth.Summary() {
		at[p.Name] = p
	}
	for _, p := range r.Summary() {
		if !strings.Contains(p.Name, "beta") {
			continue
		}
		t := at[p.Name]
		xy, yy = xy+float64(p.Mean*t.Mean), yy+float64(t.Mean*t.Mean)
		logs, n = logs+math.Log(float64(p.SD/t.SD)), n+1
		moved = max(moved, math.Abs(float64((p.Mean-t.Mean)/t.SD)))
	}
	f := r.Document.Forecasts[0]
	slope, sds := "none", "none"
	if f.Reason == "" {
		slope, sds = fmt.Sprintf("%.2f", float64(f.Slope)), fmt.Sprintf("%.2f", float64(f.SD))
	}
	fmt.Printf("| %s | %s | %.3g | %.2f | %s | %.2f | %s | %.2f |\n", name, kind, r.Document.Rho, xy/yy,
		slope, math.Exp(logs/n), sds, moved)
}
