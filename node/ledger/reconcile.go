package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/runtime/session"
)

// A Reconciliation is what the ledgers of a run agree on.
type Reconciliation struct {
	// Verdict is what parties can compute in the run, as its manifest says: whoever has the manifest fills it
	// in.
	Verdict  []string `json:"verdict,omitempty"`
	Run      string   `json:"run"`
	Manifest string   `json:"manifest,omitempty"` // the SHA-256 of the one that the parties have agreed on
	Parties  []string `json:"parties"`            // whose ledgers were read
	Missing  []string `json:"missing,omitempty"`  // parties of the run whose ledgers were not
	Epochs   int      `json:"epochs"`             // begun
	Messages int      `json:"messages"`           // that one or two of the ledgers hold
	// those that stand alike in the ledgers of sender and receiver
	Both int `json:"both"`
	// Alike counts arrays that more than one client should have received alike and has, ByServer names
	// clients of which the ledger of the server alone says so.
	Alike    int      `json:"alike"`
	ByServer []string `json:"by_server,omitempty"`
	Lost     int      `json:"lost,omitempty"`     // sent in an epoch that was broken off, and not received
	Bytes    int64    `json:"bytes"`              // of the numbers of all messages
	Unclosed []string `json:"unclosed,omitempty"` // parties whose last epoch is not complete
	// Crossed tells what crossed, in the order of the script; what stands in two ledgers is counted once.
	Crossed   []Traffic           `json:"crossed"`
	Told      []Telling           `json:"told,omitempty"`
	Published []LoggedPublication `json:"published,omitempty"`
	// Decrypted is, by party, how many numbers that depend on its encrypted rows one other party has learned.
	Decrypted map[string]int `json:"decrypted,omitempty"`
	// Charged are, by party, what releases of its rows have cost.
	Charged map[string][]LoggedCharge `json:"charged,omitempty"`
	// Renewed are, by party, the keys that it has taken in the course of the run.
	Renewed map[string][]LoggedRenewal `json:"renewed,omitempty"`
}

// A Telling is what a party has told of rows before an epoch.
type Telling struct {
	Party string    `json:"party"`
	At    time.Time `json:"at"`
	Told
}

// Traffic is what one party has sent to another through one channel in one epoch.
type Traffic struct {
	Epoch    uint32 `json:"epoch"`
	From     string `json:"from"`
	To       string `json:"to"`
	Kind     string `json:"kind"`
	Channel  string `json:"channel"`
	Messages int    `json:"messages"`
	Numbers  int64  `json:"numbers"`
	Bytes    int64  `json:"bytes"`
	Masked   bool   `json:"masked"` // words of a masked sum, of which the receiver has the total alone
}

// A LoggedPublication is what a party has published after the run.
type LoggedPublication struct {
	Party string    `json:"party"`
	At    time.Time `json:"at"`
	Published
}

// Find lists the ledgers in the folder of a run.
func Find(dir string) []string {
	out, _ := filepath.Glob(filepath.Join(dir, runs.LedgerDir, "*"+fileEnd)) // the pattern is well formed
	return out
}

// A side is what a ledger says of one direction in one epoch.
type side struct {
	file  *Ledger
	lines []int // of f.Entries
}

type direction struct {
	epoch    uint32
	from, to string
}

// reconciling compares ledgers.
type reconciling struct {
	report  *Reconciliation
	diags   diag.List
	sent    map[direction]*side
	got     map[direction]*side
	scripts map[string]*scripted // by epoch and client
	told    map[uint32]*Opening  // by epoch, of the client that was read first
	closed  map[uint32]map[string]bool
	server  string
}

// A scripted is the script of a client in an epoch, as the first ledger has it.
type scripted struct {
	file  *Ledger
	line  int
	forms []session.ChannelForm
}

