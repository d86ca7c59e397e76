package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// PartyOptions are what a party of a run is started with.
type PartyOptions struct {
	Identity        string   // the folder with the party's keys and certificate
	Programs        string   // the folder with the manifest and the party's program
	Tables          []string // as --data takes them
	MaxBytes        int64
	Dir             string // the folder of the run
	Key             string // the column that joins rows; at a client "": as the server says
	Replicates      bool   // predictions summarise draws of the responses, in place of expectations
	CheckpointEvery time.Duration
	Progress        fit.Progress
	Task            Task // what the parties do
	// files with starting values of the parameters of this party, as vflc run --inits takes them
	Inits []string
	// the folder of this party's part of an earlier run, whose draws a prediction uses, or where the chains
	// of a fit begin
	From string
	// the folder of this party's first fit of a cross-validation, which keeps the folds that one party tells
	Divided  string
	Finished string       // the number of the task that this process has done before; "": none
	Say      func(string) // a line for the operator
	Command  []string
	// where metrics and health are shown, as HOST:PORT or unix:FILE, and the file of the token that whoever
	// asks must show; "": nowhere, and none
	Metrics, MetricsToken string
	// of the organisation; none: the coordinator's own server
	NATS    carrier.Cluster
	connect func(*identity.Identity, carrier.Handlers) (conveyor, error) // nil: as the fields say
	// is shown everything that the party receives, opened; nil: nobody is
	overhears func(text []byte)
	// replaces what the party tells another; nil: nothing does
	alters func(to string, message any) any
	// nil: what this process runs
	program *program
	// Of the server alone:
	Listen    string // "": the port of the project's address, on all interfaces
	Listening func(address string)
	Backend   string
	Settings  map[string]string
	Seed      uint64
	Record    bool // keep what is received, for vflc audit RUN --attack
}

// Times. A party that was not heard for missedAfter is missing: three of its beats.
const (
	beatEvery   = 2 * time.Second
	lookEvery   = 500 * time.Millisecond
	missedAfter = 3 * beatEvery
	statusEvery = time.Minute // the file is written when something has changed, and else so often
)

// ErrStopped is the error where the party was told to stop. The run goes on when it is started again.
var ErrStopped = errors.New("stopped; the same command goes on with the run")

// A node is what server and client have in common.
type node struct {
	PartyOptions
	*journal
	id       *identity.Identity
	carrier  conveyor
	secrets  *secrets
	counts   counts
	web      *http.Server // nil: nothing is shown
	memory   memory
	own      string         // incarnation
	lock     *safefile.Lock // on the session's folder
	joined   *safefile.Lock // on the folder with the party's keys
	book     *ledger.Book
	synced   time.Time      // the ledger was, the last time
	policy   *policy.Policy // nil: the party has none
	part     *participant
	events   chan any
	active   atomic.Pointer[transport.Endpoint]
	began    time.Time
	progress fit.Progress
	cancel   func(error) // ends the fit of this epoch; nil: there is none
	working  bool        // a stage is being answered

	mutex  sync.Mutex
	heard  map[string]time.Time
	status Status
	told   Status    // the last that was written
	warned time.Time // counts lines on refused packets: a second each, at most warnMost behind the present
}

// Events.
type (
	controlEvent struct {
		from string
		beat *beat
		status
	}
	backEvent   struct{}
	answerEvent struct { // a hello that answers another
		to     string
		packet []byte
	}
	askEvent   struct{ of *peerKey } // a process asks what the server announces
	otherEvent struct {              // a party runs another version
		party   string
		program program
	}
	stageEvent struct { // a stage was answered
		epoch uint32
		stage int
		reply any
		err   error
	}
	runEvent struct { // the fit has ended
		epoch  uint32
		result Outcome
		err    error
	}
)

