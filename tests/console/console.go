//go:build linux

package console

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vflc/vflc/tests/await"
)

// A Console is a program at a terminal.
type Console struct {
	Cmd    *exec.Cmd
	person *os.File
	lock   sync.Mutex
	screen *screen
	raw    []byte
	change chan struct{} // holds a token after each write of the program
	ended  chan struct{}
	err    error
}

// Start starts a program at a terminal of its own.
func Start(cmd *exec.Cmd, width, height int) (*Console, error) {
	person, program, err := Pair()
	if err != nil {
		return nil, err
	}
	defer program.Close()
	if err := resize(person, width, height); err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	c := &Console{Cmd: cmd, person: person, screen: newScreen(width, height), change: make(chan struct{}, 1),
		ended: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go c.watch()
	return c, nil
}

// watch shows what the program writes, up to its end.
func (c *Console) watch() {
	b := make([]byte, 4096)
	for {
		n, err := c.person.Read(b)
		c.lock.Lock()
		c.screen.write(b[:n])
		c.raw = append(c.raw, b[:n]...)
		c.lock.Unlock()
		select {
		case c.change <- struct{}{}:
		default:
		}
		if err != nil {
			break
		}
	}
	c.err = c.Cmd.Wait()
	close(c.ended)
}

// Type types a text: keys, as bytes.
func (c *Console) Type(keys string) error {
	_, err := c.person.WriteString(keys)
	return err
}

// Text is everything that the terminal has shown and not erased.
func (c *Console) Text() string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.screen.text()
}

// Raw is everything that the program has written, with its control sequences.
func (c *Console) Raw() string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return string(c.raw)
}

// Unknown lists control sequences that were written and are not understood here.
func (c *Console) Unknown() []string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.screen.unknown
}

// Wait waits until a condition on what is shown holds: everything, and the line of the cursor up to the
// cursor.
func (c *Console) Wait(what string, holds func(text, line string) bool) error {
	late := time.After(await.Patience)
	for ended := false; ; {
		c.lock.Lock()
		text, line := c.screen.text(), c.screen.cursorLine()
		whole := len(c.screen.rest) == 0
		c.lock.Unlock()
		if whole && holds(text, line) {
			return nil
		}
		if ended {
			return fmt.Errorf("the program has ended (%v), and not shown %s:\n%s", c.err, what, c.Text())
		}
		select {
		case <-c.change:
		case <-c.ended: // what it has shown last is on the screen now
			ended = true
		case <-late:
			return fmt.Errorf("not shown: %s; the terminal:\n%s", what, c.Text())
		}
	}
}

// WaitFor waits until a text has been shown.
func (c *Console) WaitFor(text string) error {
	return c.Wait(text, func(all, _ string) bool { return strings.Contains(all, text) })
}

// Resize changes the size of the terminal.
func (c *Console) Resize(width, height int) error {
	c.lock.Lock()
	c.screen.width, c.screen.height = width, height
	c.lock.Unlock()
	return resize(c.person, width, height)
}

// Running reports whether the program runs.
func (c *Console) Running() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// End waits for the program to end.
func (c *Console) End() error {
	select {
	case <-c.ended:
		return c.err
	case <-time.After(await.Patience):
		return fmt.Errorf("the program has not ended:\n%s", c.Text())
	}
}

// Close ends the program where it still runs, and the terminal.
func (c *Console) Close() {
	c.Cmd.Process.Kill()
	c.person.Close()
	<-c.ended
}
