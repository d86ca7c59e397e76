package node

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// A server that departs across real connections: every party's process ends with V0839, no client takes part
// again until its owner lets it, also not by another command or in another folder, and what was confirmed
// does not make up for it.
func TestDepartureAcrossConnections(t *testing.T) {
	d := newTrio(t)
	d.over = ownNATS(t, 1<<20)
	o := d.options("server")
	var n *node
	var once sync.Once
	o.Progress = pacer{step: func(_ int, info backends.StepInfo) {
		if info.Iteration >= 5 {
			once.Do(func() {
				n.part.guarded.Transport = &evil{Transport: n.part.guarded.Transport,
					d: &departure{alter: on("reply", "adjoint", 1, "a", tilted)}, seen: map[string]int{}}
			})
		}
	}}
	var err error
	if n, err = open(o); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	errs := map[string]error{}
	var mutex sync.Mutex
	play := func(party string, f func() (Outcome, error)) {
		wait.Go(func() {
			_, err := f()
			mutex.Lock()
			defer mutex.Unlock()
			errs[party] = err
		})
	}
	play("server", func() (Outcome, error) { defer n.close(); return n.serve(t.Context(), nil) })
	for _, party := range []string{"a", "b"} {
		play(party, func() (Outcome, error) { return Join(t.Context(), d.options(party), nil) })
	}
	wait.Wait()
	for party, err := range errs {
		var ended *EndedError
		var unlike *session.UnlikeError
		var peer *session.PeerError
		switch {
		case errors.As(err, &unlike), errors.As(err, &ended) && ended.Code == CodeUnlike,
			errors.As(err, &peer) && peer.Code == session.EndUnlike:
		default:
			t.Errorf("%s: %v", party, err)
		}
	}
	for _, party := range []string{"a", "b"} {
		o := d.options(party)
		o.Dir += "_again"
		var list data.Errors
		if _, err := Join(t.Context(), o, nil); !errors.As(err, &list) ||
			list[0].Code != diag.UnlikeAnswers ||
			!strings.Contains(list[0].Message,
				"vflc preflight with the arguments of vflc join and --confirm") {
			t.Errorf("%s takes part again: %v", party, err)
		}
		p := &Pending{dir: o.Identity}
		if _, err := p.Known(); err == nil {
			t.Error("its owner is not asked")
		}
		if _, err := p.Confirm(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Known(); err != nil {
			t.Error(err)
		}
		if n, err := open(o); err != nil {
			t.Errorf("%s, whose owner lets it: %v", party, err)
		} else {
			n.close()
		}
		if kept, err := filepath.Glob(filepath.Join(o.Identity, "departed-*.json")); err != nil ||
			len(kept) != 1 {
			t.Error("what was remembered is gone", err)
		}
	}
}

// tells lets the server tell these clients something else in a stage.
func (d *trio) tells(stage int, like any, clients string, alter func(body any)) {
	d.alter = func(party string, o *PartyOptions) {
		if party != "server" {
			return
		}
		o.alters = func(to string, message any) any {
			b, ok := message.(beat)
			if !ok || !strings.Contains(clients, to) || b.Stage != stage || b.Body == nil {
				return message
			}
			body := reflect.New(reflect.TypeOf(like).Elem()).Interface()
			if err := json.Unmarshal(b.Body, body); err != nil {
				d.t.Error(err)
			}
			alter(body)
			b.Body = json.RawMessage(asText(body))
			return b
		}
	}
}

// A server that wires a sum without one of its clients would have the total of the others. No client takes
// part.
func TestWiringOfFewerClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTrio(t)
		d.tells(stageWiring, &compile.Wiring{}, "ab", func(body any) {
			g := &body.(*compile.Wiring).Groups[0]
			g.Members = slices.DeleteFunc(g.Members, func(m model.Port) bool { return m.Party == 2 })
		})
		var list data.Errors
		if err := d.play(nil)["a"]; !errors.As(err, &list) || list[0].Code != diag.BadWiring ||
			!strings.Contains(list[0].Message, "leaves b out of the sum") {
			t.Error(err)
		}
	})
}

// A server that tells one client something else before the first round: no seal of the two fits, whatever it
// was.
func TestUnlikeBeforeTheFirstRound(t *testing.T) {
	for _, c := range []struct {
		name  string
		stage int
		body  any
		alter func(body any)
	}{
		{"another seed", stageAnnounce, &announcement{}, func(body any) { body.(*announcement).Seed++ }},
		{"other rows", stageRows, &leaving{}, func(body any) { body.(*leaving).Deals = true }},
		{"another size", stageSizes, &agreement{}, func(body any) { body.(*agreement).Sizes["Q"] = 3 }},
		{"another place to go on", stageStart, &start{}, func(body any) {
			body.(*start).At = map[int]int{1: 0}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newTrio(t)
				d.tells(c.stage, c.body, "a", c.alter)
				errs := d.play(nil)
				before := false
				for party, err := range errs {
					var unlike *session.UnlikeError
					var ended *EndedError
					var peer *session.PeerError
					switch {
					case errors.As(err, &unlike) && unlike.Before && unlike.Found == 1:
						before = true
					case errors.As(err, &ended) && ended.Code == CodeUnlike, errors.As(err, &peer) &&
						peer.Code == session.EndUnlike:
					default:
						t.Errorf("%s: %v", party, err)
					}
				}
				if !before {
					t.Errorf("no client says that it was before the first round: %v", errs)
				}
			})
		})
	}
}

// Two processes that confirm runs at the same time lose none of them.
func TestConfirmationsAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	const many = 20
	for k := range many {
		wait.Go(func() {
			if _, err := (&Pending{dir: dir,
				terms: []terms{{Manifest: strings.Repeat("m", k+1)}}}).Confirm(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if list, err := readConfirmed(dir); err != nil || len(list) != many {
		t.Error(len(list), err)
	}
}
