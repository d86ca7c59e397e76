package posterior

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes draws as a plain table, one row per draw: chain and draw counted from 1, lp and diverging
// for Markov chains, then one column per scalar under its name.
func WriteCSV(w io.Writer, d *Draws) error {
	buffered := bufio.NewWriter(w)
	out := csv.NewWriter(buffered)
	head := []string{"chain", "draw"}
	if !d.Independent() {
		head = append(head, "lp", "diverging")
	}
	for _, c := range d.columns {
		head = append(head, c.Name)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for c := range d.Chains() {
		for i := range d.Len(c) {
			if err := out.Write(d.plainRow(c, i)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return buffered.Flush()
}

func (d *Draws) plainRow(c, i int) []string {
	row := []string{strconv.Itoa(c + 1), strconv.Itoa(i + 1)}
	if !d.Independent() {
		t := d.Transitions[c][i]
		row = append(row, shortest(t.LP), strconv.FormatBool(t.Divergent))
	}
	for _, column := range d.values[c] {
		row = append(row, shortest(column[i]))
	}
	return row
}

// shortest is the shortest decimal that reads back as v.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
