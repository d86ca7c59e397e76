package laplace_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/vflc/vflc/backends/sfvi/laplace"
)

func TestCounts(t *testing.T) {
	for name, of := range map[string]family{"logistic": logistic, "poisson": poisson, "probit": probit, "normal": normal} {
		for _, rate := range []float64{0.5, 0.05} {
			if rate == 0.05 && (name == "poisson" || name == "normal") {
				continue
			}
			for _, J := range []int{1, 2, 5, 10} {
				for _, kind := range []struct {
					rho   float64
					pairs bool
				}{{0, false}, {.7, false}, {.9, false}, {.7, true}, {.9, true}} {
					text := ""
					for seed := range uint64(3) {
						rows := 10000
						d := design{rows, J, 10, kind.rho, kind.pairs, rate, of, seed}
						if J == 10 {
							d.columns, d.rows = 5, 5000
						}
						m := d.draw()
						c := m.clearing(t)
						k, err := run(t.Context(), c.Env(m.all()...), laplace.Options{Iterations: 60, Draws: 2000})
						if err != nil {
							text += fmt.Sprint(" ", c.Evaluations, err)
							continue
						}
						info, _ := k.Step(t.Context())
						mode, cov := m.mode()
						errr, sdr := 0.0, 0.0
						p := len(mode)
						theta := make([][]float64, J+1)
						for b := range theta {
							theta[b] = make([]float64, c.Columns()[b])
						}
						n := 2000
						mean, sq := make([]float64, p), make([]float64, p)
						for id := range n {
							k.Draw(id, theta)
							i := 0
							for _, v := range theta {
								for _, x := range v {
									mean[i] += x / float64(n)
									sq[i] += (x - mode[i]) * (x - mode[i]) / float64(n)
									i++
								}
							}
						}
						for i := range p {
							sd := math.Sqrt(cov[i*p+i])
							errr = max(errr, math.Abs(mean[i]-mode[i])/sd)
							sdr = max(sdr, math.Abs(math.Sqrt(sq[i])/sd-1))
						}
						text += fmt.Sprintf(" %d/%d(%.3f,%.2f)%v", c.Evaluations, c.Openings, errr, sdr, info.Fit.Converged)
					}
					t.Log(name, rate, J, kind, text)
				}
			}
		}
	}
}
