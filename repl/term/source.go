package term

import (
	"io"
	"slices"
	"strings"

	"github.com/chzyer/readline"
)

// A source is the standard input of readline: the keys that it is to deal with, one at a time.
type source struct{ e *Editor }

// place takes the place of a key where the line is replaced: readline inserts it, and takes it out again with
// the line.
const place = 0x1f

// Read gives the next key, once readline has dealt with the one before and a line is being read.
func (s source) Read(p []byte) (int, error) {
	select {
	case <-s.e.ready:
	case <-s.e.closed:
		return 0, io.EOF
	}
	for {
		if out, done := s.e.act(s.e.keys.next()); done {
			return copy(p, out), nil
		}
	}
}

// Close does nothing: the terminal belongs to the caller.
func (source) Close() error { return nil }

// act does what a key means. It returns the bytes that readline gets for it; done is false where it gets
// none.
func (e *Editor) act(k key) (out []byte, done bool) {
	if k.code != up && k.code != down && !(k.code == ctrl && (k.r == 'P' || k.r == 'N')) {
		e.recall = recall{}
	}
	switch k.code {
	case char:
		return []byte(string(k.r)), true
	case ctrl:
		return e.control(k.r)
	case enter:
		return e.finish(entered)
	case newline:
		return e.insert("\n")
	case tab:
		return e.complete()
	case paste:
		return e.paste(k.text)
	case up:
		return e.older()
	case down:
		return e.newer()
	case del:
		if e.pos == len(e.line) {
			return nil, false // readline takes it for the end of the input where the line is empty
		}
		return []byte{readline.CharDelete}, true
	case hangup:
		return e.finish(hungUp)
	}
	return edits(k.code)
}

// edits are the keys of readline for keys that have names.
func edits(c code) ([]byte, bool) {
	switch c {
	case backspace:
		return []byte{readline.CharBackspace}, true
	case left:
		return []byte{readline.CharBackward}, true
	case right:
		return []byte{readline.CharForward}, true
	case home:
		return []byte{readline.CharLineStart}, true
	case end:
		return []byte{readline.CharLineEnd}, true
	case wordLeft:
		return []byte("\x1bb"), true
	case wordRight:
		return []byte("\x1bf"), true
	case deleteWord:
		return []byte("\x1bd"), true
	case eraseWord:
		return []byte("\x1b\x7f"), true
	}
	return nil, false
}

// control does what a letter with Ctrl means.
func (e *Editor) control(r rune) ([]byte, bool) {
	switch r {
	case 'C':
		return e.finish(interrupted)
	case 'D':
		if len(e.line) == 0 {
			return e.finish(hungUp)
		}
		return e.act(key{code: del})
	case 'P':
		return e.older()
	case 'N':
		return e.newer()
	case 'R':
		return e.search()
	case 'L':
		e.screen.clear()
		e.draw()
	case 'Z':
		e.suspend()
	case 'A', 'B', 'E', 'F', 'K', 'T', 'U', 'W', 'Y':
		return []byte{byte(r - '@')}, true
	}
	return nil, false
}

// finish ends the line.
func (e *Editor) finish(how ending) ([]byte, bool) {
	e.ended = how
	e.entering()
	e.pos = len(e.line)
	e.draw()
	mark := ""
	if how == interrupted {
		mark = "^C"
	}
	e.screen.leave(mark)
	return []byte{readline.CharEnter}, true
}

// set replaces the line.
func (e *Editor) set(line []rune, pos int) ([]byte, bool) {
	e.want = &content{slices.Clone(line), pos}
	return []byte{place}, true
}

// insert puts a text at the cursor.
func (e *Editor) insert(text string) ([]byte, bool) {
	added := []rune(text)
	return e.set(slices.Concat(e.line[:e.pos], added, e.line[e.pos:]), e.pos+len(added))
}

// paste takes a pasted text: a part of a line is inserted, and whole lines are run, together with what the
// line holds, without a change.
func (e *Editor) paste(text string) ([]byte, bool) {
	if !strings.Contains(text, "\n") {
		return e.insert(text)
	}
	whole := string(e.line[:e.pos]) + text + string(e.line[e.pos:])
	e.line, e.whole = []rune(strings.TrimSuffix(whole, "\n")), &whole
	e.screen.all(e.prompt, e.More, e.line)
	e.entering()
	return []byte{readline.CharEnter}, true
}
