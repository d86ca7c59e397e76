package main

import (
	"math"
	"slices"

	"github.com/vflc/vflc/posterior"
)

// A lost chain brings R-hat above disagree, and its removal below agree.
const (
	disagree = 1.1
	agree    = 1.05
)

// lost returns the chains, from 0, that never move, and those without which all others agree.
func lost(d *posterior.Draws) (chains []int) {
	all := make([]int, d.Chains())
	for k := range all {
		all[k] = k
	}
	apart := rhat(d, all) > disagree
	for k := range all {
		if !moves(d, k) || apart && rhat(d, slices.Delete(slices.Clone(all), k, k+1)) < agree {
			chains = append(chains, k)
		}
	}
	return chains
}

// moves reports whether a chain has more than one state.
func moves(d *posterior.Draws, chain int) bool {
	for k := range d.Parameters() {
		x := d.Column(k)[chain]
		if slices.Min(x) < slices.Max(x) {
			return true
		}
	}
	return false
}

// rhat is the largest over the parameters, of some chains. It is infinite where one is not defined: chains
// that stand still at different values.
func rhat(d *posterior.Draws, chains []int) float64 {
	most := 0.0
	for k := range d.Parameters() {
		x := make([][]float64, len(chains))
		for i, c := range chains {
			x[i] = d.Column(k)[c]
		}
		r := posterior.RHat(x)
		if math.IsNaN(r) {
			r = math.Inf(1)
		}
		most = max(most, r)
	}
	return most
}