// Reconcile compares the ledgers of the parties of one run with one another and each with the script of its
// session. The list holds the first difference of each kind of failure, by name; the report counts what
// agrees.
func Reconcile(paths []string) (*Reconciliation, diag.List, error) {
	r := &reconciling{report: &Reconciliation{}, sent: map[direction]*side{}, got: map[direction]*side{},
		scripts: map[string]*scripted{}, told: map[uint32]*Opening{}, closed: map[uint32]map[string]bool{}}
	var files []*Ledger
	for _, path := range paths {
		f, diags, err := Read(path)
		if err != nil {
			return nil, nil, err
		}
		r.diags = append(r.diags, diags...)
		files = append(files, f)
	}
	if r.diags.HasErrors() {
		return r.report, r.diags, nil
	}
	var names []string
	for _, f := range files {
		if names = append(names, r.read(f)...); r.diags.HasErrors() {
			return r.report, r.diags, nil
		}
	}
	for _, name := range names {
		if !slices.Contains(r.report.Parties, name) && !slices.Contains(r.report.Missing, name) {
			r.report.Missing = append(r.report.Missing, name)
		}
	}
	r.compare()
	return r.report, r.diags, nil
}

// Under compares the manifest in a file with the one that the parties of the run have agreed on.
func (r *Reconciliation) Under(path string, manifest []byte) (diags diag.List) {
	found := sha256.Sum256(manifest)
	if r.Manifest == hex.EncodeToString(found[:]) {
		return nil
	}
	text := "the ledgers of run %s name no manifest, so that nothing binds this one to the run"
	args := []any{r.Run}
	if r.Manifest != "" {
		text, args = "the SHA-256 of this manifest is %x, and the parties of run %s "+
			"have agreed on one with %s", []any{found, r.Run, r.Manifest}
	}
	d := diags.Errorf(diag.LedgerManifest, nil, source.Span{}, text, args...)
	d.Data = path
	d.Note("what parties can compute in a run is what its own manifest says: put that one there, or move " +
		"this one away to audit the ledgers alone")
	return diags
}

func (r *reconciling) differ(code diag.Code, f *Ledger, line int, format string,
	args ...any) *diag.Diagnostic {
	d := r.diags.Errorf(code, nil, source.Span{}, format, args...)
	d.Data = f.at(line)
	return d
}

// read sorts the lines of a ledger, and compares them with the script.
func (r *reconciling) read(f *Ledger) (names []string) {
	var open *Opening
	for k, e := range f.Entries {
		switch {
		case e.Open != nil:
			open = e.Open
			names = open.Names
			if r.report.Run == "" {
				r.report.Run = open.Run
			}
			if open.Run != r.report.Run {
				r.differ(diag.LedgersDiffer, f, k+1, "this ledger is of run %s, the others of run %s",
					open.Run, r.report.Run)
				return names
			}
			if r.report.Manifest == "" {
				r.report.Manifest = open.Manifest
			}
			if open.Manifest != "" && open.Manifest != r.report.Manifest {
				r.differ(diag.LedgersDiffer, f, k+1,
					"this epoch ran under the manifest with SHA-256 %s, another under %s", open.Manifest,
					r.report.Manifest)
				return names
			}
			if !r.agreed(f, k+1, open) {
				return names
			}
			r.report.Epochs = max(r.report.Epochs, int(open.Epoch))
		case e.Closed != "":
			if open != nil && e.Closed == Complete {
				if r.closed[open.Epoch] == nil {
					r.closed[open.Epoch] = map[string]bool{}
				}
				r.closed[open.Epoch][open.Party] = true
			}
			open = nil
		case e.Published != nil:
			r.report.Published = append(r.report.Published, LoggedPublication{f.Party, e.At, *e.Published})
		case e.Told != nil:
			r.report.Told = append(r.report.Told, Telling{f.Party, e.At, *e.Told})
		case e.Charged != nil:
			if r.report.Charged == nil {
				r.report.Charged = map[string][]LoggedCharge{}
			}
			r.report.Charged[f.Party] = append(r.report.Charged[f.Party], *e.Charged)
		case e.Renewed != nil:
			if r.report.Renewed == nil {
				r.report.Renewed = map[string][]LoggedRenewal{}
			}
			r.report.Renewed[f.Party] = append(r.report.Renewed[f.Party], *e.Renewed)
		case e.Decrypted != nil:
			if r.report.Decrypted == nil {
				r.report.Decrypted = map[string]int{}
			}
			r.report.Decrypted[f.Party] += e.Decrypted.Numbers
		case open == nil:
			r.differ(diag.LedgersDiffer, f, k+1, "the ledger of %s has a message outside of every epoch",
				f.Party)
			return names
		default:
			if !r.scripted(f, k, open) {
				return names
			}
			d, sides := direction{open.Epoch, e.From, open.Party}, r.got
			if e.To != "" {
				d, sides = direction{open.Epoch, open.Party, e.To}, r.sent
			}
			if sides[d] == nil {
				sides[d] = &side{file: f}
			}
			sides[d].lines = append(sides[d].lines, k)
		}
	}
	r.report.Parties = append(r.report.Parties, f.Party)
	if n := f.run(); n == 0 || f.Entries[n-1].Closed != Complete {
		r.report.Unclosed = append(r.report.Unclosed, f.Party)
	}
	return names
}

