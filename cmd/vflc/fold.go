package main

import (
	"io"
	"strings"

	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
)

// foldedText breaks the lines of a text at words where they are wider than the terminal that w is. Elsewhere
// they stay whole, for programs that read them.
func foldedText(w io.Writer, text string) string {
	width := terminal.TableWidth(w)
	if width == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = terminal.Fold(line, width, len(line)-len(strings.TrimLeft(line, " ")))
	}
	return strings.Join(lines, "\n")
}

// foldedTable lays out lines of cells as posterior.AlignLeft does. Where that is wider than the terminal, the
// widest columns are narrowed, down to their longest words, and their cells have several lines.
func foldedTable(w io.Writer, table [][]string) string {
	width := terminal.TableWidth(w)
	wide, least := make([]int, len(table[0])), make([]int, len(table[0]))
	for _, line := range table {
		for k, cell := range line {
			wide[k] = max(wide[k], posterior.Width(cell))
			for _, word := range strings.Fields(cell) {
				least[k] = max(least[k], posterior.Width(word))
			}
		}
	}
	total := 2 * (len(wide) - 1)
	for _, n := range wide {
		total += n
	}
	for ; width > 0 && total > width; total-- {
		widest := -1
		for k, n := range wide {
			if n > least[k] && (widest < 0 || n > wide[widest]) {
				widest = k
			}
		}
		if widest < 0 {
			break
		}
		wide[widest]--
	}
	var out [][]string
	for _, line := range table {
		out = append(out, foldedCells(line, wide)...)
	}
	return posterior.AlignLeft(out)
}

// foldedCells breaks the cells of a line at the widths of their columns.
func foldedCells(line []string, wide []int) (out [][]string) {
	for k, cell := range line {
		for i, part := range strings.Split(terminal.Fold(cell, wide[k], 0), "\n") {
			if i == len(out) {
				out = append(out, make([]string, len(line)))
			}
			out[i][k] = part
		}
	}
	return out
}
