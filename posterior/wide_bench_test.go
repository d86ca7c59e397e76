package posterior_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/vflc/vflc/posterior"
)

// wideDraws are 20 draws in each of 4 chains of one vector and a tenth as many scalars.
func wideDraws(n int) *posterior.Draws {
	vars := []posterior.Variable{{Name: "eta", Owner: "shared", Dims: []int{n - n/10}}}
	for k := range n / 10 {
		vars = append(vars, posterior.Variable{Name: fmt.Sprintf("hospital[%d].beta", k+1),
			Owner: fmt.Sprintf("hospital[%d]", k+1)})
	}
	d := posterior.NewDraws(vars, 4, 20)
	row := make([]float64, n)
	for c := range 4 {
		for i := range 20 {
			for k := range row {
				row[k] = math.Sin(float64(1 + c + 31*i + 7*k))
			}
			d.Append(c, row)
			d.AppendTransition(c, posterior.Transition{LP: float64(-i), Energy: float64(i)})
		}
	}
	return d
}

// BenchmarkWide summarises, writes and reads 100,000 parameters: time and bytes must be ten times those of
// 10,000.
func BenchmarkWide(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		d := wideDraws(n)
		rows := posterior.Summarise(d)
		var stan bytes.Buffer
		if err := posterior.WriteStanCSV(&stan, d, 0, posterior.CSVInfo{}); err != nil {
			b.Fatal(err)
		}
		for name, run := range map[string]func() error{
			"summary": func() error { posterior.Summarise(d); return nil },
			"table":   func() error { return posterior.WriteTable(io.Discard, rows) },
			"json":    func() error { return posterior.WriteJSON(io.Discard, rows) },
			"stan":    func() error { return posterior.WriteStanCSV(io.Discard, d, 0, posterior.CSVInfo{}) },
			"csv":     func() error { return posterior.WriteCSV(io.Discard, d) },
			"read": func() error {
				f, err := posterior.ReadStanCSV(bytes.NewReader(stan.Bytes()))
				if err == nil {
					_, err = posterior.Gather([]*posterior.StanFile{f, f}, nil)
				}
				return err
			},
			"examine": func() error {
				posterior.Examine(d, rows, nil, posterior.Advice{Depth: 10})
				return nil
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
