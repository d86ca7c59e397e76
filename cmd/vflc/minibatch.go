package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/rows"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/rng"
)

// A division is the windows into which the rows of a model are divided; nil where every evaluation is of all rows.
type division struct {
	size  string // that counts rows
	parts [][]int
}

// minibatch is the number of rows that an evaluation is asked to have, 0 for all.
func minibatch(a backends.Algorithm, s backends.Settings) int {
	if a.Minibatch == "" {
		return 0
	}
	return s.Int(a.Minibatch)
}

// divisible returns the name of the size that counts rows, and shows what keeps a model from minibatches.
func (c *compiled) divisible(cmd *cobra.Command) (string, error) {
	size, diags := rows.Check(c.cuts)
	return size, settle(cmd, diags)
}

// divide divides the rows into windows of about so many and lowers the programs for each; 0: not at all. All parties have the same windows, by the
// shared seed.
func (b *bound) divide(cmd *cobra.Command, minibatch int, seed uint64) error {
	if minibatch == 0 {
		return nil
	}
	size, err := b.divisible(cmd)
	if err != nil {
		return err
	}
	n, _ := b.sizes.Value(size, "")
	if minibatch >= n {
		return &failure{exitUsage, fmt.Errorf("minibatch: %d is not less than the number of rows, %s = %d; use at most %d, or leave it out for all rows", minibatch, size, n, n-1)}
	}
	b.windows = &division{size, partition(n, minibatch, seed)}
	diags, err := b.windows.apply(b.plan, b.parties)
	if err != nil {
		return err
	}
	return settle(cmd, diags)
}

// apply adds the windows to a plan.
func (d *division) apply(plan *model.Plan, parties []*lower.Lowered) (diag.List, error) {
	if d == nil {
		return nil, nil
	}
	return lower.Divide(plan, parties, d.size, d.parts)
}

// partition deals n rows at random into as few windows of at most most rows as there can be, whose sizes differ by one at most.
func partition(n, most int, seed uint64) [][]int {
	windows := (n + most - 1) / most
	order := rng.New(rng.SharedKey(seed), "minibatch rows").Rand().Perm(n)
	parts := make([][]int, windows)
	for k := range parts {
		parts[k] = order[k*n/windows : (k+1)*n/windows]
		slices.Sort(parts[k])
	}
	return parts
}