// run is the number of lines up to the last message or end of an epoch.
func (f *Ledger) run() int {
	n := len(f.Entries)
	after := func(e *LedgerEntry) bool { return e.Published != nil || e.Told != nil || e.Renewed != nil }
	for n > 0 && after(&f.Entries[n-1]) {
		n--
	}
	return n
}

// agreed compares an opening with those of the other ledgers: what was told before the epoch, and the
// scripts.
func (r *reconciling) agreed(f *Ledger, line int, o *Opening) bool {
	r.server = o.Names[0]
	if o.Party != o.Names[0] { // a server's own ledger does not say what it has told
		first, ok := r.told[o.Epoch]
		if !ok {
			r.told[o.Epoch] = o
		} else if first.Agreed != o.Agreed {
			r.differ(diag.UnlikeAnswers, f, line,
				"epoch %d: %s has told %s and %s unlike things before the first round, which all clients "+
					"should be told alike: settings, seed, rows, sizes, keys, sums, or where the run goes on",
				o.Epoch, o.Names[0], first.Party, o.Party)
			return false
		}
	}
	for _, client := range o.Names[1:] {
		var own []session.ChannelForm
		for _, form := range o.Script {
			if form.Client == client {
				own = append(own, form)
			}
		}
		if client != o.Party && o.Party != o.Names[0] {
			continue
		}
		key := fmt.Sprint(o.Epoch, " ", client)
		if other := r.scripts[key]; other == nil {
			r.scripts[key] = &scripted{f, line, own}
		} else if !slices.Equal(other.forms, own) {
			r.differ(diag.LedgersDiffer, f, line,
				"epoch %d: the script of the session between %s and %s is another than at %s", o.Epoch,
				o.Names[0], client, other.file.Party).
				Note("the other ledger: %s", other.file.at(other.line))
			return false
		}
	}
	return true
}

// scripted reports whether a message is one that the script has.
func (r *reconciling) scripted(f *Ledger, k int, o *Opening) bool {
	e := f.Entries[k]
	if e.Kind == session.Ending && e.Bytes == 0 {
		return true
	}
	client, up := e.To, false
	if o.Party != o.Names[0] {
		client, up = o.Party, e.To != ""
	} else if e.From != "" {
		client, up = e.From, true
	}
	for _, c := range e.Channels {
		fits := func(form session.ChannelForm) bool {
			return form.Client == client && form.Up == up && form.Kind == e.Kind && form.Channel == c.Name &&
				form.Fits(c.Numbers)
		}
		if !slices.ContainsFunc(o.Script, fits) {
			r.differ(diag.LedgerOffScript, f, k+1,
				"%s has the channel %q with %d numbers, and the script of the session has none such",
				f.what(k), c.Name, c.Numbers)
			return false
		}
	}
	if len(e.Channels) == 0 {
		r.differ(diag.LedgerOffScript, f, k+1,
			"%s has no channel, and the script of the session has none such", f.what(k))
		return false
	}
	return true
}

// what names a message.
func (f *Ledger) what(k int) string {
	e := f.Entries[k]
	from, to := f.Party, e.To
	if to == "" {
		from, to = e.From, f.Party
	}
	return fmt.Sprintf("message %q of round %d, chain %d, from %s to %s", e.Kind, e.Round, e.Chain, from, to)
}

