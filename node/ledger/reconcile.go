package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
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
	out, _ := filepath.Glob(filepath.Join(dir, posterior.LedgerDir, "*"+fileEnd)) // the pattern is well formed
	return out
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
