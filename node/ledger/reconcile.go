package ledger

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/runtime/session"
)

// A Report is what the ledgers of a run agree on.
type Report struct {
	Run      string   `json:"run"`
	Parties  []string `json:"parties"`            // whose ledgers were read
	Missing  []string `json:"missing,omitempty"`  // parties of the run whose ledgers were not
	Epochs   int      `json:"epochs"`             // begun
	Messages int      `json:"messages"`           // that one or two of the ledgers hold
	Both     int      `json:"both"`               // those that stand alike in the ledgers of sender and receiver
	Lost     int      `json:"lost,omitempty"`     // sent in an epoch that was broken off, and not received
	Bytes    int64    `json:"bytes"`              // of the numbers of all messages
	Unclosed []string `json:"unclosed,omitempty"` // parties whose last epoch is not complete
}

// Find lists the ledgers in the folder of a run.
func Find(dir string) []string {
	out, _ := filepath.Glob(filepath.Join(dir, runs.LedgerDir, "*"+fileEnd)) // the pattern is well formed
	return out
}

// A side is what a ledger says of one direction in one epoch.
type side struct {
	file  *File
	lines []int // of f.Entries
}

type direction struct {
	epoch    uint32
	from, to string
}

// reconciling compares ledgers.
type reconciling struct {
	report  *Report
	diags   diag.List
	sent    map[direction]*side
	got     map[direction]*side
	scripts map[string]*scripted // by epoch and client
	closed  map[uint32]map[string]bool
}

// A scripted is the script of a client in an epoch, as the first ledger has it.
type scripted struct {
	file  *File
	line  int
	forms []session.Form
}

// Reconcile compares the ledgers of the parties of one run with one another and each with the script of its session. The list holds the first difference of each kind of
// failure, by name; the report counts what agrees.
func Reconcile(paths []string) (*Report, diag.List, error) {
	r := &reconciling{report: &Report{}, sent: map[direction]*side{}, got: map[direction]*side{}, scripts: map[string]*scripted{}, closed: map[uint32]map[string]bool{}}
	var files []*File
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

func (r *reconciling) differ(code diag.Code, f *File, line int, format string, args ...any) *diag.Diagnostic {
	d := r.diags.Errorf(code, nil, source.Span{}, format, args...)
	d.Data = f.at(line)
	return d
}

// read sorts the lines of a ledger, and compares them with the script.
func (r *reconciling) read(f *File) (names []string) {
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
				r.differ(diag.LedgersDiffer, f, k+1, "this ledger is of run %s, the others of run %s", open.Run, r.report.Run)
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
		case open == nil:
			r.differ(diag.LedgersDiffer, f, k+1, "the ledger of %s has a message outside of every epoch", f.Party)
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
	if n := len(f.Entries); n == 0 || f.Entries[n-1].Closed != Complete {
		r.report.Unclosed = append(r.report.Unclosed, f.Party)
	}
	return names
}

// agreed compares the scripts of an opening with those of the other ledgers.
func (r *reconciling) agreed(f *File, line int, o *Opening) bool {
	for _, client := range o.Names[1:] {
		var own []session.Form
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
			r.differ(diag.LedgersDiffer, f, line, "epoch %d: the script of the session between %s and %s is another than at %s", o.Epoch, o.Names[0], client, other.file.Party).
				Note("the other ledger: %s", other.file.at(other.line))
			return false
		}
	}
	return true
}

