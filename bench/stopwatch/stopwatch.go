// Package stopwatch times short functions on a machine that others share: in CPU time of the thread where the
// system reports it, in many short rounds, functions in turn, so that a disturbance affects all.
package stopwatch

import (
	"runtime"
	"slices"
	"time"
)

// A Task is a function to be timed.
type Task struct {
	Name string
	Run  func()
	// Elsewhere, in place of Run, is for a function of another process: it runs the function so many times
	// and returns the CPU time.
	Elsewhere func(runs int) time.Duration
}

// spend returns the CPU time of the given number of runs.
func (t *Task) spend(runs int) time.Duration {
	if t.Elsewhere != nil {
		return t.Elsewhere(runs)
	}
	start := cpu()
	for range runs {
		t.Run()
	}
	return cpu() - start
}

// A Time is the time of one task, in nanoseconds a run.
type Time struct {
	Name   string
	Least  float64 // of all rounds: the estimate for an undisturbed machine
	Median float64
	// Ratio is the median over rounds of this task's time to that of the first task in the same round, and
	// its quartiles.
	Ratio, Low, High float64
}

// round is how long one task runs between two readings of the clock.
const round = 200 * time.Microsecond

// Measure runs all tasks in turn, for the given number of rounds.
func Measure(tasks []Task, rounds int) []Time { return MeasureSeries(tasks, rounds, 1) }

// MeasureSeries is Measure with at least so many runs of a task before the next one's: of long tasks too, the
// caches then have what the task itself has left in them.
func MeasureSeries(tasks []Task, rounds, least int) []Time {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	repeat := make([]int, len(tasks))
	for i, t := range tasks {
		repeat[i] = max(least, calibrate(&t))
	}
	took := make([][]float64, len(tasks))
	for range rounds {
		for i, t := range tasks {
			took[i] = append(took[i], float64(t.spend(repeat[i]))/float64(repeat[i]))
		}
	}
	return summarise(tasks, took)
}

// calibrate returns the number of runs that fill a round.
func calibrate(t *Task) int {
	for n := 1; ; n *= 2 {
		if d := t.spend(n); d >= round/4 {
			return max(1, int(float64(n)*float64(round)/float64(d)))
		}
	}
}

func summarise(tasks []Task, took [][]float64) []Time {
	out := make([]Time, len(tasks))
	for i, t := range tasks {
		ratios := make([]float64, len(took[i]))
		for r := range ratios {
			ratios[r] = took[i][r] / took[0][r]
		}
		out[i] = Time{
			Name: t.Name, Least: quantile(took[i], 0), Median: quantile(took[i], 0.5),
			Ratio: quantile(ratios, 0.5), Low: quantile(ratios, 0.25), High: quantile(ratios, 0.75),
		}
	}
	return out
}

// quantile is the value at a fraction of the sorted numbers.
func quantile(a []float64, at float64) float64 {
	s := slices.Sorted(slices.Values(a))
	return s[int(at*float64(len(s)-1))]
}

// Once returns the nanoseconds a run takes, over several runs.
func Once(run func(), runs int) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := cpu()
	for range runs {
		run()
	}
	return float64(cpu()-start) / float64(runs)
}
