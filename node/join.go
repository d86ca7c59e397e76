package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/runtime/session"
)

// A follower is a client's node: it does what the server's stages say, as far as its own folders allow.
type follower struct {
	*node
	server   string // incarnation that it follows; "": none yet
	stage    int    // the last that was answered; -1: none
	reply    json.RawMessage
	broken   bool
	result   Outcome
	complete bool
	passed   string // the number of a run that is complete, and not in this folder
	missing  map[string]absence
	since    time.Time
	told     time.Time
	dirty    bool
	ended    *ending
	failure  error
	full     error // no disk has room for what this party must keep: it stops, and goes on when there is
	probed   time.Time
	probes   chan error
	found    string // by the last probe; "": it got through
}

// Join runs a client's part until the run is complete, until it is told to stop, or until a party ends it. It
// waits for the server as long as that takes. The error is ErrStopped, an *EndedError, or this party's own.
func Join(ctx context.Context, o PartyOptions, stop <-chan struct{}) (Outcome, error) {
	n, err := open(o)
	if err != nil {
		return nil, err
	}
	defer n.close()
	if err := n.carry(); err != nil {
		return nil, err
	}
	defer n.carrier.Close()
	f := &follower{node: n, stage: -1, missing: map[string]absence{}, since: time.Now(),
		probes: make(chan error, 1)}
	if n.memory.Complete {
		return nil, f.farewell(ctx, stop)
	}
	n.note("%s joins %s at %s", n.id.Party, n.id.Project.Server, n.carrier.Where())
	return f.loop(ctx, stop)
}

// farewell tells the server, where it is there, that this party knows the run to be complete: what an earlier
// process said of it may have been lost.
func (f *follower) farewell(ctx context.Context, stop <-chan struct{}) error {
	late := time.NewTimer(2 * beatEvery)
	defer late.Stop()
	for {
		select {
		case e := <-f.events:
			switch e := e.(type) {
			case answerEvent:
				f.answerTo(e)
				continue
			case backEvent:
				f.report(func(s *status) { s.Bye = true })
				if !f.secrets.knows(f.id.Project.Server) {
					continue // the report was a hello: the server answers it
				}
			default:
				continue
			}
		case <-late.C:
		case <-stop:
		case <-ctx.Done():
		}
		return &fit.CompleteError{Dir: f.Dir}
	}
}

func (f *follower) loop(ctx context.Context, stop <-chan struct{}) (Outcome, error) {
	defer f.halt(ErrStopped)
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if f.dirty || time.Since(f.told) >= beatEvery {
			f.report(func(*status) {})
		}
		switch {
		case f.ended != nil:
			f.halt(f.failure)
			if f.ended.Code == CodeUnlike {
				f.departs(f.failure)
			}
			f.sync(f.book.End(ledger.Ended))
			f.report(func(s *status) { s.Ended = f.ended })
			f.failed(f.ended.Party, f.failure)
			return nil, f.failure
		case f.full != nil:
			f.halt(ErrStopped)
			f.report(func(s *status) { s.Left = true })
			f.state(Failed, f.full.Error(), nil)
			return nil, f.full
		case f.complete:
			f.halt(ErrStopped)
			if err := f.finish(); err != nil {
				return nil, err
			}
			// the server goes now: a process that is killed here must not wait for it again
			f.report(func(s *status) { s.Bye = true })
			f.state(Complete, "", nil)
			return f.result, f.deliver(f.result)
		}
		select {
		case e := <-f.events:
			f.take(ctx, e)
		case err := <-f.probes:
			found := ""
			if err != nil {
				found = fmt.Sprintf("no connection: %v", err)
			}
			if found != f.found && found != "" {
				f.note("%s", found)
			}
			f.found = found
		case <-ticker.C:
			if f.asked() {
				return nil, f.leave()
			}
			f.look(ctx)
		case <-stop:
			return nil, f.leave()
		}
	}
}

// leave tells the server that this party stops. It goes on later from what all have saved.
func (f *follower) leave() error {
	f.halt(ErrStopped)
	f.report(func(s *status) { s.Left = true })
	f.state(Stopped, "", nil)
	return ErrStopped
}

func (f *follower) take(ctx context.Context, e any) {
	switch e := e.(type) {
	case backEvent:
		f.dirty = true
		if l := f.active.Load(); l != nil {
			l.Nudge()
		}
	case answerEvent:
		f.answerTo(e)
	case otherEvent:
		f.end(f.secrets.refuses(e))
	case controlEvent:
		if e.beat != nil {
			f.hears(ctx, e.beat)
		}
	case stageEvent:
		if e.epoch != f.memory.Epoch {
			return
		}
		f.working = false
		f.answered(ctx, e)
	case runEvent:
		if e.epoch == f.memory.Epoch {
			f.ran(e)
		}
	}
}

func (f *follower) answered(ctx context.Context, e stageEvent) {
	if e.err != nil {
		f.end(e.err)
		return
	}
	f.stage, f.reply, f.dirty = e.stage, json.RawMessage(asText(e.reply)), true
	if e.stage == stageStart {
		f.activate()
		f.fit(ctx)
	}
}

