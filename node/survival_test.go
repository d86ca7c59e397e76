package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
)

const trioModel = `client a, b
data y : real[N] @ shared
data xa : real[N] @ a
data xb : real[N] @ b
param m ~ normal(0, 5)
param ba ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
y ~ normal(m + xa * ba + xb * bb, 1)
transform exact
`

// A hub brings packets between the parties of one process, each direction in its order and after a delay;
// what is for or from a party that is cut off is lost.
type hub struct {
	mutex sync.Mutex
	ends  map[string]chan parcel
	cut   map[string]bool
	each  func(from, to string, packet []byte) // nil: nobody listens
}

func newHub() *hub { return &hub{ends: map[string]chan parcel{}, cut: map[string]bool{}} }

type parcel struct {
	from   string
	packet []byte
}

const hop = time.Millisecond

// An end is a party's.
type end struct {
	*hub
	party, server string
	in            chan parcel
	closed        atomic.Bool
}

func (h *hub) connect(id *identity.Identity, e carrier.Handlers) (conveyor, error) {
	one := &end{hub: h, party: id.Party, server: id.Project.Server, in: make(chan parcel, 1<<14)}
	h.mutex.Lock()
	h.ends[id.Party] = one.in
	h.mutex.Unlock()
	go func() {
		e.Back()
		for p := range one.in {
			if time.Sleep(hop); !one.closed.Load() {
				e.Packet(p.from, p.packet)
			}
		}
	}()
	return one, nil
}

func (e *end) Publish(to string, packet []byte) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.each != nil {
		e.each(e.party, to, packet)
	}
	e.bring(e.party, to, packet)
	return nil
}

// bring brings a packet as from a party; the hub is locked.
func (h *hub) bring(from, to string, packet []byte) {
	if in := h.ends[to]; in != nil && !h.cut[to] && !h.cut[from] {
		select {
		case in <- parcel{from, slices.Clone(packet)}:
		default: // lost
		}
	}
}

func (e *end) sever(party string, cut bool) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.cut[party] = cut
}

func (e *end) MaxPayload() int             { return 1 << 20 }
func (e *end) RTT() (time.Duration, error) { return 2 * hop, nil }
func (e *end) Probe(context.Context) error { return errors.New("no probe") }
func (e *end) Where() string               { return "a hub" }
func (e *end) Close() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	delete(e.ends, e.party)
	e.closed.Store(true)
	close(e.in)
}

// A trio is a server and two clients in one process.
type trio struct {
	t        *testing.T
	dir      string
	hub      *hub
	over     carrier.Cluster                         // not the zero one: in place of the hub
	programs map[string]*program                     // of parties that run others
	step     func(chain int, info backends.StepInfo) // of a's chains
	// alter changes what a party is started with; nil: nothing is changed.
	alter func(party string, o *PartyOptions)

	mutex sync.Mutex
	said  map[string][]said
}

// said is a line that a party has told its operator.
type said struct {
	at   time.Time
	text string
}

// A pacer reports steps.
type pacer struct {
	fit.Quiet
	step func(int, backends.StepInfo)
}

func (p pacer) Step(chain int, info backends.StepInfo) { p.step(chain, info) }

func trioSettings() map[string]string {
	return map[string]string{"chains": "1", "warmup": "30", "draws": "20", "secure-sum": "on"}
}

// declare names in the manifest of a model the run that tests make of it.
func declare(t *testing.T, m *compile.Model) {
	t.Helper()
	a, _ := fit.Backend("nuts")
	if err := fit.Declare(m, a, trioSettings()); err != nil {
		t.Fatal(err)
	}
}

