package term

import (
	"io"
	"strings"
	"unicode/utf8"
)

// A key is one key, or one paste.
type key struct {
	code code
	r    rune   // of char
	text string // of paste
}

type code int

const (
	char code = iota // a character that has a width
	ctrl             // r is the letter
	enter
	newline // Enter with Alt: a further line of the same text
	tab
	backspace
	del
	up
	down
	left
	right
	home
	end
	wordLeft
	wordRight
	deleteWord
	eraseWord
	escape
	paste
	unknown // a sequence of another key
	hangup
)

// A decoder turns the bytes of a terminal into keys. It reads byte by byte, so that what is typed ahead of a
// command that reads the terminal itself stays there for it.
type decoder struct {
	in   io.Reader
	more func() bool // whether a byte comes within the time that separates those of one sequence
	now  func() bool // whether a byte is there
	// ahead is what has been read before it was wanted, to find a Ctrl-C in it.
	ahead []byte
}

// takeAhead returns what has been typed and not been read as keys, which is then the caller's.
func (d *decoder) takeAhead() []byte {
	out := d.ahead
	d.ahead = nil
	for d.now != nil && d.now() {
		b, ok := d.readByte()
		if !ok {
			break
		}
		out = append(out, b)
	}
	return out
}

// readByte returns the next byte.
func (d *decoder) readByte() (byte, bool) {
	if len(d.ahead) > 0 {
		b := d.ahead[0]
		d.ahead = d.ahead[1:]
		return b, true
	}
	var b [1]byte
	for {
		n, err := d.in.Read(b[:])
		if n == 1 {
			return b[0], true
		}
		if err != nil {
			return 0, false
		}
	}
}

// next waits for a key.
func (d *decoder) next() key {
	b, ok := d.readByte()
	switch {
	case !ok:
		return key{code: hangup}
	case b == '\r' || b == '\n':
		return key{code: enter}
	case b == '\t':
		return key{code: tab}
	case b == 0x7f || b == 0x08:
		return key{code: backspace}
	case b == 0x1b:
		return d.escaped()
	case b < 0x20:
		return key{code: ctrl, r: rune(b) + '@'}
	case b < utf8.RuneSelf:
		return key{code: char, r: rune(b)}
	}
	return d.wide(b)
}

// wide reads the rest of a character of several bytes. What is no character is left out.
func (d *decoder) wide(first byte) key {
	text := []byte{first}
	for len(text) < utf8.UTFMax && !utf8.FullRune(text) {
		b, ok := d.readByte()
		if !ok {
			return key{code: hangup}
		}
		text = append(text, b)
	}
	r, _ := utf8.DecodeRune(text)
	if r == utf8.RuneError {
		return key{code: unknown}
	}
	return key{code: char, r: r}
}

// escaped reads what follows an Escape: nothing, a key held with Alt, or a sequence.
func (d *decoder) escaped() key {
	if !d.more() {
		return key{code: escape}
	}
	b, ok := d.readByte()
	switch {
	case !ok:
		return key{code: hangup}
	case b == '[':
		return d.sequence()
	case b == 'O':
		final, _ := d.readByte()
		return finalKey(final, "")
	}
	switch b {
	case '\r', '\n':
		return key{code: newline}
	case 'b':
		return key{code: wordLeft}
	case 'f':
		return key{code: wordRight}
	case 'd':
		return key{code: deleteWord}
	case 0x7f, 0x08:
		return key{code: eraseWord}
	case 0x1b:
		return d.escaped()
	}
	return key{code: unknown}
}

// sequence reads a control sequence after its introducer, ESC [.
func (d *decoder) sequence() key {
	var args strings.Builder
	for {
		b, ok := d.readByte()
		switch {
		case !ok:
			return key{code: hangup}
		case b >= 0x40 && b <= 0x7e:
			if b == '~' && args.String() == "200" {
				return d.pasted()
			}
			return finalKey(b, args.String())
		case args.Len() < 32:
			args.WriteByte(b)
		}
	}
}

// finalKey is the key of a sequence with its final byte and its arguments. Terminals differ in what Home and
// End send.
func finalKey(final byte, args string) key {
	word := strings.HasSuffix(args, ";5") || strings.HasSuffix(args, ";3")
	switch final {
	case 'A':
		return key{code: up}
	case 'B':
		return key{code: down}
	case 'C':
		if word {
			return key{code: wordRight}
		}
		return key{code: right}
	case 'D':
		if word {
			return key{code: wordLeft}
		}
		return key{code: left}
	case 'H':
		return key{code: home}
	case 'F':
		return key{code: end}
	case '~':
		switch args {
		case "1", "7":
			return key{code: home}
		case "4", "8":
			return key{code: end}
		case "3":
			return key{code: del}
		case "3;5":
			return key{code: deleteWord}
		}
	}
	return key{code: unknown}
}

// pasteEnd marks the end of pasted text.
const pasteEnd = "\x1b[201~"

// pasted reads pasted text up to its end. Terminals send carriage returns for its line ends.
func (d *decoder) pasted() key {
	var text []byte
	for {
		b, ok := d.readByte()
		if !ok {
			return key{code: hangup}
		}
		text = append(text, b)
		if b == '~' && strings.HasSuffix(string(text[max(0, len(text)-len(pasteEnd)):]), pasteEnd) {
			whole := string(text[:len(text)-len(pasteEnd)])
			return key{code: paste, text: strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(whole)}
		}
	}
}
