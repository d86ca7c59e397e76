package term

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// complete completes the word at the cursor as far as its candidates agree, and shows them where nothing more
// can be added.
func (e *Editor) complete() ([]byte, bool) {
	if e.Complete == nil {
		e.screen.bell()
		return nil, false
	}
	text, pos := string(e.line), len(string(e.line[:e.pos]))
	candidates, start := e.Complete(text, pos)
	if len(candidates) == 0 {
		e.screen.bell()
		return nil, false
	}
	word, prefix := text[start:pos], common(candidates)
	if len(prefix) > len(word) || len(candidates) == 1 && prefix != word {
		line := []rune(text[:start] + prefix)
		return e.set(append(line, e.line[e.pos:]...), len(line))
	}
	if len(candidates) > 1 || candidates[0].Note != "" {
		e.screen.above(menu(candidates, e.width(), max(2, e.height()/2)))
		e.draw()
	}
	return nil, false
}

// common returns the longest prefix of all candidates.
func common(candidates []Candidate) string {
	prefix := []rune(candidates[0].Text)
	for _, c := range candidates[1:] {
		r := []rune(c.Text)
		n := 0
		for n < min(len(prefix), len(r)) && prefix[n] == r[n] {
			n++
		}
		prefix = prefix[:n]
	}
	return string(prefix)
}

// menu lays candidates out in lines of less than width columns, at most height of them: those with notes one
// a line, others in columns.
func menu(candidates []Candidate, width, height int) []string {
	room := max(1, width-1)
	var lines []string
	if slices.ContainsFunc(candidates, func(c Candidate) bool { return c.Note != "" }) {
		longest := 0
		for _, c := range candidates {
			longest = max(longest, runewidth.StringWidth(c.Text))
		}
		for _, c := range candidates {
			line := strings.TrimRight(runewidth.FillRight(c.Text, longest)+"  "+c.Note, " ")
			lines = append(lines, runewidth.Truncate(line, room, "…"))
		}
	} else {
		lines = inColumns(candidates, room)
	}
	if len(lines) > height {
		left := len(lines) - height + 1
		lines = append(lines[:height-1], runewidth.Truncate(fmt.Sprintf("… %d more lines", left), room, "…"))
	}
	return lines
}

func inColumns(candidates []Candidate, room int) []string {
	cell := 0
	for _, c := range candidates {
		cell = max(cell, runewidth.StringWidth(c.Text)+2)
	}
	per := max(1, room/cell)
	var lines []string
	for row := range slices.Chunk(candidates, per) {
		line := ""
		for _, c := range row {
			line += runewidth.FillRight(c.Text, cell)
		}
		lines = append(lines, runewidth.Truncate(strings.TrimRight(line, " "), room, "…"))
	}
	return lines
}
