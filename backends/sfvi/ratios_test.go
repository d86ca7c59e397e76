package sfvi

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/tests/testmodel"
)

// The ratios are those that the final ELBO is the mean of, whether or not the evaluation was interrupted in
// the middle.
func TestRatiosAreTheTermsOfTheFinalValue(t *testing.T) {
	env := func() *testmodel.Env { return testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1) }
	given := map[string]string{"iterations": "50", "elbo-draws": "200"}
	k := kernelOver(t, env(), given)
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	var saved bytes.Buffer
	for range 52 { // two batches of the evaluation
		if _, err := k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if k.Ratios() != nil {
		t.Error("there are ratios before the end")
	}
	if err := k.Save(&saved); err != nil {
		t.Fatal(err)
	}
	resumed := kernelOver(t, env(), given)
	if err := resumed.Load(&saved); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*kernel{k, resumed} {
		info, err := x.Step(context.Background())
		for err == nil && !info.Done {
			info, err = x.Step(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, r := range x.Ratios() {
			mean += r / float64(len(x.Ratios()))
		}
		if want := info.Fit.Final; len(x.Ratios()) != 200 ||
			math.Abs(mean-want.Value) > 1e-9*math.Abs(want.Value) {
			t.Errorf("%d ratios of mean %v, the final value is %v", len(x.Ratios()), mean, want.Value)
		}
	}
	if !slices.Equal(k.Ratios(), resumed.Ratios()) {
		t.Error("ratios differ after an interruption")
	}
}