// open reads the party's folders, and what it remembers of the run.
func open(o PartyOptions) (*node, error) {
	n := &node{PartyOptions: o, own: randomID(), events: make(chan any, 256), heard: map[string]time.Time{},
		began: time.Now()}
	if n.CheckpointEvery == 0 {
		n.CheckpointEvery = saveEvery
	}
	var err error
	if n.id, err = identity.Load(o.Identity); err != nil {
		return nil, err
	}
	if err := n.mayJoin(); err != nil {
		return nil, err
	}
	if n.secrets = newSecrets(n.id); o.program != nil {
		n.secrets.program = *o.program
	}
	if n.memory, err = readMemory(o.Dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(o.Dir, posterior.RecordFile)); err == nil && n.memory.Run == "" {
		return nil, &fit.UsageError{Err: errors.New(o.Dir +
			" holds a run in one process; name another folder")}
	}
	if n.memory.Complete && n.id.Party == n.id.Project.Server && len(n.memory.Unaware) == 0 {
		return nil, &fit.CompleteError{Dir: o.Dir}
	}
	if err := os.MkdirAll(filepath.Join(o.Dir, posterior.SessionDir), 0o700); err != nil {
		return nil, err
	}
	if n.lock, err = safefile.TakeLock(filepath.Join(o.Dir, posterior.SessionDir)); err != nil {
		return nil, err
	}
	if n.joined, err = join(n.id.Party, o.Identity); err != nil {
		n.lock.Release()
		return nil, err
	}
	n.memory.Party = n.id.Party
	// what other parties publish is compared with it
	if err = n.id.KeepAuthority(filepath.Join(o.Dir, posterior.SessionDir)); err != nil {
		return nil, err
	}
	if n.journal, err = openJournal(o.Dir, o.Say); err != nil {
		return nil, err
	}
	if err = n.readPolicy(); err != nil {
		return nil, err
	}
	if n.book, err = ledger.Open(o.Dir, n.id.Party, n.id.Key, n.id.Cert.Raw); err != nil {
		return nil, err
	}
	if n.policy == nil {
		if n.id.Party != n.id.Project.Server {
			n.note("%s has no policy (%s): it takes part in what its owner has confirmed alone "+
				"(vflc preflight --confirm)", n.id.Party, filepath.Join(o.Identity, policy.FileName))
		}
	}
	p, diags, err := n.readPrograms()
	if err := data.Failed(diags, err); err != nil {
		return nil, err
	}
	n.part = p
	begins := Waiting
	if n.memory.Complete { // what was complete stays so, also if this process is killed at once
		begins = Complete
	}
	n.status = Status{Fingerprints: n.id.Fingerprints(), Party: n.id.Party, Process: os.Getpid(),
		Model: p.manifest.Model, State: begins, At: time.Now()}
	n.progress = &watcher{o.Progress, n.step}
	n.state(begins, "", nil) // whoever asks a process to stop finds this one
	return n, nil
}

// join locks the folder with a party's keys: two processes of one party would take turns, and each ends what
// the other has begun.
func join(party, dir string) (*safefile.Lock, error) {
	lock, err := safefile.TakeLock(dir)
	if err != nil && safefile.Held(err) {
		return nil, coded(diag.AlreadyJoined, "another process of %s has joined: %v", party, err)
	}
	return lock, err
}

func (n *node) close() {
	n.hide()
	n.sync(n.book.Sync())
	n.book.Close()
	n.journal.close()
	n.lock.Release()
	n.joined.Release()
}

// step keeps how far a chain is.
func (n *node) step(chain int, info backends.StepInfo) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for len(n.status.Chains) < chain {
		n.status.Chains = append(n.status.Chains, ChainStatus{})
	}
	n.status.Chains[chain-1] = ChainStatus{info.Phase, info.Iteration, info.Iterations, info.Draws}
}

// failed sets that a party has ended the run.
func (n *node) failed(by string, err error) {
	n.mutex.Lock()
	n.status.EndedBy = by
	n.mutex.Unlock()
	n.state(Failed, why(err), nil)
}

// state sets how the run stands, and writes it.
func (n *node) state(state, why string, missing map[string]absence) {
	n.mutex.Lock()
	n.status.State, n.status.Why, n.status.Missing = state, why, nil
	for party, why := range missing {
		if n.status.Missing == nil {
			n.status.Missing = map[string]string{}
		}
		n.status.Missing[party] = absences[why]
	}
	n.status.Run, n.status.Epoch, n.status.At = n.memory.Run, n.memory.Epoch, time.Now()
	n.status.Parties = n.part.agreed.Names
	s := n.status
	s.Chains = slices.Clone(s.Chains)
	n.mutex.Unlock()
	last, news := n.told, s
	news.Chains = last.Chains // how far they are can wait: a new file is a hundredth of a party's work
	if since := s.At.Sub(last.At); since >= statusEvery || !news.same(last) ||
		since >= beatEvery && !s.same(last) {
		n.told = s
		_ = writeJSON(n.Dir, StatusFile, s, safefile.WriteSoon) // the next one tries again
	}
	if time.Since(n.synced) >= n.CheckpointEvery {
		n.synced = time.Now()
		n.sync(n.book.Sync())
	}
}

