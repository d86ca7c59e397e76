// Package format prints syntax trees as canonical vfl text: one statement per line, long ones broken,
// adjacent statements of one kind aligned, comments byte for byte. Formatting is idempotent.
package format

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

const (
	maxColumns = 100 // a longer statement is broken
	maxAligned = 40  // a longer cell does not widen its column
	indent     = "    "
)

// Format prints a file whose text has no errors, or one that the compiler made.
func Format(f *ast.File) string { return File(f, "") }

// File prints a file with header as a comment after its first statement, such as `program logistic for a //
// of model sha256:…`. An empty header adds no comment.
func File(f *ast.File, header string) string {
	l := &layout{file: f}
	l.collect()
	if first := l.firstStatement(); first != nil && header != "" {
		first.comment = strings.TrimSpace("// " + header + " " + first.comment)
	}
	var b strings.Builder
	for i := 0; i < len(l.lines); {
		n := section(l.lines[i:])
		for _, text := range align(l.lines[i : i+n]) {
			if l.lines[i].blank && i > 0 {
				b.WriteString("\n")
			}
			b.WriteString(text + "\n")
			i++
		}
	}
	return b.String()
}

// A line is a statement, or a comment outside statements.
type line struct {
	stmt    ast.Stmt
	cells   []string // of the statement, or the comment
	comment string   // after the statement
	blank   bool     // a blank line goes before it
}

// layout sorts the statements and comments of a file into lines.
type layout struct {
	file     *ast.File
	lines    []*line
	comments []ast.Comment // not yet placed
	end      int           // where in the source the last line ended
}

func (l *layout) firstStatement() *line {
	for _, n := range l.lines {
		if n.stmt != nil {
			return n
		}
	}
	return nil
}

func (l *layout) collect() {
	l.comments = l.file.Comments
	for i, s := range l.file.Stmts {
		at := s.Span()
		for _, c := range l.take(at.Start) {
			l.add(&line{cells: []string{c.Text}}, c.Span())
		}
		n := &line{stmt: s, cells: cells(s)}
		if inner := l.take(at.End); len(inner) > 0 {
			n.cells = []string{l.interleave(s, inner)}
		} else if text := oneLine(n.cells); text != "" && width(text) > maxColumns {
			n.cells = []string{wrap(s, text)}
		}
		l.add(n, at)
		n.comment = l.trailing(i)
	}
	for _, c := range l.comments {
		l.add(&line{cells: []string{c.Text}}, c.Span())
	}
}

// take returns the comments that begin before an offset.
func (l *layout) take(end int) []ast.Comment {
	n := 0
	for n < len(l.comments) && l.comments[n].Span().Start < end {
		n++
	}
	out := l.comments[:n]
	l.comments = l.comments[n:]
	return out
}

func (l *layout) add(n *line, at source.Span) {
	n.blank = l.newlines(l.end, at.Start) > 1
	l.lines = append(l.lines, n)
	l.end = max(l.end, at.End)
}

// newlines counts the line ends of the source between two places.
func (l *layout) newlines(from, to int) int {
	if l.file.Source == nil || from > to || to > len(l.file.Source.Text) {
		return 0
	}
	return strings.Count(l.file.Source.Text[from:to], "\n")
}

// trailing returns the comments that follow statement i on its line.
func (l *layout) trailing(i int) string {
	var out []string
	for len(l.comments) > 0 {
		at := l.comments[0].Span()
		next := i+1 < len(l.file.Stmts) && l.file.Stmts[i+1].Span().Start < at.Start
		if next || l.newlines(l.end, at.Start) > 0 {
			break
		}
		out = append(out, l.comments[0].Text)
		l.comments, l.end = l.comments[1:], at.End
	}
	return strings.Join(out, " ")
}

