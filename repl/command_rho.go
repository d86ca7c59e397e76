package repl

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/noise"
)

func rhoCommand() command {
	return command{name: "rho", args: "[R …]",
		doc: "compare values of rho by short fits: what each does to the answer, costs, and hides",
		run: func(s *Session, ctx context.Context, args string) error {
			if err := s.needModel(); err != nil {
				return err
			}
			var rhos []float64
			for _, word := range words(args) {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil || !(v > 0) || math.IsInf(v, 1) {
					return usagef(":rho: %q is no rho; write positive numbers", word)
				}
				rhos = append(rhos, v)
			}
			return s.compareRhos(ctx, rhos)
		}}
}

func (s *Session) compareRhos(ctx context.Context, rhos []float64) error {
	m := s.now.built
	sources, err := s.now.sources(m)
	if err != nil {
		return err
	}
	s.flush()
	c, diags, err := noise.Explore(ctx, m, sources, rhos, fit.Options{
		Algorithm: fit.Backends()[0], Joining: s.now.joining(), Seed: 1, Progress: newFolding(s),
	})
	if err := s.opened(s.now.found, diags, err); err != nil {
		return err
	}
	return s.reply("rho", map[string]any{"comparison": c}, func(w io.Writer) error {
		_, err := fmt.Fprint(w, c.Table(nil))
		return err
	})
}
