package testmodel

import "github.com/vflc/vflc/density"

// A Divided is an Env whose rows are divided into windows.
type Divided struct {
	density.Env
	windows []density.Env
	rows    [][]int
}

// Unwrap implements density.Wrapper.
func (d *Divided) Unwrap() density.Env { return d.Env }

// Windows implements density.Windowed.
func (d *Divided) Windows() int { return len(d.windows) }

// Window implements density.Windowed.
func (d *Divided) Window(k int) (density.Env, []int) { return d.windows[k], d.rows[k] }

// Turn implements density.Windowed: every window has an Env of its own.
func (d *Divided) Turn(int) {}

// Divided returns an Env of the model with a window for each of the parts of its rows. wrap, unless nil,
// wraps the Envs of all rows and of each window.
func (m GLM) Divided(seed uint64, parts [][]int, wrap func(*Env) density.Env) *Divided {
	if wrap == nil {
		wrap = func(e *Env) density.Env { return e }
	}
	d := &Divided{Env: wrap(m.Env(seed)), rows: parts}
	for _, rows := range parts {
		part := m
		part.Y, part.times = choose(m.Y, len(m.Y), rows), float64(len(parts))
		part.X = nil
		for _, x := range m.X {
			part.X = append(part.X, choose(x, len(m.Y), rows))
		}
		d.windows = append(d.windows, wrap(part.Env(seed)))
	}
	return d
}

// choose takes some rows of a matrix with n of them.
func choose(x []float64, n int, rows []int) []float64 {
	var out []float64
	for ; len(x) > 0; x = x[n:] {
		for _, r := range rows {
			out = append(out, x[r])
		}
	}
	return out
}