// interleave prints a statement with the comments inside it, each after the same token as in the source.
func (l *layout) interleave(s ast.Stmt, inner []ast.Comment) string {
	printed := Stmt(s)
	at := s.Span()
	from, to := parser.Words(l.file.Source.Text[at.Start:at.End]), parser.Words(printed)
	// the tokens differ from those of the source: put the comments before the statement
	if len(from) != len(to) {
		var b strings.Builder
		for _, c := range inner {
			b.WriteString(c.Text + "\n")
		}
		return b.String() + printed
	}
	var b strings.Builder
	for i, w := range to {
		gap, before := "", " "
		if i > 0 {
			gap = printed[to[i-1].End:w.Start]
			if strings.ContainsAny(printed[to[i-1].Start:to[i-1].End], "([{") {
				before = ""
			}
		}
		closing := strings.ContainsAny(printed[w.Start:w.End], ",)]}")
		if strings.HasPrefix(gap, "\n") { // between the statements of a function
			b.WriteString(l.between(at.Start+from[i-1].End, at.Start+from[i].Start, "\n"+indent, &inner))
		}
		for len(inner) > 0 && inner[0].Span().Start < at.Start+from[i].Start {
			b.WriteString(before + inner[0].Text)
			gap = gapBehind(inner[0].Text, closing)
			before, inner = cmp.Or(gap, " "), inner[1:]
		}
		b.WriteString(gap + printed[w.Start:w.End])
	}
	return b.String()
}

// between prints the comments from one place in the source to another: on lines of their own, or behind what
// stands before them on their line.
func (l *layout) between(from, to int, lineEnd string, comments *[]ast.Comment) string {
	var b strings.Builder
	for len(*comments) > 0 && (*comments)[0].Span().Start < to {
		c := (*comments)[0]
		if l.newlines(from, c.Span().Start) > 0 {
			b.WriteString(lineEnd + c.Text)
		} else {
			b.WriteString(" " + c.Text)
		}
		from, *comments = c.Span().End, (*comments)[1:]
	}
	return b.String()
}

// gapBehind returns the separator between a comment inside a statement and the next token. closing means that
// the token has no blank before it.
func gapBehind(text string, closing bool) string {
	switch {
	case strings.HasPrefix(text, "//"):
		return "\n" + indent
	case closing:
		return ""
	}
	return " "
}

func width(s string) int { return utf8.RuneCountInString(s) }

// section returns how many leading lines are aligned with each other: adjacent statements of one kind, each
// on one line, without a blank line between them.
func section(lines []*line) int {
	n := 1
	for n < len(lines) && !lines[n].blank && alignable(lines[n]) && alignable(lines[0]) &&
		sameKind(lines[n], lines[0]) {
		n++
	}
	return n
}

func alignable(n *line) bool {
	return n.stmt != nil && !strings.Contains(oneLine(n.cells)+n.comment, "\n")
}

// sameKind reports whether two lines are statements that begin with the same keyword and have their parts in
// cells.
func sameKind(a, b *line) bool {
	word, _, _ := strings.Cut(a.cells[0], " ")
	return len(a.cells) == len(b.cells) && strings.HasPrefix(b.cells[0], word+" ") && !isLikelihood(a) &&
		!isLikelihood(b)
}

func isLikelihood(n *line) bool {
	_, ok := n.stmt.(*ast.Likelihood)
	return ok
}

// align prints the lines of a section.
func align(lines []*line) []string {
	widths := make([]int, 1)
	rows := make([][]string, len(lines))
	for i, n := range lines {
		rows[i] = append(append([]string(nil), n.cells...), n.comment)
		for j, c := range rows[i] {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			if w := width(c); w <= maxAligned {
				widths[j] = max(widths[j], w)
			}
		}
	}
	out := make([]string, len(lines))
	for i, row := range rows {
		out[i] = alignRow(row, widths)
	}
	return out
}

func alignRow(row []string, widths []int) string {
	last := len(row) - 1
	for last > 0 && row[last] == "" {
		last--
	}
	var b strings.Builder
	for j, c := range row[:last+1] {
		b.WriteString(c)
		if j < last && widths[j] > 0 || j < last && c != "" {
			b.WriteString(strings.Repeat(" ", max(0, widths[j]-width(c))+1))
		}
	}
	return b.String()
}
