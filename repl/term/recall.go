package term

import "strings"

// recall is where the arrows are in the history.
type recall struct {
	back  int    // entries from the newest, 1 for the newest itself; 0: none
	typed []rune // the line before the first arrow
	seen  []string
}

// older recalls the entry before.
func (e *Editor) older() ([]byte, bool) {
	if e.recall.back == 0 {
		e.recall = recall{typed: e.line, seen: e.entries()}
	}
	if e.recall.back == len(e.recall.seen) {
		e.screen.bell()
		return nil, false
	}
	e.recall.back++
	return e.recalled()
}

// newer goes back towards what was typed.
func (e *Editor) newer() ([]byte, bool) {
	if e.recall.back == 0 {
		e.screen.bell()
		return nil, false
	}
	e.recall.back--
	return e.recalled()
}

func (e *Editor) recalled() ([]byte, bool) {
	line := e.recall.typed
	if n := len(e.recall.seen); e.recall.back > 0 {
		line = []rune(strings.TrimSuffix(e.recall.seen[n-e.recall.back], "\n"))
	}
	return e.set(line, len(line))
}

func (e *Editor) entries() []string {
	if e.History == nil {
		return nil
	}
	return e.History()
}

// search looks for the newest entry that holds what is typed; Ctrl-R again for the one before. Enter runs it,
// Ctrl-C and Ctrl-G give up, and any other key that edits takes it into the line.
func (e *Editor) search() ([]byte, bool) {
	entries, query, at := e.entries(), "", -1
	find := func(from int) bool {
		for i := from; i >= 0; i-- {
			if strings.Contains(entries[i], query) {
				at = i
				return true
			}
		}
		e.screen.bell()
		return false
	}
	for {
		found := e.line
		if at >= 0 && query != "" {
			found = []rune(strings.TrimSuffix(entries[at], "\n"))
		}
		e.screen.draw("search `"+query+"`: ", e.More, found, len(found))
		switch k := e.keys.next(); {
		case k.code == char:
			query += string(k.r)
			if !find(len(entries) - 1) {
				query = query[:len(query)-len(string(k.r))]
			}
		case k.code == backspace:
			if r := []rune(query); len(r) > 0 {
				query = string(r[:len(r)-1])
				find(len(entries) - 1)
			}
		case k.code == ctrl && k.r == 'R':
			find(at - 1)
		case k.code == ctrl && (k.r == 'G' || k.r == 'C'):
			e.draw()
			return nil, false
		case k.code == enter:
			text := string(found)
			e.line, e.whole = found, &text
			return e.finish(entered)
		case k.code == hangup:
			return e.finish(hungUp)
		default:
			return e.set(found, len(found))
		}
	}
}
