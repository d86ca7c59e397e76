package compile

import "github.com/vflc/vflc/compile/check"

// leastRows is how many rows must reach an element of a shared parameter.
const leastRows = 5

// Rows are counted by dividing them at random: as many parts as have a gradient in an element, as many rows
// at least reach it. A division is repeated, into more parts and at other values of the parameters, until
// every element is reached or the divisions run out: an element with five rows is then missed with a
// probability below 1e-5 in each, and one with fewer is never taken to have five.
const (
	divisions  = 8
	firstParts = 16
	parts      = 64
	nearZero   = 0.125 // the scale of every other draw: far out a likelihood may be flat to the last bit
)

// A sentCell is a shared parameter with the number of rows that reach each element, counted up to leastRows
// or somewhat more.
type sentCell struct {
	param int
	used  *check.Likelihood
	rows  []int
	few   int  // elements that fewer than leastRows reach
	zeros bool // that no row reaches an element is a fact about the data
}

// reached counts the rows that reach the elements of shared parameters.
func (d *priorDrawer) reached(cells []sentCell) {
	for i, c := range cells {
		cells[i].rows = make([]int, d.probe.Graph.Params()[c.param].Len)
	}
	for n := range divisions {
		if n > 0 && enough(cells) {
			break
		}
		into := parts
		if n == 0 {
			into = firstParts
		}
		d.stream.Next()
		part := d.divide(into)
		d.draw(float64(n%2) * nearZero)
		d.count(cells, part, into)
	}
	for i := range cells {
		for _, n := range cells[i].rows {
			if n < leastRows && (n > 0 || cells[i].zeros) {
				cells[i].few++
			}
		}
	}
}

func enough(cells []sentCell) bool {
	for _, c := range cells {
		for _, n := range c.rows {
			if n < leastRows {
				return false
			}
		}
	}
	return true
}

// divide gives every row a part. Rows of two likelihoods with one number are one row.
func (d *priorDrawer) divide(into int) []int {
	most := 0
	for _, r := range d.probe.Rows {
		most = max(most, r.Rows)
	}
	out := make([]int, most)
	for i := range out {
		out[i] = d.stream.Rand().IntN(into)
	}
	return out
}

// count counts, for each element, the parts with a gradient in it.
func (d *priorDrawer) count(cells []sentCell, part []int, into int) {
	found := make([][]int, len(cells))
	for i, c := range cells {
		found[i] = make([]int, len(c.rows))
	}
	for p := range into {
		for _, r := range d.probe.Rows {
			for i := range d.exec.Input(r.Input) {
				d.exec.Input(r.Input)[i] = 0
				if part[i%r.Rows] == p {
					d.exec.Input(r.Input)[i] = 1
				}
			}
		}
		d.exec.Forward(d.x)
		d.exec.Target()
		for i, c := range cells {
			port := d.probe.Graph.Params()[c.param]
			for k, g := range d.exec.Grad()[port.Offset : port.Offset+port.Len] {
				if g < 0 || g > 0 { // not where it is no number
					found[i][k]++
				}
			}
		}
	}
	for i, c := range cells {
		for k, n := range found[i] {
			c.rows[k] = max(c.rows[k], n)
		}
	}
}
