// Package term reads lines from a terminal, with editing, history, completion and search.
//
// The editing of a line and the modes of the terminal are those of chzyer/readline. What surrounds them is
// here: keys are decoded before readline sees them, one at a time, each after the one before has been dealt
// with; readline draws nothing, and the line is drawn from what it holds. So pasted text never reaches it as
// keys, its menus and its history are never entered, wide characters take the columns that they have, and the
// width of the terminal may change between any two keys.
package term

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"

	"github.com/chzyer/readline"
)

// ErrInterrupt is returned for a line that was given up by Ctrl-C.
var ErrInterrupt = errors.New("interrupted")

// A Candidate is one way to complete a word.
type Candidate struct {
	Text string // replaces the word
	Note string // shown beside it in the menu, as the arguments of a function
}

// A Completer lists the candidates for the word that ends at byte pos of a text, and where the word begins.
type Completer func(text string, pos int) (candidates []Candidate, start int)

// A Config says where an Editor reads and writes, and what it knows.
type Config struct {
	In, Out  *os.File
	Complete Completer       // nil: none
	History  func() []string // the entries, the oldest first; nil: none
	// More is the prompt of the second and following lines of a text.
	More string
}

// An Editor reads lines from a terminal. Its methods are not safe for concurrent use, except Restore.
type Editor struct {
	Config
	keys   *decoder
	op     *readline.Operation
	tty    *readline.Terminal
	screen drawing
	prompt string

	// The line as readline holds it, after the last key.
	line []rune
	pos  int
	// ready holds a token while readline waits for a key. It orders the two goroutines of readline and that
	// of Line: all that is above and below is changed by one at a time.
	ready  chan struct{}
	closed chan struct{}
	want   *content // what readline is to hold in place of its line
	ended  ending   // how the line was ended
	whole  *string  // the text that was pasted or found by a search, in place of the line
	recall recall

	// signals has an interrupt that came since a line was entered.
	signals chan os.Signal

	mode  sync.Mutex
	saved *readline.State // of the terminal before raw mode; nil: not in raw mode
}

// content is a line with the position of the cursor, in runes.
type content struct {
	line []rune
	pos  int
}

// ending is how a line ended.
type ending int

const (
	entered ending = iota
	interrupted
	hungUp
)

// New returns an Editor of a terminal. The terminal is changed only while a line is read.
func New(c Config) (*Editor, error) {
	e := &Editor{Config: c, ready: make(chan struct{}, 1), closed: make(chan struct{}),
		signals: make(chan os.Signal, 1)}
	e.keys = newDecoder(c.In)
	e.screen = drawing{w: c.Out, width: e.width, height: e.height}
	config := &readline.Config{
		Stdin: source{e}, Stdout: io.Discard, Stderr: io.Discard,
		HistoryLimit: -1, DisableAutoSaveHistory: true,
		FuncIsTerminal:     func() bool { return false }, // so that it draws nothing
		FuncGetWidth:       func() int { return 80 },
		FuncOnWidthChanged: func(func()) {},
		FuncMakeRaw:        e.raw,
		FuncExitRaw:        e.Restore,
		Listener:           readline.FuncListener(e.changed),
	}
	tty, err := readline.NewTerminal(config)
	if err != nil {
		return nil, err
	}
	e.tty, e.op = tty, tty.Readline()
	signal.Notify(e.signals, os.Interrupt)
	return e, nil
}

// Line shows a prompt and reads a text: one line, or several that were pasted or recalled together. The error
// is ErrInterrupt where it was given up, and io.EOF at the end of the input.
func (e *Editor) Line(prompt string) (string, error) {
	e.prompt, e.ended, e.whole, e.recall = prompt, entered, nil, recall{}
	e.screen.forget()
	text, err := e.op.Runes()
	switch {
	case err != nil:
		return "", io.EOF
	case e.ended == interrupted:
		return "", ErrInterrupt
	case e.ended == hungUp:
		return "", io.EOF
	case e.whole != nil:
		return *e.whole, nil
	}
	return string(text), nil
}

// Interrupted reports whether Ctrl-C has been pressed since the line was entered: as a signal, or as a key in
// the instant before the terminal left raw mode. What else was typed stays to be read.
func (e *Editor) Interrupted() bool {
	typed := e.keys.takeAhead()
	if i := bytes.LastIndexByte(typed, ctrlC); i >= 0 {
		e.keys.ahead = slices.Delete(typed, i, i+1)
		return true
	}
	e.keys.ahead = typed
	select {
	case <-e.signals:
		return true
	default:
		return false
	}
}

// ctrlC is the byte of Ctrl-C.
const ctrlC = 'C' - '@'

// entering forgets interrupts from before a line was entered.
func (e *Editor) entering() {
	select {
	case <-e.signals:
	default:
	}
}

// changed is called by readline when it begins to read, with key 0, and after each key. It returns what the
// line is to be changed to.
func (e *Editor) changed(line []rune, pos int, key rune) ([]rune, int, bool) {
	if key == readline.CharEnter {
		return nil, 0, false // Line may have returned already
	}
	set := e.want
	if set != nil {
		line, pos, e.want = set.line, set.pos, nil
	}
	e.line, e.pos = line, pos
	e.draw()
	e.ready <- struct{}{}
	return slices.Clone(line), pos, set != nil
}

func (e *Editor) draw() { e.screen.draw(e.prompt, e.More, e.line, e.pos) }

// Close ends the editor, and the goroutines of readline.
func (e *Editor) Close() error {
	close(e.closed)
	signal.Stop(e.signals)
	e.tty.KickRead()
	err := e.tty.Close()
	return errors.Join(err, e.Restore())
}

// raw puts the terminal into raw mode, in which it marks pasted text.
func (e *Editor) raw() error {
	e.mode.Lock()
	defer e.mode.Unlock()
	if e.saved != nil || e.isClosed() {
		return nil
	}
	state, err := readline.MakeRaw(int(e.In.Fd()))
	if err != nil {
		return err
	}
	e.saved = state
	_, err = io.WriteString(e.Out, pasteOn)
	return err
}

func (e *Editor) isClosed() bool {
	select {
	case <-e.closed:
		return true
	default:
		return false
	}
}

// Restore puts the terminal back into the mode in which it was before Line. It may be called at any time, as
// by the handler of a signal.
func (e *Editor) Restore() error {
	e.mode.Lock()
	defer e.mode.Unlock()
	if e.saved == nil {
		return nil
	}
	_, err := io.WriteString(e.Out, pasteOff)
	err = errors.Join(err, readline.Restore(int(e.In.Fd()), e.saved))
	e.saved = nil
	return err
}

// The sequences that switch the marks around pasted text on and off.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// usual is the size of a terminal that does not tell it.
const usualWidth, usualHeight = 80, 24

func (e *Editor) size() (width, height int) {
	width, height, err := readline.GetSize(int(e.Out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return usualWidth, usualHeight
	}
	return width, height
}

func (e *Editor) width() int { w, _ := e.size(); return w }

func (e *Editor) height() int { _, h := e.size(); return h }
