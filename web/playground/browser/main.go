//go:build js && wasm

// Command browser is package playground in a worker of a browser. It calls the function onmessage of the
// worker's object vflc with JSON, and gives that object the function call(JSON), which takes {"do", …} and
// returns nothing: answers, and the progress of a fit, are messages with the number of the call.
package main

import (
	"encoding/json"
	"errors"
	"syscall/js"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/web/playground"
)

// A call is what the page asks for.
type call struct {
	playground.FitTask
	ID    int      `json:"id"`
	Do    string   `json:"do"`
	Kind  string   `json:"kind"`  // of a plot
	Names []string `json:"names"` // of its parameters
	Width int      `json:"width"`
}

// An answer is a message to the page.
type answer struct {
	ID      int                 `json:"id"`
	Answer  any                 `json:"answer,omitempty"`
	Failure *playground.Failure `json:"failure,omitempty"`
	Line    string              `json:"line,omitempty"`
	Warning bool                `json:"warning,omitempty"`
	Chain   int                 `json:"chain,omitempty"`
	Step    int                 `json:"step,omitempty"`
	Steps   int                 `json:"steps,omitempty"`
	Phase   string              `json:"phase,omitempty"`
}

func main() {
	here := js.Global().Get("vflc")
	s := &server{calls: make(chan call, 16), say: func(a answer) {
		text, err := json.Marshal(a)
		if err != nil {
			text, _ = json.Marshal(answer{ID: a.ID, Failure: &playground.Failure{Message: err.Error()}})
		}
		here.Call("onmessage", string(text))
	}}
	here.Set("call", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var c call
		if err := json.Unmarshal([]byte(args[0].String()), &c); err != nil {
			s.say(answer{Failure: &playground.Failure{Message: err.Error()}})
			return nil
		}
		s.calls <- c
		return nil
	}))
	here.Call("onready")
	for c := range s.calls {
		s.serve(c)
	}
}

// A server answers calls one after another.
type server struct {
	calls chan call
	say   func(answer)
	run   *playground.FittedRun // the last
}

func (s *server) serve(c call) {
	out, err := s.do(c)
	if err == nil {
		s.say(answer{ID: c.ID, Answer: out})
		return
	}
	var why *playground.Failure
	if !errors.As(err, &why) {
		why = &playground.Failure{Message: err.Error()}
	}
	s.say(answer{ID: c.ID, Failure: why})
}

func (s *server) do(c call) (any, error) {
	switch c.Do {
	case "words":
		return playground.Vocabulary(), nil
	case "check":
		return playground.Check(c.FitTask)
	case "audit":
		return playground.Audit(c.FitTask, "/audit")
	case "fit":
		f, err := playground.Fit(c.FitTask, nil, &progress{server: s, id: c.ID, last: map[int]time.Time{}})
		if err == nil {
			s.run = f.Run
		}
		return f, err
	case "plot", "report":
		if s.run == nil {
			return nil, errors.New("there is no fit yet")
		}
		if c.Do == "plot" {
			return s.run.Plot(c.Kind, c.Names, c.Width)
		}
		return s.run.Report("/run")
	}
	return nil, errors.New("unknown call " + c.Do)
}

// often is the least time between two messages about a chain.
const often = 100 * time.Millisecond

// A progress sends how far a fit is.
type progress struct {
	*server
	id, steps int
	done      [256]int
	last      map[int]time.Time
}

func (p *progress) Message(text string) { p.say(answer{ID: p.id, Line: text}) }
func (p *progress) Warning(text string) { p.say(answer{ID: p.id, Line: text, Warning: true}) }
func (p *progress) Begin(_, steps int)  { p.steps = steps }
func (p *progress) Skip(int, int)       {}
func (p *progress) End()                {}

func (p *progress) Step(chain int, info backends.StepInfo) {
	p.done[chain%len(p.done)]++
	if now := time.Now(); now.Sub(p.last[chain]) > often || info.Done {
		p.last[chain] = now
		p.say(answer{ID: p.id, Chain: chain, Step: p.done[chain%len(p.done)], Steps: p.steps,
			Phase: info.Phase})
	}
}
