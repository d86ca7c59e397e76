package format

import (
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/parser"
)

// wrap breaks a statement at maxColumns. What it returns depends on the tree alone, so that formatting is
// idempotent.
func wrap(s ast.Stmt, text string) string {
	if d, ok := s.(*ast.Data); ok {
		return wrapColumns(d, text)
	}
	lines := strings.Split(text, "\n") // a function has a line for each of its statements
	for i, line := range lines {
		lines[i] = breakLine(line)
	}
	return strings.Join(lines, "\n")
}

// wrapColumns breaks the list of columns of a data statement.
func wrapColumns(d *ast.Data, text string) string {
	if len(d.From) < 2 {
		return text
	}
	c := cells(d)
	out := oneLine(c[:3]) + " from"
	at := width(out)
	for i, column := range d.From {
		item := Column(column)
		if i < len(d.From)-1 {
			item += ","
		}
		if at+1+width(item) > maxColumns {
			out, at = out+"\n"+indent+item, len(indent)+width(item)
		} else {
			out, at = out+" "+item, at+1+width(item)
		}
	}
	return out + missing(d)
}

// A gap is a blank between two tokens at which a line may end.
type gap struct {
	end, next int // of the token before it, and where the token behind it begins
	rank      int // what belongs together more closely has a higher rank
}

// breakLine breaks a line at blanks behind commas and operators, where what belongs together most loosely
// ends: fewest brackets are open there, and among the operators between the same brackets it is the weakest.
// A line without such a blank stays long.
func breakLine(line string) string {
	if width(line) <= maxColumns {
		return line
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " "))] + indent
	all := gaps(line)
	var b strings.Builder
	start, lead := 0, 0
	for rest := width(line); lead+rest > maxColumns; {
		for len(all) > 0 && all[0].end <= start {
			all = all[1:]
		}
		g, ok := bestGap(line, all, start, lead)
		if !ok {
			break
		}
		b.WriteString(line[start:g.end] + "\n" + margin)
		rest -= width(line[start:g.next])
		start, lead = g.next, len(margin)
	}
	return b.String() + line[start:]
}

// bestGap chooses where the line that begins at start ends, among the gaps behind it: at the last gap of the
// lowest rank that fits and leaves the line half full; if there is none, at the last gap that fits, and if
// none fits at the next one.
func bestGap(line string, all []gap, start, lead int) (best gap, ok bool) {
	full := false
	for _, g := range all {
		at := lead + width(line[start:g.end])
		if ok && at > maxColumns {
			break
		}
		if half := at >= maxColumns/2; !ok || !full || half && g.rank <= best.rank {
			best, ok, full = g, true, half
		}
	}
	return best, ok
}

// gaps lists where a line may end, in order.
func gaps(line string) []gap {
	var out []gap
	depth := 0
	words := parser.Words(line)
	for i, w := range words {
		text := line[w.Start:w.End]
		switch text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		behind := text == "," || text == "|" || ast.Precedence(text) > 0
		if behind && i+1 < len(words) && words[i+1].Start > w.End {
			out = append(out,
				gap{end: w.End, next: words[i+1].Start, rank: depth*(ast.Postfix+1) + ast.Precedence(text)})
		}
	}
	return out
}
