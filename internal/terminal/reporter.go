package terminal

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"
)

// A Reporter is a standard error for other programs: a line of JSON for each message, with its kind under
// "event". Lines of text that are written to it become events "message" and "warning". Several goroutines may
// write.
type Reporter struct {
	out  io.Writer
	lock sync.Mutex
	rest []byte // of a line without its end
	told map[int]time.Time
}

// NewReporter returns a Reporter that writes to out.
func NewReporter(out io.Writer) *Reporter { return &Reporter{out: out, told: map[int]time.Time{}} }

// A textEvent is a message as the command prints it.
type textEvent struct {
	Event string `json:"event"`
	Text  string `json:"text"`
}

// Write tells the lines of a text.
func (r *Reporter) Write(text []byte) (int, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.rest = append(r.rest, text...)
	for {
		line, rest, whole := bytes.Cut(r.rest, []byte("\n"))
		if !whole {
			return len(text), nil
		}
		m := textEvent{"message", string(line)}
		if what, is := strings.CutPrefix(m.Text, "warning: "); is {
			m = textEvent{"warning", what}
		}
		r.rest = rest
		if m.Text == "" {
			continue
		}
		if err := r.tell(m); err != nil {
			return 0, err
		}
	}
}

// Tell writes an event, a value that encodes as an object of JSON.
func (r *Reporter) Tell(event any) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.tell(event)
}

func (r *Reporter) tell(event any) error {
	w := json.NewEncoder(r.out)
	w.SetEscapeHTML(false)
	return w.Encode(event)
}

// A stepEvent is how far a chain or fit is.
type stepEvent struct {
	Event string `json:"event"`
	Chain int    `json:"chain,omitempty"` // counted from 1; 0: all are told of together
	Phase string `json:"phase"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
	Text  string `json:"text"` // the same as a line
}

// step tells the progress of a chain, not more often than a terminal is drawn.
func (r *Reporter) step(now time.Time, s stepEvent) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if s.Done < s.Total && now.Sub(r.told[s.Chain]) < redraw {
		return
	}
	r.told[s.Chain], s.Event = now, "progress"
	_ = r.tell(s) // who does not listen to progress is told the result
}
