package main

import (
	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/vector"
)

// tasksOf lists the timed functions, on n elements or rows.
func tasksOf(n int) []stopwatch.Task {
	var tasks []stopwatch.Task
	for _, part := range [][]stopwatch.Task{functions(n), matrices(n), layers(n), likelihoods(n),
		samplers(n)} {
		tasks = append(tasks, part...)
	}
	return tasks
}

func functions(n int) []stopwatch.Task {
	y, x, z, below := make([]float64, n), ramp(n, 1, 2), ramp(n, -4, 4), ramp(n, -4, -1e-3)
	return []stopwatch.Task{
		{Name: "Add", Run: func() { vector.Add(n, y, x, z) }},
		{Name: "Axpy", Run: func() { vector.Axpy(n, y, 1e-9, x) }},
		{Name: "Sum", Run: func() { vector.Sum(n, x) }},
		{Name: "Dot", Run: func() { vector.Dot(n, x, z) }},
		{Name: "Exp", Run: func() { vector.Exp(n, y, z) }},
		{Name: "Expm1", Run: func() { vector.Expm1(n, y, z) }},
		{Name: "Log", Run: func() { vector.Log(n, y, x) }},
		{Name: "Log1p", Run: func() { vector.Log1p(n, y, x) }},
		{Name: "Sigmoid", Run: func() { vector.Sigmoid(n, y, z) }},
		{Name: "Tanh", Run: func() { vector.Tanh(n, y, z) }},
		{Name: "Log1pExp", Run: func() { vector.Log1pExp(n, y, z) }},
		{Name: "Log1mExp", Run: func() { vector.Log1mExp(n, y, nil, below) }},
		{Name: "Lgamma", Run: func() { vector.Lgamma(n, y, x) }},
		{Name: "Digamma", Run: func() { vector.Digamma(n, y, x) }},
		{Name: "LogPhi", Run: func() { vector.LogPhi(n, y, z) }},
		{Name: "LogPhiSlope", Run: func() { vector.LogPhiSlope(n, y, z) }},
		{Name: "Phi", Run: func() { vector.Phi(n, y, z) }},
		{Name: "Sin", Run: func() { vector.Sin(n, y, z) }},
		{Name: "Cos", Run: func() { vector.Cos(n, y, z) }},
		{Name: "Div", Run: func() { vector.Div(n, y, z, x) }},
		{Name: "Sqrt", Run: func() { vector.Sqrt(n, y, x) }},
	}
}

// matrices lists products with 20 columns.
func matrices(n int) []stopwatch.Task {
	const k = 20
	x, y, b := ramp(n*k, -1, 1), make([]float64, n), ramp(k, -1, 1)
	back := make([]float64, k)
	return []stopwatch.Task{
		{Name: "MatVec20", Run: func() { vector.MatVec(n, y, x, n, b, 1, k) }},
		{Name: "MatTVecAdd20", Run: func() { vector.MatTVecAdd(n, back, 1, x, n, y, k) }},
	}
}

// layers lists functions of a layer with 16 inputs and 16 outputs.
func layers(n int) []stopwatch.Task {
	const k = 16
	x, y, w, c := ramp(n*k, -1, 1), make([]float64, n*k), ramp(k*k, -1, 1), ramp(k, -1, 1)
	slope := make([]float64, k*k)
	return []stopwatch.Task{
		{Name: "Dense16", Run: func() { vector.Dense(n, y, n, x, n, w, k, 1, k, k, c) }},
		{Name: "DenseGradient16", Run: func() { vector.DenseGradient(n, slope, k, 1, x, n, y, n, k, k) }},
	}
}

func likelihoods(n int) []stopwatch.Task {
	eta, d, ones, counts, eights := ramp(n, -4, 4), make([]float64, n), make([]float64, n),
		make([]float64, n), make([]float64, n)
	for i := range ones {
		ones[i], counts[i], eights[i] = float64(i%2), float64(i%9), 8
	}
	var s vector.LogProduct
	var sum, other vector.SplitSum
	return []stopwatch.Task{
		{Name: "BernoulliLogit", Run: func() { s.Reset(); s.BernoulliLogit(n, eta, ones, d) }},
		{Name: "BinomialTrials", Run: func() { vector.BinomialTrials(n, &sum, eta, counts, eights, d) }},
		{Name: "BinomialLogit", Run: func() { s.Reset(); s.BinomialLogit(n, eta, counts, 9, d) }},
		{Name: "PoissonLog", Run: func() { vector.PoissonLog(n, &sum, eta, counts, d) }},
		{Name: "NegBinomial2Log", Run: func() {
			vector.NegBinomial2Log(n, &sum, &other, eta, counts, 2.5, d)
		}},
		{Name: "StudentT", Run: func() { s.Reset(); s.StudentT(n, &sum, eta, counts, 0.7, 3, d) }},
		{Name: "Normal", Run: func() { vector.Normal(n, &sum, eta, counts, 0.7, d) }},
	}
}

func samplers(n int) []stopwatch.Task {
	words, y := make([]uint64, n), make([]float64, n)
	for i := range words {
		words[i] = uint64(i+1) * 0x9e3779b97f4a7c15
	}
	x, m, v, d := make([]float64, n), make([]float64, n), make([]float64, n), ramp(n, -1, 1)
	var out [6]float64
	return []stopwatch.Task{
		{Name: "Normals", Run: func() { vector.Normals(n, y, words) }},
		{Name: "Adam", Run: func() { vector.Adam(n, x, m, v, d, 1e5, 1e-8, 0.9, 0.999) }},
		{Name: "LeapfrogStart", Run: func() { vector.LeapfrogStart(n, m, x, m, x, d, v, 1e-3, 2e-3) }},
		{Name: "LeapfrogEnd", Run: func() { vector.LeapfrogEnd(n, m, m, d, v, 1e-3) }},
		{Name: "RotateStart", Run: func() {
			vector.RotateStart(n, m, x, y, m, x, y, d, d, v, 1e-3, -2e-6, 1-2e-6, 2e-3)
		}},
		{Name: "RotateEnd", Run: func() { vector.RotateEnd(n, m, m, y, d, v, 1e-3) }},
		{Name: "Turns", Run: func() { vector.Turns(n, &out, y, m, m, d, d, d, d, v) }},
	}
}
