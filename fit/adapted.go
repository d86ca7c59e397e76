package fit

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
)

// widestMatrix is the largest number of parameters for which a file of draws holds the full inverse metric;
// for more it holds the diagonal.
const widestMatrix = 500

// adapted records what a kernel has adapted: its step size and the inverse metric of the parameters of all
// parties, in party order. Coordinates of auxiliary variables, whose metric is always diagonal, are left out.
func adapted(plan *model.Plan, k backends.Kernel, info *posterior.CSVInfo) {
	h, ok := k.(backends.Hamiltonian)
	if !ok {
		return
	}
	info.StepSize = h.StepSize()
	n := 0
	for b, party := range plan.Here() {
		_, diagonal := h.InverseMetric(b)
		info.Dense = info.Dense || !diagonal
		n += party.Graph.Dim()
	}
	info.Dense = info.Dense && n <= widestMatrix
	width, at := 1, 0
	if info.Dense {
		width = n
	}
	info.InverseMetric = make([]float64, n*width)
	for b, party := range plan.Here() {
		d := party.Graph.Dim()
		element, diagonal := h.InverseMetric(b)
		for i := range d {
			row := info.InverseMetric[(at+i)*width:][:width]
			switch {
			case !info.Dense:
				row[0] = element(i, i)
			case diagonal:
				row[at+i] = element(i, i)
			default:
				for j := range d {
					row[at+j] = element(i, j)
				}
			}
		}
		at += d
	}
}
