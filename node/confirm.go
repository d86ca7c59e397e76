package node

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/policy"
)

// A client without a policy takes part in what its owner has seen and confirmed alone. Terms are what that
// is: they fix the programs and the settings of a run, and with the version of vflc all that crosses and the
// verdict on it.

// ConfirmedFile is the file in the folder with a party's keys that holds what its owner has confirmed.
const ConfirmedFile = "confirmed.json"

// terms are a run that was confirmed, or is asked for.
type terms struct {
	At       time.Time         `json:"at"`
	Model    string            `json:"model"`
	Manifest string            `json:"manifest"` // SHA-256, which fixes the digests of all programs
	Program  string            `json:"program"`  // SHA-256 of the party's own
	Version  string            `json:"vflc"`
	Backend  string            `json:"backend"`
	Settings map[string]string `json:"settings"`
	Key      string            `json:"key"`
	Task     Task              `json:"task"`
	Parties  []string          `json:"parties"`
	Verdict  []string          `json:"verdict"` // as the owner has read it
}

func (p *participant) terms(a announcement) terms {
	t := terms{
		Model: a.Model, Manifest: p.digest, Version: fit.Version(), Backend: a.Backend, Settings: a.Settings,
		Key: a.Key, Task: a.Task, Parties: p.names(),
		Program: split.Digest(p.program.Text),
	}
	if p.manifest.Run != nil {
		t.Verdict = p.manifest.Run.Verdict
	}
	t.Task.Fold.Fold, t.Task.Seed = 0, 0 // all folds are alike
	return t
}

// differ lists in what a run differs from one that was confirmed.
func (t *terms) differ(confirmed *terms) (out []string) {
	other := func(what, now, then string) {
		if now != then {
			out = append(out, fmt.Sprintf("%s %s, and %s was confirmed", what, orNone(now), orNone(then)))
		}
	}
	whole := func(what, now, then string) { // digests, of which the beginning is shown
		if now != then {
			other(what, short(now),
				short(then)+map[bool]string{true: ", which goes on otherwise,"}[short(now) == short(then)])
		}
	}
	whole("the manifest is", t.Manifest, confirmed.Manifest)
	whole("the party's program is", t.Program, confirmed.Program)
	other("vflc is", t.Version, confirmed.Version)
	other("the backend is", t.Backend, confirmed.Backend)
	other("rows are joined on", t.Key, confirmed.Key)
	other("the task is", t.Task.String(), confirmed.Task.String())
	if len(out) == 0 && t.Task != confirmed.Task {
		out = append(out, "the task differs in --use-draws or --cv")
	}
	other("the parties are", strings.Join(t.Parties, ", "), strings.Join(confirmed.Parties, ", "))
	for _, name := range slices.Sorted(keysOf(t.Settings, confirmed.Settings)) {
		other("--"+name+" is", t.Settings[name], confirmed.Settings[name])
	}
	return out
}

func orNone(text string) string {
	if text == "" {
		return "not set"
	}
	return text
}

func keysOf(maps ...map[string]string) func(func(string) bool) {
	all := map[string]bool{}
	for _, m := range maps {
		for name := range m {
			all[name] = true
		}
	}
	return func(yield func(string) bool) {
		for name := range all {
			if !yield(name) {
				return
			}
		}
	}
}

func readConfirmed(dir string) (list []terms, err error) {
	_, err = safefile.ReadJSON(filepath.Join(dir, ConfirmedFile), &list)
	return list, err
}

// unconfirmed is the error where terms are not among those that were confirmed; it says in what the nearest
// differs. The time is that of the confirmation.
func (t *terms) unconfirmed(dir string) (at time.Time, err error) {
	list, err := readConfirmed(dir)
	if err != nil {
		return at, err
	}
	var nearest []string
	for k := range list {
		d := t.differ(&list[k])
		if len(d) == 0 {
			return list[k].At, nil
		}
		if list[k].Model == t.Model && (nearest == nil || len(d) <= len(nearest)) {
			nearest = d
		}
	}
	if nearest == nil {
		return at, coded(diag.NotConfirmed,
			"this party has no policy (%s), and its owner has not confirmed %s of %s: vflc preflight with "+
				"the arguments of vflc join shows what leaves, and with --confirm confirms it",
			filepath.Join(dir, policy.FileName), t.Task, t.Model)
	}
	return at, coded(diag.NotConfirmed,
		"this party has no policy (%s), and its owner has confirmed another run of %s: %s; vflc preflight "+
			"with --confirm confirms this one", filepath.Join(dir, policy.FileName), t.Model,
		strings.Join(nearest, "; "))
}

// confirmed says whether a client without a policy takes part: in what its owner has confirmed. The server's
// owner has chosen the run.
func (p *participant) confirmed(a announcement) error {
	if p.id.Party == p.id.Project.Server {
		return nil
	}
	if a.Record {
		return forbidden(policy.Unwritten(filepath.Join(p.Identity,
			policy.FileName)).Program(policy.Proposal{Record: true}))
	}
	t := p.terms(a)
	_, err := t.unconfirmed(p.Identity)
	return refused(CodePolicy, nil, err)
}

// limits are the lines of the policy; those that hold where none is written.
func (p *participant) limits() *policy.Policy {
	if p.policy != nil {
		return p.policy
	}
	return policy.Unwritten(filepath.Join(p.Identity, policy.FileName))
}

// Pending is what the owner of a client can confirm: where it has no policy the run, and where an earlier run
// had ended since clients had not received the same, that it takes part again.
type Pending struct {
	dir      string
	announce announcement
	terms    []terms
}

// Also adds another task of the run that was announced: the predictions of a cross-validation. It
// returns the verdict on it.
func (p *Pending) Also(o PartyOptions) ([]string, error) {
	id, err := identity.Load(o.Identity)
	if err != nil {
		return nil, err
	}
	part, diags, err := (&node{PartyOptions: o, id: id, journal: quietJournal()}).readPrograms()
	if err := data.Failed(diags, err); err != nil {
		return nil, err
	}
	a := p.announce
	a.Task.Kind = o.Task.Kind
	t := part.terms(a)
	p.terms = append(p.terms, t)
	return t.Verdict, nil
}

// Known returns when all of it was confirmed, or an error that says what was not, or what ended an earlier
// run.
func (p *Pending) Known() (at time.Time, err error) {
	d, err := readDeparted(p.dir)
	if err == nil && d != nil {
		err = d.error()
	}
	if err != nil {
		return at, err
	}
	for k := range p.terms {
		if at, err = p.terms[k].unconfirmed(p.dir); err != nil {
			return at, err
		}
	}
	return at, nil
}

// Confirm keeps what was shown as confirmed, and lets the party take part again where an earlier run had
// ended since clients had not received the same.
func (p *Pending) Confirm() (path string, err error) {
	path = filepath.Join(p.dir, ConfirmedFile)
	return path, policy.OpenHistory(p.dir).Locked(func() error { return p.confirm(path) })
}

func (p *Pending) confirm(path string) error {
	if err := forgive(p.dir); err != nil || len(p.terms) == 0 {
		return err
	}
	list, err := readConfirmed(p.dir)
	if err != nil {
		return err
	}
	for _, t := range p.terms {
		if _, err := t.unconfirmed(p.dir); err != nil {
			t.At = time.Now().UTC().Truncate(time.Second)
			list = append(list, t)
		}
	}
	return safefile.WriteJSON(path, list)
}