// sync notes that the ledger could not be signed. What cannot be written to it does not leave.
func (n *node) sync(err error) {
	if err != nil {
		n.note("the ledger: %v", err)
	}
}

// hear notes that a party was heard.
func (n *node) hear(party string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.heard[party] = time.Now()
}

// silent reports whether a party was not heard for too long, since a time.
func (n *node) silent(party string, since time.Time) bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	last := n.heard[party]
	if last.Before(since) {
		last = since
	}
	return time.Since(last) >= missedAfter
}

// packet takes a packet that the carrier has brought; from is whose subject it came on, which proves nothing
// where the carrier is not ours.
func (n *node) packet(from string, packet []byte) {
	t, ok := n.receive(from, packet)
	if !ok {
		return
	}
	e := controlEvent{from: t.from}
	var message any = &e.status
	if t.from == n.id.Project.Server {
		e.beat = &beat{}
		message = e.beat
	}
	if !strictly(t.text, message) || wellFormed(message) != nil {
		n.warn(refuse(CodeProtocol, "refused a control message of %s: it has another form", t.from))
		return
	}
	n.hear(t.from)
	n.events <- e
}

// strictly reads JSON that has no other fields than a message. It reports whether the text is such.
func strictly(text []byte, message any) bool {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(message) == nil
}

// receive hands packets of the run to its link, takes those by which processes meet, and returns the text of
// a message to this party. It reports whether there is one.
func (n *node) receive(from string, packet []byte) (told, bool) {
	n.counts.got.Add(1)
	n.counts.gotBytes.Add(uint64(len(packet)))
	if _, ok := transport.IsPacket(packet); ok {
		if l := n.active.Load(); l != nil {
			if sender, ok := l.Deliver(packet); ok && sender != "" {
				n.hear(sender)
			}
		}
		return told{}, false
	}
	t, err := n.secrets.take(from, packet)
	if t.answer != nil {
		n.events <- answerEvent{t.from, t.answer}
	}
	if err != nil {
		if !errors.Is(err, errOtherKey) { // a process was started again
			n.counts.refused.Add(1)
			if n.mayWarn() {
				n.warn(packetError(from, err))
			}
		}
		return told{}, false
	}
	switch {
	case t.other != nil:
		n.events <- otherEvent{t.from, *t.other}
	case t.asking != nil:
		n.events <- askEvent{t.asking}
	case t.met:
		n.events <- backEvent{}
	}
	if n.overhears != nil && t.text != nil {
		n.overhears(t.text)
	}
	return t, t.text != nil
}

// Lines of the log on packets that are refused: many at once, and then one a second, however many are sent.
const (
	warnMost  = 50
	warnEvery = time.Second
)

// mayWarn reports whether one more refused packet is worth a line.
func (n *node) mayWarn() bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	now := time.Now()
	if full := now.Add(-warnMost * warnEvery); n.warned.Before(full) {
		n.warned = full
	}
	if n.warned = n.warned.Add(warnEvery); n.warned.After(now) {
		n.warned = n.warned.Add(-warnEvery)
		return false
	}
	return true
}

// packetError is why a packet is refused that came as from a party.
func packetError(from string, why error) error {
	var refused *identity.RefusedError
	if errors.As(why, &refused) {
		return refused
	}
	if errors.Is(why, errTwice) {
		return coded(diag.AlreadyJoined,
			"another process of %s has joined: the packets of the earlier one, which still runs, are "+
				"refused; end one of the two", from)
	}
	return coded(diag.PacketRefused, "refused a packet that came as from %s: %v", from, why)
}

// coded is an error with a code.
func coded(code diag.Code, format string, args ...any) error {
	return data.Coded(code, format, args...)
}

// A conveyor brings packets to other parties: package carrier has those of runs.
type conveyor interface {
	Publish(to string, packet []byte) error
	MaxPayload() int                 // the largest packet
	RTT() (time.Duration, error)     // of a round trip to the server
	Probe(ctx context.Context) error // why there is no connection; nil where there is one
	Where() string                   // the address that is listened on, or connected to
	Close()
}