// compare compares the two ends of every direction.
func (r *reconciling) compare() {
	all := map[direction]bool{}
	for d := range r.sent {
		all[d] = true
	}
	for d := range r.got {
		all[d] = true
	}
	for d := range all {
		sent, got := r.sent[d], r.got[d]
		for _, s := range []*side{sent, got} {
			if s == nil {
				continue
			}
			if s == got && sent != nil {
				break // counted at the sender
			}
			r.report.Messages += len(s.lines)
			r.count(d, s)
		}
	}
	slices.SortFunc(r.report.Crossed, func(a, b Traffic) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), strings.Compare(a.From, b.From),
			strings.Compare(a.To, b.To), strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.Channel, b.Channel))
	})
	order := func(a, b direction) int {
		return strings.Compare(fmt.Sprintf("%9d %s %s", a.epoch, a.from, a.to),
			fmt.Sprintf("%9d %s %s", b.epoch, b.from, b.to))
	}
	var directions []direction
	for d := range all {
		directions = append(directions, d)
	}
	slices.SortFunc(directions, order)
	if !r.alike(directions) {
		return
	}
	for _, d := range directions {
		if slices.Contains(r.report.Parties, d.from) && slices.Contains(r.report.Parties, d.to) &&
			!r.same(d) {
			return
		}
	}
}

// alike compares what the server has sent to its clients through the channels that all of them should have
// received alike, and what a client has sent for all others.
func (r *reconciling) alike(directions []direction) bool {
	type place struct {
		epoch, chain  uint32
		round         uint64
		kind, channel string
	}
	type seen struct {
		digest  string
		by      direction
		several bool // clients
	}
	first, unlike := map[place]*seen{}, 0
	var d *diag.Diagnostic
	client := func(d direction) string {
		if d.from == r.server {
			return d.to
		}
		return d.from
	}
	compare := func(way direction, s *side) {
		for _, k := range s.lines {
			e := s.file.Entries[k]
			for _, c := range e.Channels {
				if c.Digest == "" {
					continue
				}
				at := place{way.epoch, e.Chain, e.Round, e.Kind, c.Name}
				other, ok := first[at]
				switch {
				case !ok:
					first[at] = &seen{digest: c.Digest, by: way}
				case other.by == way:
				case other.digest == c.Digest:
					other.several = true
				default:
					if unlike++; d == nil {
						d = r.differ(diag.UnlikeAnswers, s.file, k+1,
							"epoch %d: %s has sent %s and %s unlike numbers in channel %q of message %q, "+
								"round %d, chain %d, which all clients should receive alike", way.epoch,
							r.server, client(other.by), client(way), c.Name, e.Kind, e.Round, e.Chain)
					}
				}
			}
		}
	}
	for _, way := range directions {
		own, other := r.got[way], r.sent[way]
		if way.from != r.server {
			own, other = other, own
		}
		switch { // what a client says counts, where it is there
		case own != nil:
			compare(way, own)
		case other != nil:
			compare(way, other)
			if way.from == r.server && !slices.Contains(r.report.ByServer, way.to) {
				r.report.ByServer = append(r.report.ByServer, way.to)
			}
		}
	}
	for _, at := range first {
		if at.several {
			r.report.Alike++
		}
	}
	if d == nil {
		return true
	}
	d.Note("%s of this run are unlike", counted(unlike, "array"))
	return false
}

// count adds the messages of one direction to what crossed.
func (r *reconciling) count(d direction, s *side) {
	at := map[[2]string]*Traffic{}
	for _, k := range s.lines {
		e := s.file.Entries[k]
		r.report.Bytes += int64(e.Bytes)
		for _, c := range e.Channels {
			key := [2]string{e.Kind, c.Name}
			if at[key] == nil {
				at[key] = &Traffic{Epoch: d.epoch, From: d.from, To: d.to, Kind: e.Kind, Channel: c.Name,
					Masked: r.masked(d, key)}
			}
			at[key].Messages++
			at[key].Numbers += int64(c.Numbers)
			at[key].Bytes += 8 * int64(c.Numbers)
		}
	}
	for _, c := range at {
		r.report.Crossed = append(r.report.Crossed, *c)
	}
}

// masked reports whether the script masks a channel.
func (r *reconciling) masked(d direction, key [2]string) bool {
	s := r.scripts[fmt.Sprint(d.epoch, " ", d.from)]
	return s != nil && slices.ContainsFunc(s.forms, func(f session.ChannelForm) bool {
		return f.Masked && f.Kind == key[0] && f.Channel == key[1]
	})
}

