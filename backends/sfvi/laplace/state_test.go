package laplace_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/laplace"
	"github.com/vflc/vflc/density"
)

func settings() laplace.Options {
	return laplace.Options{Iterations: 100, Draws: 1400, Correct: true, Weights: 1400, Heading: "test"}
}

// hard is a design whose curvature is decrypted twice.
func hard() *regression {
	return design{rows: 400, clients: 3, columns: 3, rho: 0.8, pairs: true, kind: "logistic", rate: 0.1,
		seed: 6}.draw()
}

// result is everything that a fit tells, of the draws of each party.
func result(k *laplace.Kernel, blocks []density.Block) (theta [][]float64, ratios []float64) {
	theta = make([][]float64, len(blocks))
	for id := range 10 {
		one := make([][]float64, len(blocks))
		for b, block := range blocks {
			one[b] = make([]float64, block.Dim())
		}
		k.Draw(id, one)
		for b := range one {
			theta[b] = append(theta[b], one[b]...)
		}
	}
	return theta, k.Ratios()
}

// Parties by themselves have the draws and weights of one process, bit for bit.
func TestPartiesApart(t *testing.T) {
	m := hard()
	k, err := run(t.Context(), m.clearing(t).Env(0, 1, 2, 3), settings())
	if err != nil {
		t.Fatal(err)
	}
	want, weights := result(k, m.blocks())
	hub, blocks := m.clearing(t), m.blocks()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var parties sync.WaitGroup
	for b := range blocks {
		parties.Go(func() {
			k, err := run(ctx, hub.Env(b), settings())
			if err != nil {
				t.Error(b, err)
				cancel()
				return
			}
			theta, ratios := result(k, blocks[b:b+1])
			if !slices.Equal(theta[0], want[b]) || !slices.Equal(ratios, weights) {
				t.Errorf("party %d has other draws or weights", b)
			}
		})
	}
	parties.Wait()
}

// A fit that is saved after any step and loaded by another kernel goes on to the same bits.
func TestResumed(t *testing.T) {
	m := hard()
	k, err := run(t.Context(), m.clearing(t).Env(0, 1, 2, 3), settings())
	if err != nil {
		t.Fatal(err)
	}
	want, weights := result(k, m.blocks())
	hub := m.clearing(t)
	env := hub.Env(0, 1, 2, 3)
	if k, err = laplace.New(env, settings()); err != nil {
		t.Fatal(err)
	}
	if err := k.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		var saved bytes.Buffer
		if err := k.Save(&saved); err != nil {
			t.Fatal(err)
		}
		if k, err = laplace.New(env, settings()); err != nil {
			t.Fatal(err)
		}
		if err := k.Load(&saved); err != nil {
			t.Fatal(err)
		}
		info, err := k.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done = info.Done
	}
	if theta, ratios := result(k, m.blocks()); !slices.EqualFunc(theta, want, slices.Equal) ||
		!slices.Equal(ratios, weights) {
		t.Error("resumed after every step it has other draws or weights")
	}
	if hub.Openings != 2 || len(weights) != 1400 {
		t.Errorf("the curvature was decrypted %d times, and %d draws weighed", hub.Openings, len(weights))
	}
	var saved bytes.Buffer
	if err := k.Save(&saved); err != nil {
		t.Fatal(err)
	}
	for n := range saved.Len() / 64 {
		other, err := laplace.New(env, settings())
		if err != nil {
			t.Fatal(err)
		}
		if other.Load(bytes.NewReader(saved.Bytes()[:64*n])) == nil {
			t.Fatal("a truncated state loads")
		}
	}
}

// Ones and zeros that a column separates have their mode where the prior holds it. The posterior is far from
// normal, and the mean is found to first order of its skewness.
func TestSeparated(t *testing.T) {
	m := design{rows: 120, clients: 2, columns: 2, kind: "logistic", rate: 0.5, seed: 9}.draw()
	for i := range m.y {
		m.y[i] = 0
		if m.x[0][i] > 0 {
			m.y[i] = 1
		}
	}
	hub := m.clearing(t)
	k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 100, Draws: 2})
	if err != nil {
		t.Fatal(err)
	}
	mean, _ := moments(hub, k, 2)
	if off := m.distance(mean); off > 0.3 || mean[1] < 3 {
		t.Errorf("%g standard deviations from the mode, in %d evaluations", off, hub.Evaluations)
	}
}

// A column that is constant, or of another party's, has its prior alone, or shares the sum with it; under a
// flat prior it is refused by name.
func TestConstantColumns(t *testing.T) {
	m := design{rows: 400, clients: 2, columns: 2, kind: "logistic", rate: 0.4, seed: 7}.draw()
	n := len(m.y)
	for i := range n {
		m.x[0][i] = 1
		m.x[1][n+i] = m.x[1][i]
		m.x[0][n+i] = m.x[1][i]
	}
	hub := m.clearing(t)
	k, err := run(t.Context(), hub.Env(0, 1, 2), laplace.Options{Iterations: 100, Draws: 2})
	if err != nil {
		t.Fatal(err)
	}
	mean, _ := moments(hub, k, 2)
	if off := m.distance(mean); off > 0.05 || math.Abs(mean[2]-mean[3]) > 1e-6 ||
		math.Abs(mean[3]-mean[4]) > 1e-6 {
		t.Errorf("%g standard deviations from the mode, coefficients %v", off, mean)
	}
	blocks := m.blocks()
	clear(blocks[2].(*block).lin.Prior.Precision)
	if _, err := laplace.New(over(t, blocks), settings()); err == nil ||
		!strings.Contains(err.Error(), "clientb: its columns and priors do not determine its parameters") {
		t.Error(err)
	}
}

// What is not fitted is refused by name, before anything is evaluated.
func TestRefused(t *testing.T) {
	for want, change := range map[string]func(l *density.Linear){
		"one likelihood, of one sum":    func(l *density.Linear) { l.Sums = append(l.Sums, 3) },
		"no party receives a parameter": func(l *density.Linear) { l.Sends.Offset = []float64{0} },
	} {
		blocks := hard().blocks()
		change(&blocks[0].(*block).lin)
		if _, err := laplace.New(over(t, blocks), settings()); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}

// A fit that is not allowed the evaluations that it takes says that it has not converged, or ends in an
// error.
func TestTooFewEvaluations(t *testing.T) {
	for n := 1; n < 8; n++ {
		hub := hard().clearing(t)
		k, err := run(t.Context(), hub.Env(0, 1, 2, 3), laplace.Options{Iterations: n, Draws: 2})
		fit := (*backends.FitError)(nil)
		if errors.As(err, &fit) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := k.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		mean, _ := moments(hub, k, 2)
		if off := hard().distance(mean); info.Fit.Converged && off > 0.05 || !info.Fit.Judged ||
			hub.Evaluations > n {
			t.Errorf("%d evaluations of %d: converged %t, %g standard deviations", hub.Evaluations, n,
				info.Fit.Converged, off)
		}
	}
}