func (f *follower) ran(e runEvent) {
	switch {
	case e.err == nil:
		f.result, f.dirty = e.result, true
		f.note("%s has saved its results, and waits until all parties have", f.id.Party)
	case passing(e.err):
		f.broken, f.dirty = true, true
	default:
		var peer *session.PeerError
		if errors.As(e.err, &peer) { // the server says who has failed
			f.broken = true
			f.note("%v", e.err)
			return
		}
		f.end(e.err)
	}
}

// hears takes the newest beat of the server.
func (f *follower) hears(ctx context.Context, b *beat) {
	// the server has gone on to the next task
	if f.memory.Run != "" && b.Finished == f.memory.Run && f.saved() {
		f.complete = true
		return
	}
	if b.Run == f.Finished && b.Complete { // it has not heard that this party has gone on
		f.dirty = true
		return
	}
	if f.memory.Run != "" && b.Run != f.memory.Run {
		f.end(refuse(CodeRun, "%s serves run %s, and this folder holds run %s; name another folder",
			f.id.Project.Server, short(b.Run), short(f.memory.Run)))
		return
	}
	if !maps.Equal(b.Missing, f.missing) {
		f.changed(b.Missing)
	}
	switch {
	case b.Ended != nil:
		f.failure = &EndedError{Party: b.Ended.Party, Code: b.Ended.Code, About: b.Ended.About}
		f.ended = b.Ended
		f.note("%v", f.failure)
		return
	case b.Complete:
		// an earlier process has saved them, or else the run were not complete
		f.complete = f.result != nil || b.Run == f.memory.Run && f.saved()
		if !f.complete && f.passed != b.Run {
			f.passed = b.Run
			f.note("run %s of %s is complete, and %s holds no results of it: %s waits for another run",
				short(b.Run), f.id.Project.Server, f.Dir, f.id.Party)
		}
		return
	case b.Paused:
		f.halt(errEpoch)
		f.server = ""
		f.note("%s was stopped; the run waits for it", f.id.Project.Server)
		return
	}
	if b.Incarnation != f.server || b.Epoch != f.memory.Epoch {
		if f.working || !f.follow(b) {
			return
		}
	}
	if b.Stage == f.part.after(f.stage) && !f.working {
		f.answer(b.Epoch, b.Stage, f.part.stage(b.Stage, b.Body, b.Run, b.Epoch))
	}
}

// saved reports whether the results of the run are in its folder.
func (f *follower) saved() bool {
	_, err := os.Stat(filepath.Join(f.Dir, f.part.done()))
	return err == nil
}

// follow begins the epoch of a beat.
func (f *follower) follow(b *beat) bool {
	if f.memory.Run != "" && b.Epoch <= f.memory.Epoch || b.Stage != stageAnnounce {
		// an old epoch, or one whose beginning this party has missed: the server begins another when it hears
		// so
		return false
	}
	f.halt(errEpoch)
	f.server, f.stage, f.reply, f.broken, f.result = b.Incarnation, -1, nil, false, nil
	if err := f.remember(b.Run, b.Epoch, nil); err != nil {
		f.end(err)
		return false
	}
	return true
}

// look finds whether the server is missing.
func (f *follower) look(ctx context.Context) {
	server := f.id.Project.Server
	for _, err := range f.secrets.revoked() {
		f.warn(err)
	}
	if f.silent(server, f.since) {
		if f.missing[server] == "" {
			f.changed(map[string]absence{server: absentSilent})
		}
		if time.Since(f.probed) >= 5*beatEvery {
			f.probed = time.Now()
			go func() { f.probes <- f.carrier.Probe(ctx) }()
		}
	} else if f.missing[server] != "" {
		f.changed(map[string]absence{})
	}
	f.state(f.stateNow(), "", f.missing)
}

func (f *follower) stateNow() string {
	switch {
	case f.result != nil:
		return Saved
	case len(f.missing) > 0 || f.server == "":
		return Waiting
	case f.stage < stageStart:
		return Agreeing
	}
	return Running
}

func (f *follower) changed(missing map[string]absence) {
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		switch why := missing[name]; {
		case f.missing[name] == why:
		case name == f.id.Party && why == absentSilent: // that is over: the server has just told it
			f.note("%s heard nothing from this party for 6 s, so that the run waited; its process was "+
				"ended, paused or cut off", f.id.Project.Server)
		default:
			f.note("%s is missing: %s; the run waits", name, absences[why])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.missing)) {
		if missing[name] == "" {
			f.note("%s is back", name)
		}
	}
	f.missing = missing
}

// end makes this party's error the end of the run, everywhere.
func (f *follower) end(err error) {
	if diskFull(err) {
		f.full = goesOn(err)
		return
	}
	if f.ended == nil {
		f.ended, f.failure = &ending{Party: f.id.Party, Code: codeOf(err)}, err
		f.note("%v", err)
	}
}

func (f *follower) report(set func(*status)) {
	s := status{Incarnation: f.own, Server: f.server, Epoch: f.memory.Epoch, Stage: f.stage, Reply: f.reply,
		Broken: f.broken, Saved: f.result != nil, Finished: f.Finished}
	set(&s)
	if err := f.tell(f.id.Project.Server, s); err != nil {
		f.end(err)
	}
	f.told, f.dirty = time.Now(), false
}
