package nuts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends/nuts"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/contract"
	"github.com/vflc/vflc/tests/testmodel"
)

func TestContract(t *testing.T) {
	for name, given := range map[string]map[string]string{
		"default":  {},
		"diag":     {"metric": "diag"},
		"low-rank": {"metric": "low-rank"},
	} {
		given["warmup"], given["draws"] = "40", "20"
		t.Run(name, func(t *testing.T) { contract.Check(t, nuts.Algorithm(), given) })
	}
}

// every runs the zoo with the given settings. A mean is within contract's exactErrors, 4.5 Monte Carlo
// standard errors of the draws that there are, whatever their number: 4 chains of 500 notice a bias of a
// tenth of a standard deviation where draws are nearly independent.
func every(t *testing.T, given map[string]string, runs ...def.Transform) {
	t.Helper()
	contract.CheckExact(t, nuts.Algorithm(), func(k testmodel.Known) map[string]string {
		if runs != nil && !slices.Contains(runs, k.Transform) || k.Name == "correlated normal" &&
			given["metric"] == "dense" && !*brief.Every {
			return nil // a dense metric is the default
		}
		given := maps.Clone(given)
		given["warmup"], given["draws"] = "300", "500"
		// 300 functions, some of which are slow: of 500 draws the error is estimated too small in one run of
		// 60
		if k.Name == "correlated normal" {
			given["warmup"], given["draws"] = "1000", "2000"
		}
		if k.Name == "funnel" || k.Name == "banana" { // where the curvature varies
			given["target-accept"] = "0.95"
		}
		return given
	})
}

func TestExact(t *testing.T) {
	t.Run("default", func(t *testing.T) { every(t, map[string]string{}) })
	t.Run("diag", func(t *testing.T) { every(t, map[string]string{"metric": "diag"}) })
	t.Run("dense", func(t *testing.T) { every(t, map[string]string{"metric": "dense"}) })
	t.Run("low-rank", func(t *testing.T) { every(t, map[string]string{"metric": "low-rank"}) })
}

// A metric with ridges is found by chains that warm up alone from draws and gradients.
func TestLowRankIsRefusedWhereItCannotBeFound(t *testing.T) {
	a := nuts.Algorithm()
	s, err := a.Resolve(stdlib.NoTransform, map[string]string{"metric": "low-rank", "init": "sfvi"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.New(contract.Model(stdlib.NoTransform).Env(1), s); err == nil ||
		!strings.Contains(err.Error(), "no --init") {
		t.Errorf("got %v", err)
	}
}
