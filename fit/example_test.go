package fit_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// A linear regression on covariates of two clients, without a transform: with all data in one place.
func Example() {
	text, err := os.ReadFile("../examples/linear.vfl")
	if err != nil {
		log.Fatal(err)
	}
	model, diags := compile.Compile(source.New("../examples/linear.vfl", string(text)),
		check.Options{Transform: stdlib.NoTransform})
	if diags.HasErrors() {
		log.Fatal(data.Errors(diags))
	}
	tables, err := data.Locate(model.Source.Name, model.Parties(), nil) // those beside the model
	if err != nil {
		log.Fatal(err)
	}
	run, diags, err := fit.Open(model, tables,
		fit.Options{Seed: 1, Settings: map[string]string{"warmup": "500"}})
	if err != nil || diags.HasErrors() {
		log.Fatal(err, data.Errors(diags))
	}
	result, err := run.Sample(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range result.Summary()[:3] {
		fmt.Printf("%-9s %5.1f ± %.2f\n", row.Name, row.Mean, row.SD)
	}
	fmt.Println(len(result.Diagnose()), "reasons not to trust it")
	// Output:
	// b           1.4 ± 0.05
	// sigma       0.7 ± 0.03
	// beta_a[1]   0.8 ± 0.04
	// 0 reasons not to trust it
}