// same compares what one party says it has sent with what another says it got from it.
func (r *reconciling) same(d direction) bool {
	var none side
	sent, got := r.sent[d], r.got[d]
	if sent == nil {
		sent = &none
	}
	if got == nil {
		got = &none
	}
	for i, k := range got.lines {
		a := got.file.Entries[k]
		if i >= len(sent.lines) {
			r.differ(diag.LedgersDiffer, got.file, k+1, "epoch %d: %s is not in the ledger of %s", d.epoch,
				got.file.what(k), d.from)
			return false
		}
		b := sent.file.Entries[sent.lines[i]]
		x, y := a.LoggedMessage, b.LoggedMessage
		x.From, y.To = "", ""
		if what := different(x, y); what != "" {
			r.differ(diag.LedgersDiffer, got.file, k+1, "epoch %d: %s: the ledger of %s has another %s",
				d.epoch, got.file.what(k), d.from, what).
				Note("there it is %s", sent.file.at(sent.lines[i]+1))
			return false
		}
	}
	r.report.Both += len(got.lines)
	if left := len(sent.lines) - len(got.lines); left > 0 {
		if r.closed[d.epoch][d.from] && r.closed[d.epoch][d.to] {
			k := sent.lines[len(got.lines)]
			r.differ(diag.LedgersDiffer, sent.file, k+1,
				"epoch %d: %s is not in the ledger of %s, which has completed this epoch", d.epoch,
				sent.file.what(k), d.to)
			return false
		}
		r.report.Lost += left
	}
	return true
}

// different names the first difference of two messages, "" where there is none.
func different(a, b LoggedMessage) string {
	switch {
	case a.Chain != b.Chain:
		return "chain"
	case a.Round != b.Round:
		return "round"
	case a.Kind != b.Kind:
		return "kind of message"
	case !slices.Equal(a.Channels, b.Channels):
		return "list of channels"
	case a.Bytes != b.Bytes:
		return "number of bytes"
	case a.Digest != b.Digest:
		return "digest"
	}
	return ""
}

// total adds up what crossed over the epochs.
func (p *Reconciliation) total() (out []Traffic, epochs []int) {
	for _, c := range p.Crossed {
		at := slices.IndexFunc(out, func(o Traffic) bool {
			return o.From == c.From && o.To == c.To && o.Kind == c.Kind && o.Channel == c.Channel
		})
		if at < 0 {
			at, out, epochs = len(out),
				append(out, Traffic{From: c.From, To: c.To, Kind: c.Kind, Channel: c.Channel,
					Masked: c.Masked}), append(epochs, 0)
		}
		epochs[at]++
		out[at].Messages, out[at].Numbers, out[at].Bytes = out[at].Messages+c.Messages,
			out[at].Numbers+c.Numbers, out[at].Bytes+c.Bytes
	}
	return out, epochs
}

