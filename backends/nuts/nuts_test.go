package nuts_test

import (
	"testing"

	"github.com/vflc/vflc/backends/contract"
	"github.com/vflc/vflc/backends/nuts"
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
