package nuts_test

import (
	"maps"
	"testing"

	"github.com/vflc/vflc/backends/contract"
	"github.com/vflc/vflc/backends/nuts"
	"github.com/vflc/vflc/internal/testmodel"
)

func TestContract(t *testing.T) {
	for name, given := range map[string]map[string]string{
		"default":  {},
		"dense":    {"metric": "dense"},
		"stan":     {"adapt": "stan"},
		"centered": {"centered": "true", "jitter": "0.1"},
	} {
		given["warmup"], given["draws"] = "60", "40"
		t.Run(name, func(t *testing.T) { contract.Check(t, nuts.Algorithm(), given) })
	}
}

func TestExact(t *testing.T) {
	for name, given := range map[string]map[string]string{
		"default": {},
		"dense":   {"metric": "dense"},
		"stan":    {"adapt": "stan"},
	} {
		t.Run(name, func(t *testing.T) {
			contract.CheckExact(t, nuts.Algorithm(), func(k testmodel.Known) map[string]string {
				given := maps.Clone(given)
				given["warmup"], given["draws"] = "500", "1000"
				if k.Name == "funnel" || k.Name == "banana" { // where the curvature varies
					given["target-accept"] = "0.95"
				}
				return given
			})
		})
	}
}
