package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/repl/term"
)

// Complete lists the candidates for the word that ends at byte pos of a text, and where that word begins.
func (s *Session) Complete(text string, pos int) ([]term.Candidate, int) {
	line := text[:pos]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	offset := pos - len(line)
	trimmed := strings.TrimLeft(line, " ")
	switch {
	case strings.HasPrefix(trimmed, ":"):
		list, start := s.completeCommand(line)
		return list, offset + start
	case strings.HasPrefix(trimmed, "?"):
		start := strings.IndexByte(line, '?') + 1
		return begun(plain(s.documented()), line[start:]), offset + start
	}
	start := wordStart(line, isWord)
	return begun(s.completeVfl(text[:offset]+line[:start]), line[start:]), offset + start
}

// isWord reports whether a byte is one of a name: of those outside ASCII, letters are meant.
func isWord(b byte) bool {
	return b >= 0x80 || b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// wordStart is where the word at the end of a line begins.
func wordStart(line string, part func(byte) bool) int {
	i := len(line)
	for i > 0 && part(line[i-1]) {
		i--
	}
	return i
}

func plain(names []string) []term.Candidate {
	var out []term.Candidate
	for _, n := range names {
		out = append(out, term.Candidate{Text: n})
	}
	return out
}

// begun keeps the candidates that begin with what is typed, sorted, each once.
func begun(all []term.Candidate, word string) []term.Candidate {
	var out []term.Candidate
	for _, c := range all {
		if strings.HasPrefix(c.Text, word) && !slices.ContainsFunc(out, func(o term.Candidate) bool {
			return o.Text == c.Text
		}) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b term.Candidate) int { return strings.Compare(a.Text, b.Text) })
	return out
}

// completeCommand completes the name of a command, or its arguments.
func (s *Session) completeCommand(line string) ([]term.Candidate, int) {
	colon := strings.IndexByte(line, ':') + 1
	name, args, given := strings.Cut(line[colon:], " ")
	if !given {
		var all []term.Candidate
		for _, c := range s.commands() {
			all = append(all, term.Candidate{Text: c.name, Note: c.args})
		}
		return begun(all, name), colon
	}
	c, err := s.find(name)
	if err != nil {
		return nil, 0
	}
	start := wordStart(line, func(b byte) bool { return b != ' ' && b != '=' && b != ',' && b != ':' })
	var all []term.Candidate
	if c.values != nil {
		before := words(args[:max(0, len(args)-(len(line)-start))])
		all = plain(c.values(s, before))
	}
	list := begun(all, line[start:])
	if c.files && (len(list) == 0 || line[start:] == "") {
		list = append(list, plain(filesFrom(line[start:]))...)
	}
	return list, start
}

// filesFrom lists the files that a path may be the beginning of. Folders end with a slash.
func filesFrom(prefix string) []string {
	dir, base := filepath.Split(prefix)
	entries, err := os.ReadDir(filepath.Join(".", dir))
	if filepath.IsAbs(dir) {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		out = append(out, dir+name)
	}
	return out
}

// completeVfl lists what may stand after a text of vfl.
func (s *Session) completeVfl(before string) []term.Candidate {
	place := compile.WritingAt(before)
	words := compile.Completions(s.library(), place)
	if place.Word == compile.StatementWord { // or a question
		words = append(words, compile.Completions(s.library(),
			compile.WritingPlace{Word: compile.ExpressionWord})...)
	}
	var list []term.Candidate
	for _, c := range words {
		list = append(list, term.Candidate{Text: c.Name, Note: strings.TrimPrefix(c.Usage, c.Name)})
	}
	switch place.Word {
	case compile.OwnerWord:
		return append(list, plain(s.owners())...)
	case compile.ColumnWord:
		holders, _ := s.holders()
		for _, h := range holders {
			list = append(list, plain(columnNames(h.table))...)
		}
		return list
	case compile.StatementWord:
		for _, o := range overs() {
			list = append(list, term.Candidate{Text: o.name, Note: o.doc})
		}
	case compile.ExpressionWord, compile.SizeWord, compile.FollowingWord:
	default:
		return list
	}
	list = append(list, plain(s.scope(nil))...)
	if s.current != nil {
		list = append(list, plain(s.current.Draws.Names())...)
	}
	return list
}
