//go:build unix

package parties

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Wires runs a case across processes with masked sums, without masks on the same short or fixed point wire,
// and without masks on the plain one; each must have the draws of a run in one process, and the first two
// those of one another. It returns how many were compared.
func (l *Lab) Wires(ctx context.Context, c Case) (compared int, err error) {
	fixed := []string{"--wire", "fixed"} // of masked sums
	if slices.Contains(c.Args, "nuts") {
		fixed[1] = "short"
	}
	var masked map[string]string
	for _, w := range []struct {
		name         string
		apart, whole []string
	}{
		{"masked", nil, fixed},
		{"not masked", append([]string{"--secure-sum", "off"}, fixed...), fixed},
		{"not masked, plain", []string{"--secure-sum", "off"}, nil},
	} {
		draws, err := l.wire(ctx, c, w.apart, w.whole)
		if err != nil {
			return compared, fmt.Errorf("%s, %s: %w", c.Name, w.name, err)
		}
		if masked == nil {
			masked = draws
		} else if len(w.whole) > 0 && !maps.Equal(draws, masked) {
			return compared, fmt.Errorf("%s: the draws with and without masks differ", c.Name)
		}
		compared++
	}
	return compared, nil
}

func (l *Lab) wire(ctx context.Context, c Case, apart, whole []string) (map[string]string, error) {
	defer os.RemoveAll(filepath.Join(l.Dir, "demo"))
	defer l.end()
	if err := l.vflc(ctx, append(append([]string{"run", "m.vfl", "-o", "whole", "--overwrite", "--quiet"},
		whole...), c.Args...)...); err != nil {
		return nil, err
	}
	draws, err := Draws(filepath.Join(l.Dir, "whole"))
	if err != nil {
		return nil, err
	}
	if err := l.vflc(ctx, append(append(l.start(c), apart...), "--wait")...); err != nil {
		return nil, err
	}
	return draws, l.compare(&Reference{draws: draws})
}