func newTrio(t *testing.T) *trio {
	t.Helper()
	d := &trio{t: t, dir: t.TempDir(), hub: newHub(), step: func(int, backends.StepInfo) {},
		said: map[string][]said{}}
	m, diags := compile.Compile(source.New("m.vfl", trioModel), check.Options{})
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	declare(t, m)
	files := map[string]string{"server.csv": "id,y\n", "a.csv": "id,xa\n", "b.csv": "id,xb\n"}
	for i := range 12 {
		x := 1.1 * (float64(i%5) - 2)
		files["server.csv"] += fmt.Sprintf("%d,%v\n", i, 0.3*x+float64(i%3))
		files["a.csv"] += fmt.Sprintf("%d,%v\n", i, x)
		files["b.csv"] += fmt.Sprintf("%d,%v\n", i, float64(i%3)-1)
	}
	for name, text := range m.Files() {
		files[filepath.Join("programs", name)] = string(text)
	}
	for name, text := range files {
		path := filepath.Join(d.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			safefile.WriteBytes(path, 0o644, []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range provisioned(t, d.dir, "127.0.0.1:1", "server", "a", "b") {
		if err := identity.Simulate(filepath.Join(d.dir, id.Party), 7); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *trio) options(party string) PartyOptions {
	o := PartyOptions{
		Identity: filepath.Join(d.dir, party), Programs: filepath.Join(d.dir, "programs"),
		Tables:  []string{filepath.Join(d.dir, party+".csv"), "shared=" + filepath.Join(d.dir, "server.csv")},
		program: d.programs[party], MaxBytes: 1 << 20, Dir: filepath.Join(d.dir, "run_"+party),
		Progress: fit.Quiet{}, connect: d.hub.connect,
		Say: func(text string) {
			d.mutex.Lock()
			defer d.mutex.Unlock()
			d.said[party] = append(d.said[party], said{time.Now(), text})
		},
	}
	if party == "server" {
		o.Tables, o.Key, o.Backend, o.Seed = o.Tables[:1], "id", "nuts", 7
		o.Settings = trioSettings()
	}
	if d.over.URL != "" {
		o.connect, o.NATS = nil, d.over
	}
	if party == "a" {
		o.Progress = pacer{step: d.step}
	}
	if d.alter != nil {
		d.alter(party, &o)
	}
	return o
}

// run runs all parties until the run is complete.
func (d *trio) run() {
	d.t.Helper()
	for party, err := range d.play(nil) {
		if err != nil {
			d.t.Errorf("%s: %v", party, err)
		}
	}
}

// play runs all parties until they have ended, and returns their errors.
func (d *trio) play(stop <-chan struct{}) map[string]error {
	var wait sync.WaitGroup
	var mutex sync.Mutex
	out := map[string]error{}
	for _, party := range []string{"server", "a", "b"} {
		wait.Go(func() {
			play := Join
			if party == "server" {
				play = Serve
			}
			_, err := play(d.t.Context(), d.options(party), stop)
			mutex.Lock()
			defer mutex.Unlock()
			out[party] = err
		})
	}
	wait.Wait()
	if d.over.URL == "" {
		time.Sleep(time.Minute) // what the hub still holds is dropped; the time is simulated
	}
	return out
}

// draws are those of all parties, by party and column.
func (d *trio) draws() map[string]string {
	d.t.Helper()
	out := map[string]string{}
	for _, party := range []string{"server", "a", "b"} {
		text, err := os.ReadFile(filepath.Join(d.dir, "run_"+party, "draws", "chain-1.csv"))
		if err != nil {
			d.t.Fatal(err)
		}
		var head []string
		for line := range strings.Lines(string(text)) {
			if cells := strings.Split(strings.TrimSpace(line), ","); strings.HasPrefix(line, "#") {
				continue
			} else if head == nil {
				head = cells
			} else {
				for k, c := range cells {
					if !strings.HasSuffix(head[k], "__") {
						out[party+" "+head[k]] += c + " "
					}
				}
			}
		}
	}
	return out
}

// when is when a party first said a text after a time; the zero time where it did not.
func (d *trio) when(party, text string, after time.Time) time.Time {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, s := range d.said[party] {
		if s.at.After(after) && strings.Contains(s.text, text) {
			return s.at
		}
	}
	return time.Time{}
}

// A client says that it knows the run to be complete when that is in its folder, and not before: the server
// goes then, and a process that is killed and started again would wait for it.
func TestFarewellComesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTrio(t)
		last := map[string]bool{}
		d.hub.each = func(from, _ string, _ []byte) {
			m, err := readMemory(filepath.Join(d.dir, "run_"+from))
			if err != nil {
				t.Error(err)
			}
			last[from] = m.Complete
		}
		d.run()
		if !last["a"] || !last["b"] {
			t.Errorf("the last packet leaves before the folder has the run as complete: %v", last)
		}
	})
}

// A client whose certificate is revoked while the run is under way has no part in it any more: the server
// names it, and waits.
func TestRevokedInARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTrio(t)
		stop := make(chan struct{})
		var revoked time.Time
		d.step = func(_ int, info backends.StepInfo) {
			if info.Iteration != 20 || !revoked.IsZero() {
				return
			}
			revoked = time.Now()
			ca := filepath.Join(d.dir, "ca")
			if err := errors.Join(identity.Revoke(ca, "a"),
				identity.Copy(ca, filepath.Join(d.dir, "server"))); err != nil {
				t.Error(err)
			}
			time.AfterFunc(time.Minute, func() { close(stop) })
		}
		for party, err := range d.play(stop) {
			if !errors.Is(err, ErrStopped) {
				t.Errorf("%s: %v", party, err)
			}
		}
		for party, text := range map[string]string{"server": "a is refused: its " +
			"certificate was revoked (V0827)", "b": "a is missing: its certificate was revoked"} {
			if took := d.when(party, text, revoked).Sub(revoked); took < 0 || took > 10*time.Second {
				t.Errorf("%s says %q after %v", party, text, took)
			}
		}
	})
}

