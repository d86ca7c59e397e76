package node

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/session"
)

// A server that departs across real connections: every party's process ends with V0839, no client takes part again until its owner lets it, also not by another command or in another folder, and
// what was confirmed does not make up for it.
func TestDepartureAcrossConnections(t *testing.T) {
	d := newTrio(t)
	d.over = ownNATS(t, 1<<20)
	o := d.options("server")
	var n *node
	var once sync.Once
	o.Progress = pacer{step: func(_ int, info backends.Info) {
		if info.Iteration >= 5 {
			once.Do(func() {
				n.part.guarded.Transport = &evil{Transport: n.part.guarded.Transport, d: &departure{alter: on("reply", "adjoint", 1, "a", tilted)}, seen: map[string]int{}}
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
		case errors.As(err, &unlike), errors.As(err, &ended) && ended.Code == CodeUnlike, errors.As(err, &peer) && peer.Code == session.EndUnlike:
		default:
			t.Errorf("%s: %v", party, err)
		}
	}
	for _, party := range []string{"a", "b"} {
		o := d.options(party)
		o.Dir += "_again"
		var list data.Errors
		if _, err := Join(t.Context(), o, nil); !errors.As(err, &list) || list[0].Code != diag.UnlikeAnswers || !strings.Contains(list[0].Message, "vflc preflight with the arguments of vflc join and --confirm") {
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
		if kept, err := filepath.Glob(filepath.Join(o.Identity, "departed-*.json")); err != nil || len(kept) != 1 {
			t.Error("what was remembered is gone", err)
		}
	}
}

// Two processes that confirm runs at the same time lose none of them.
func TestConfirmationsAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	const many = 20
	for k := range many {
		wait.Go(func() {
			if _, err := (&Pending{dir: dir, terms: []terms{{Manifest: strings.Repeat("m", k+1)}}}).Confirm(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if list, err := readConfirmed(dir); err != nil || len(list) != many {
		t.Error(len(list), err)
	}
}