// scripted reports whether a message is one that the script has.
func (r *reconciling) scripted(f *File, k int, o *Opening) bool {
	e := f.Entries[k]
	if e.Kind == session.Ending && len(e.Channels) == 0 {
		return true
	}
	client, up := e.To, false
	if o.Party != o.Names[0] {
		client, up = o.Party, e.To != ""
	} else if e.From != "" {
		client, up = e.From, true
	}
	for _, c := range e.Channels {
		fits := func(form session.Form) bool {
			return form.Client == client && form.Up == up && form.Kind == e.Kind && form.Channel == c.Name && form.Fits(c.Numbers)
		}
		if !slices.ContainsFunc(o.Script, fits) {
			r.differ(diag.LedgerOffScript, f, k+1, "%s has the channel %q with %d numbers, and the script of the session has none such", f.what(k), c.Name, c.Numbers)
			return false
		}
	}
	if len(e.Channels) == 0 {
		r.differ(diag.LedgerOffScript, f, k+1, "%s has no channel, and the script of the session has none such", f.what(k))
		return false
	}
	return true
}

// what names a message.
func (f *File) what(k int) string {
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
			for _, k := range s.lines {
				r.report.Bytes += int64(s.file.Entries[k].Bytes)
			}
		}
	}
	order := func(a, b direction) int {
		return strings.Compare(fmt.Sprintf("%9d %s %s", a.epoch, a.from, a.to), fmt.Sprintf("%9d %s %s", b.epoch, b.from, b.to))
	}
	var directions []direction
	for d := range all {
		directions = append(directions, d)
	}
	slices.SortFunc(directions, order)
	for _, d := range directions {
		if slices.Contains(r.report.Parties, d.from) && slices.Contains(r.report.Parties, d.to) && !r.same(d) {
			return
		}
	}
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
			r.differ(diag.LedgersDiffer, got.file, k+1, "epoch %d: %s is not in the ledger of %s", d.epoch, got.file.what(k), d.from)
			return false
		}
		b := sent.file.Entries[sent.lines[i]]
		x, y := a.Message, b.Message
		x.From, y.To = "", ""
		if what := different(x, y); what != "" {
			r.differ(diag.LedgersDiffer, got.file, k+1, "epoch %d: %s: the ledger of %s has another %s", d.epoch, got.file.what(k), d.from, what).
				Note("there it is %s", sent.file.at(sent.lines[i]+1))
			return false
		}
	}
	r.report.Both += len(got.lines)
	if left := len(sent.lines) - len(got.lines); left > 0 {
		if r.closed[d.epoch][d.from] && r.closed[d.epoch][d.to] {
			k := sent.lines[len(got.lines)]
			r.differ(diag.LedgersDiffer, sent.file, k+1, "epoch %d: %s is not in the ledger of %s, which has completed this epoch", d.epoch, sent.file.what(k), d.to)
			return false
		}
		r.report.Lost += left
	}
	return true
}

// different names the first difference of two messages, "" where there is none.
func different(a, b Message) string {
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

// Print writes the report as sentences.
func (p *Report) Print(w io.Writer) error {
	var b strings.Builder
	short := p.Run[:min(12, len(p.Run))]
	fmt.Fprintf(&b, "\nLedgers of run %s…: %s. %s messages with %s bytes of numbers, in %d epochs, are as the script of the session has them", short, strings.Join(p.Parties, ", "), grouped.Digits(p.Messages), grouped.Digits(int(p.Bytes)), p.Epochs)
	switch {
	case p.Both == p.Messages:
		b.WriteString(", and alike in the ledgers of sender and receiver.\n")
	default:
		fmt.Fprintf(&b, "; %s of them are alike in the ledgers of sender and receiver.\n", grouped.Digits(p.Both))
	}
	if len(p.Missing) > 0 {
		fmt.Fprintf(&b, "No ledger was given of %s: copy theirs, with the signature beside it, into the folder %s of the run.\n", strings.Join(p.Missing, ", "), runs.LedgerDir)
	}
	if p.Lost > 0 {
		fmt.Fprintf(&b, "%s messages were sent and did not arrive, in epochs that were broken off.\n", grouped.Digits(p.Lost))
	}
	if len(p.Unclosed) > 0 {
		fmt.Fprintf(&b, "The run is not complete at %s.\n", strings.Join(p.Unclosed, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