// A policy whose last day ends while the run is under way ends it, by a code and the line at its party and by
// name at the others; with a new date the same commands go on.
func TestPolicyExpiresInARun(t *testing.T) {
	var whole map[string]string
	synctest.Test(t, func(t *testing.T) {
		d := newTrio(t)
		d.run()
		whole = d.draws()
	})
	synctest.Test(t, func(t *testing.T) {
		d := newTrio(t)
		until := func(day string) {
			text := "min_contributors = 2\nexpires = " + day + "\n"
			if err := safefile.WriteBytes(filepath.Join(d.dir, "a", policy.FileName), 0o600,
				[]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		day := time.Now().UTC().Truncate(24 * time.Hour)
		until(day.Format(time.DateOnly))
		time.Sleep(time.Until(day.Add(24*time.Hour - 20*time.Second)))
		d.step = func(_ int, info backends.StepInfo) {
			if info.Iteration == 20 && d.when("a", "expired", time.Time{}).IsZero() {
				time.Sleep(time.Minute)
			}
		}
		all := d.play(nil)
		var list data.Errors
		if err := all["a"]; !errors.As(err, &list) || list[0].Code != diag.PolicyTerms ||
			!strings.Contains(list[0].Message, "the policy has expired: its last day was ") {
			t.Error("a:", err)
		}
		for _, party := range []string{"server", "b"} {
			var ended *EndedError
			if err := all[party]; !errors.As(err, &ended) || ended.Party != "a" || ended.Code != CodePolicy {
				t.Errorf("%s: %v", party, err)
			}
		}
		until("2100-01-01")
		d.run()
		if !maps.Equal(d.draws(), whole) {
			t.Error("the draws are others than those of a run that nothing ended")
		}
	})
}

// A party that is cut off is named by all others in less than 10 seconds, and names the server; the run
// waits, however long, also while certificates are looked at again, and goes on with the same draws.
func TestCutLink(t *testing.T) {
	t.Parallel()
	var whole map[string]string
	synctest.Test(t, func(t *testing.T) {
		d := newTrio(t)
		d.run()
		whole = d.draws()
	})
	if len(whole) != 3 {
		t.Fatalf("the run has the columns %v", slices.Collect(maps.Keys(whole)))
	}
	for name, c := range map[string]struct {
		off  string
		last time.Duration
		want map[string]string // who each party misses
	}{
		"a client for a minute": {"a", time.Minute, map[string]string{"server": "a", "b": "a",
			"a": "server"}},
		"the server for an hour": {"server", time.Hour, map[string]string{"server": "a", "a": "server",
			"b": "server"}},
		"a client for two hours": {"b", 2 * time.Hour, map[string]string{"server": "b", "a": "b",
			"b": "server"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newTrio(t)
				var began, mended time.Time
				d.step = func(_ int, info backends.StepInfo) {
					if info.Iteration != 20 || !began.IsZero() {
						return
					}
					began = time.Now()
					cut := &end{hub: d.hub}
					cut.sever(c.off, true)
					time.AfterFunc(c.last, func() { mended = time.Now(); cut.sever(c.off, false) })
				}
				d.run()
				for party, other := range c.want {
					if took := d.when(party, other+" is missing", began).Sub(began); took < 0 ||
						took > 10*time.Second {
						t.Errorf("%s says that %s is missing after %v", party, other, took)
					}
					if took := d.when(party, other+" is back", began).Sub(mended); took < 0 ||
						took > 10*time.Second {
						t.Errorf("%s says that %s is back %v after the link was mended", party, other, took)
					}
				}
				if took := time.Since(mended); took > 90*time.Second {
					t.Errorf("the run ended %v after the link was mended", took)
				}
				if !maps.Equal(d.draws(), whole) {
					t.Error("the draws are others than those of a run without a cut")
				}
			})
		})
	}
}