func (n *node) carry() error {
	if err := n.show(); err != nil {
		return err
	}
	return n.carryTo(carrier.Handlers{Packet: n.packet, Back: func() {
		n.events <- backEvent{}
	}, Notice: func(text string) { n.note("%s", text) }, Refuse: n.warn})
}

func (n *node) carryTo(e carrier.Handlers) (err error) {
	switch {
	case n.connect != nil:
		n.carrier, err = n.connect(n.id, e)
	case n.NATS.URL != "":
		n.carrier, err = carrier.Attach(n.id, n.NATS, e)
	case n.id.Party == n.id.Project.Server:
		n.carrier, err = carrier.Serve(n.id, n.Listen, e)
	default:
		n.carrier, err = carrier.Join(n.id, e)
	}
	n.carrier = counted{n.carrier, &n.counts}
	return err
}

// a lost one is asked for again
func (n *node) answerTo(e answerEvent) { _ = n.carrier.Publish(e.to, e.packet) }

// tell encrypts a message and sends it. A message that is lost is repeated with the next beat.
func (n *node) tell(to string, message any) error {
	if most := n.carrier.MaxPayload(); most < transport.MinPacket {
		n.warn(coded(diag.PayloadTooSmall,
			"%s takes packets of %d bytes, and a run needs %d: raise max_payload there", n.carrier.Where(),
			most, transport.MinPacket))
	}
	if n.alters != nil {
		message = n.alters(to, message)
	}
	err := wellFormed(message)
	if err != nil {
		return err
	}
	text, err := json.Marshal(message)
	if err == nil {
		err = fitsControl(text, n.carrier.MaxPayload())
	}
	if err != nil {
		return err
	}
	_ = n.carrier.Publish(to, n.secrets.packet(to, text))
	return nil
}

// answer does the work of a stage in a goroutine of its own, so that beats go on.
func (n *node) answer(epoch uint32, stage int, work func() (any, error)) {
	n.working = true
	go func() {
		reply, err := work()
		n.events <- stageEvent{epoch, stage, reply, err}
	}()
}

// fit starts the party's part of the epoch.
func (n *node) fit(ctx context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	epoch, link := n.part.epoch, n.part.link
	ended := make(chan struct{})
	n.cancel = func(err error) {
		link.End(err) // before the fit sees the end of its context, and tells its peers of it
		cancel(err)
		<-ended
	}
	go func() {
		r, err := n.part.run(ctx)
		close(ended) // before there is room for the event: who waits for the end takes no events
		n.events <- runEvent{epoch, r, err}
	}()
}

// halt ends the party's part of an epoch.
func (n *node) halt(why error) {
	if n.cancel != nil {
		n.cancel(why)
		n.cancel = nil
	}
	if l := n.active.Swap(nil); l != nil {
		l.End(why)
	}
}

var errEpoch = errors.New("the run begins again where all parties have saved it")

// passing reports whether an error of a fit is one after which the run can go on: a peer has gone, and not
// failed.
func passing(err error) bool {
	var peer *session.PeerError
	var closed *transport.ClosedError
	if errors.As(err, &peer) {
		return peer.Code == session.EndCancelled || peer.Code == session.EndLost
	}
	return errors.As(err, &closed) || errors.Is(err, errEpoch) || errors.Is(err, context.Canceled)
}

// asked reports whether vflc stop was called.
func (n *node) asked() bool {
	text, err := os.ReadFile(filepath.Join(n.Dir, posterior.SessionDir, StopFile))
	return err == nil && string(text) == strconv.Itoa(os.Getpid())
}

// remember keeps that an epoch has begun.
func (n *node) remember(run string, epoch uint32, a *announcement) error {
	n.memory.Run, n.memory.Epoch, n.memory.Announce = run, epoch, a
	return n.memory.write(n.Dir)
}

// finish notes that no party needs this one's states any more.
func (n *node) finish() error {
	if err := n.book.End(ledger.Complete); err != nil {
		return err
	}
	n.memory.Complete = true
	return n.memory.write(n.Dir)
}

// deliver shows a result: that of this process, or nil where an earlier one has saved it.
func (n *node) deliver(r Outcome) error {
	if r == nil {
		return &fit.CompleteError{Dir: n.Dir}
	}
	return r.Deliver()
}