// Print writes the report: what crossed, over all epochs, and what the ledgers agree on.
func (p *Reconciliation) Print(w io.Writer) error {
	var b strings.Builder
	rows := [][]string{{"from", "to", "message", "channel", "messages", "numbers", "bytes", "masked"}}
	total, epochs := p.total()
	several := p.Epochs > 1
	if several {
		rows[0] = append(rows[0], "epochs")
	}
	for k, c := range total {
		masked := "no"
		if c.Masked {
			masked = "yes"
		}
		rows = append(rows, []string{c.From, c.To, c.Kind, c.Channel, grouped.Digits(c.Messages),
			grouped.Digits(int(c.Numbers)), grouped.Digits(int(c.Bytes)), masked})
		if several {
			rows[k+1] = append(rows[k+1], fmt.Sprint(epochs[k]))
		}
	}
	for k, line := range p.Verdict {
		b.WriteString(line + "\n")
		if k == len(p.Verdict)-1 {
			b.WriteString("\n")
		}
	}
	if p.Run == "" {
		b.WriteString("No run has begun: the ledgers are empty.\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "Run %s. Ledgers of %s.\n\n", p.Run, strings.Join(p.Parties, ", "))
	if len(total) == 0 {
		b.WriteString("Nothing crossed.\n")
	} else {
		p.printCompared(&b, rows)
	}
	p.printTold(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// printCompared writes what crossed, and how much of it ledgers agree on.
func (p *Reconciliation) printCompared(b *strings.Builder, rows [][]string) {
	b.WriteString(posterior.AlignLeft(rows))
	fmt.Fprintf(b, "\n%s with %s bytes of numbers, in %s, all as the script of the session has them.\n",
		counted(p.Messages, "message"), grouped.Digits(int(p.Bytes)), counted(p.Epochs, "epoch"))
	switch {
	case p.Both == p.Messages:
		b.WriteString("Each stands alike in the ledgers of sender and receiver.\n")
	case p.Both > 0:
		fmt.Fprintf(b, "%s of them stand alike in the ledgers of sender and receiver.\n",
			grouped.Digits(p.Both))
	default:
		b.WriteString("None was compared with the ledger of its other end.\n")
	}
	switch {
	case len(p.Parties)+len(p.Missing) < 3: // one client
	case p.Alike == 0:
		b.WriteString("Nothing was compared that several clients should have received alike: it takes the " +
			"ledgers of two, or the server's.\n")
	case len(p.ByServer) > 0:
		fmt.Fprintf(b,
			"%s that several clients should have received alike were sent alike; of what %s received the "+
				"ledger of the server alone tells.\n", counted(p.Alike, "array"),
			strings.Join(p.ByServer, ", "))
	default:
		fmt.Fprintf(b, "%s that several clients should have received alike were alike at each of them.\n",
			counted(p.Alike, "array"))
	}
}

// printTold writes what is missing, what parties have told of their rows, and what it has cost them.
func (p *Reconciliation) printTold(b *strings.Builder) {
	if len(p.Missing) > 0 {
		fmt.Fprintf(b,
			"No ledger was given of %s: copy theirs, with the signature beside it, into the "+
				"folder %s of the run.\n", strings.Join(p.Missing, ", "), runs.LedgerDir)
	}
	if p.Lost > 0 {
		fmt.Fprintf(b, "%s of those sent did not arrive, in epochs that were broken off.\n",
			grouped.Digits(p.Lost))
	}
	if len(p.Unclosed) > 0 {
		fmt.Fprintf(b, "The run is not complete at %s.\n", strings.Join(p.Unclosed, ", "))
	}
	said := map[string]bool{}
	for _, t := range p.Told {
		line := fmt.Sprintf("%s told %s %s.\n", t.Party, t.To, t.What)
		switch {
		case t.What == Folds:
			line = fmt.Sprintf("%s told %s %s (%s).\n", t.Party, t.To, t.What, grouped.Count(t.Rows, "row"))
		case t.Size != "":
			line = fmt.Sprintf("%s told %s %s: %s of %s (%s).\n", t.Party, t.To, t.What,
				grouped.Digits(t.Left), grouped.Digits(t.Rows), t.Size)
		}
		if !said[line] {
			b.WriteString(line)
		}
		said[line] = true
	}
	for _, party := range slices.Sorted(maps.Keys(p.Renewed)) {
		for _, k := range p.Renewed[party] {
			fmt.Fprintf(b, "%s has renewed its key: %s before, %s since.\n", party, k.Before, k.Now)
		}
	}
	for _, party := range slices.Sorted(maps.Keys(p.Charged)) {
		for _, c := range p.Charged[party] {
			b.WriteString(Costs(party, c) + ".\n")
		}
	}
	for _, party := range slices.Sorted(maps.Keys(p.Decrypted)) {
		fmt.Fprintf(b, "Of the encrypted rows of %s one other party learned %s that depend on them.\n",
			party, counted(p.Decrypted[party], "number"))
	}
	for _, u := range p.Published {
		fmt.Fprintf(b, "%s published %s of %s on %s, in a file of %s bytes with SHA-256 %s.\n", u.Party,
			u.What, strings.Join(u.Parameters, ", "), u.At.Format(time.DateOnly), grouped.Digits(u.Bytes),
			u.SHA256)
	}
}

// counted is a number with what it counts.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped.Digits(n) + " " + what + "s"
}
