package model

// A Quantity is a value that follows from the parameters and the data.
type Quantity struct {
	Name   string
	Shape  []int
	Report int // index of the report with its elements, first index fastest
}

// Evaluate computes the quantities of the model at parameters x on their declared scale. The slices belong to
// the simulator, and are valid until its next use.
func (s *Simulator) Evaluate(x []float64) [][]float64 {
	s.exec.Forward(x)
	out := make([][]float64, len(s.model.Quantities))
	for k, q := range s.model.Quantities {
		out[k] = s.exec.Report(q.Report)
	}
	return out
}
