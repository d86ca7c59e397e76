package playground

import (
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/posterior/plot"
	"github.com/vflc/vflc/stdlib"
)

// Words are the names that the language and the algorithms have, by what they are.
type Words struct {
	Keywords      []string `json:"keywords"`
	Distributions []string `json:"distributions"`
	Functions     []string `json:"functions"`
	Encoders      []string `json:"encoders"`
	Transforms    []string `json:"transforms"`
	Backends      []string `json:"backends"`
	Plots         []string `json:"plots"`
	Version       string   `json:"version"`
}

// Vocabulary lists the words of this version.
func Vocabulary() Words {
	lib := stdlib.New()
	w := Words{Keywords: parser.Keywords(), Distributions: lib.Dists(), Functions: lib.Funcs(),
		Encoders:   lib.Encoders(),
		Transforms: lib.Transforms(), Plots: plot.NamesOfDraws(), Version: fit.Version()}
	for _, a := range fit.Backends() {
		w.Backends = append(w.Backends, a.Name)
	}
	return w
}