// A client whose folder does not hold the run that is complete waits for another, and says so; the server
// does not wait for it.
func TestCompleteRunWithoutAFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTrio(t)
		d.run()
		server := filepath.Join(d.dir, "run_server")
		m, err := readMemory(server)
		m.Unaware = []string{"a"} // as where its last packets were lost
		if err := errors.Join(err, m.write(server), os.RemoveAll(filepath.Join(d.dir, "run_a"))); err != nil {
			t.Fatal(err)
		}
		stop, began := make(chan struct{}), time.Now()
		time.AfterFunc(time.Hour, func() { close(stop) })
		all := d.play(stop)
		for _, party := range []string{"server", "b"} {
			var complete *fit.CompleteError
			if !errors.As(all[party], &complete) {
				t.Errorf("%s: %v", party, all[party])
			}
		}
		if !errors.Is(all["a"], ErrStopped) || d.when("a", "a waits for another run", began).IsZero() {
			t.Errorf("a: %v", all["a"])
		}
		if m, err = readMemory(server); err != nil || !slices.Equal(m.Unaware, []string{"a"}) {
			t.Errorf("the server remembers that %v may not know of the run's end (%v)", m.Unaware, err)
		}
	})
}

// A client that is killed when it has begun an epoch and nobody has heard it yet begins another when it is
// started again: it does not begin one twice.
func TestAProcessThatNobodyHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, run := newTrio(t), randomID()
		for party, epoch := range map[string]uint32{"server": 0, "a": 1} {
			dir := filepath.Join(d.dir, "run_"+party)
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, posterior.SessionDir), 0o700),
				(&memory{Party: party, Run: run, Epoch: epoch}).write(dir)); err != nil {
				t.Fatal(err)
			}
		}
		stop := make(chan struct{})
		time.AfterFunc(time.Hour, func() { close(stop) })
		for party, err := range d.play(stop) {
			if err != nil {
				t.Errorf("%s: %v", party, err)
			}
		}
		if d.when("server", "a was started again", time.Time{}).IsZero() {
			t.Error("the server does not say that a was started again")
		}
	})
}
