package fit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib/def"
)

// sizes are the columns that the parties encrypt, the rows, and what the likelihood makes known; no columns
// where the protocol says why there can be none.
func sizes(blocks []density.Block) (columns []int, rows int, of protocol.LikelihoodNumbers) {
	for _, b := range blocks {
		lin, err := density.Linearised(b)
		if err != nil || b.Index() == 0 && len(lin.Rows) != 1 {
			return nil, 0, of
		}
		if columns = append(columns, len(lin.Index)+len(lin.Globals.Index)); b.Index() > 0 {
			continue
		}
		rows = len(lin.Rows[0].Offset)
		if law, err := b.(*model.Party).Law(); err != nil {
			return nil, 0, of
		} else if of, err = protocol.LikelihoodOf(law, len(lin.Globals.Index) > 0); err != nil {
			return nil, 0, of
		}
	}
	return columns, rows, of
}

// BoundLikelihood is at least what the likelihood of programs makes known, before anything is bound to them.
func BoundLikelihood(p *compile.Bundle) protocol.LikelihoodNumbers {
	dist, scale := p.Received()
	return protocol.LikelihoodNumbers{Response: true, Binary: dist != nil && dist.Support == def.ZeroOne,
		Scale: scale}
}

// mayEncrypt reports what a run of encrypted rows cannot do, before it begins.
func (p *Prepared) mayEncrypt() (list diag.List, err error) {
	if !p.Settings.Plan.Encrypted {
		return nil, nil
	}
	for _, g := range p.Plan.Groups {
		if len(g.Quantities) > 0 {
			list.Errorf(diag.NotEncrypted, nil, source.Span{},
				"generated quantities of the server read the sum %s, and nobody knows a row of it", g.Name).
				Note("generate them at the clients, or use another wire")
			return list, nil
		}
	}
	if p.apart != nil {
		return nil, nil // what the others have is known when the parties have met
	}
	env, err := session.NewLocal(p.Plan, session.SimulatedKeys(p.options.Seed, p.Plan.Names))
	if err != nil {
		return nil, err
	}
	columns, rows, of := sizes(env.Blocks())
	if columns == nil {
		return nil, nil
	}
	t, most, err := p.terms(columns, rows, of)
	if err == nil && t.Usual > t.Budget {
		return p.tooFew(&protocol.BudgetError{Next: t.Usual, Rows: rows, Budget: t.Budget}).Diagnostics(), nil
	}
	p.mayEnd(t, most)
	return nil, err
}

// mayEnd says where a run may need more than one party may learn, which it does not need usually.
func (p *Prepared) mayEnd(t protocol.Agreement, most int) {
	if t.Usual <= t.Budget && most > t.Budget {
		p.options.Progress.Message(fmt.Sprintf("encrypted rows: one party will learn about D = %d numbers "+
			"that depend on the others' rows, and at most %d; a fit that needs more than %d ends "+
			"before it decrypts them",
			t.Usual, most, t.Budget))
	}
}

// mayLearn is how many numbers of others' rows one party may learn.
func (p *Prepared) mayLearn(rows int) (int, error) {
	switch {
	case p.apart == nil && p.Accepted().Code(diag.TooFewRows):
		return protocol.Unlimited, nil
	case p.apart == nil || p.apart.Decrypts == nil:
		return rows / density.RowsPerNumber, nil
	}
	return p.apart.Decrypts(rows)
}

// Foreseen is how many numbers that depend on rows of a party another will learn, in a usual run and at most,
// by the columns of all; of −1: that depend on rows of any other.
func Foreseen(uses []density.Use, columns []int, of int) (usual, most int) {
	for k := range columns {
		if k == of {
			continue
		}
		in := make([]bool, len(columns))
		in[k] = true
		usually, mostly := density.Opened(uses, columns, in)
		usual, most = max(usual, usually), max(most, mostly)
	}
	return usual, most
}

// leastCell is how few rows a combination of a party's columns may be about: as few as a category may have.
const leastCell = 5

// least is that unless somebody accepts fewer; 0: one.
func (p *Prepared) least() int {
	switch {
	case p.apart != nil:
		return max(leastCell, p.apart.MinCell)
	case p.Accepted().Code(diag.AloneRows):
		return 0
	}
	return leastCell
}

// encrypted is the Env of a run: over encrypted rows where the settings ask for that.
func (p *Prepared) encrypted(ctx context.Context, env density.Env) (density.Env, error) {
	if !p.Settings.Plan.Encrypted {
		return env, nil
	}
	what := "one process derives for all of them"
	if p.apart != nil {
		what = "each derives for itself"
	}
	p.options.Progress.Message(fmt.Sprintf("encrypted rows: keys for %d parties, %s", len(p.Plan.Names),
		what))
	keys, err := p.pairKeys()
	if err != nil {
		return nil, err
	}
	if err := p.openJournal(); err != nil {
		return nil, err
	}
	if p.options.ring == 0 && os.Getenv("GOGC") == "" {
		p.collecting = debug.SetGCPercent(collecting)
	}
	o := protocol.Options{Terms: p.termsApart, Insecure: p.options.ring, Pair: keys.Pairs(p.Plan),
		Journal: p.journal, Least: p.least(), Given: p.Algorithm.Gives == backends.Approximation}
	if p.apart != nil {
		o.Spend = p.apart.Decrypt
	}
	p.rows, err = protocol.New(ctx, env, len(p.Plan.Names), o)
	if err != nil {
		return nil, err
	}
	if p.journal != nil {
		evaluation, _ := p.rows.Bytes()
		p.options.Progress.Message(fmt.Sprintf("encrypted rows: what a party makes with its keys is "+
			"written down until the run is complete: %s so far, %s an evaluation, and at "+
			"most %s of log likelihoods",
			posterior.Bytes(p.journal.Size()/int64(len(env.Blocks()))), posterior.Bytes(evaluation),
			posterior.Bytes(protocol.LogLikBytes)))
	}
	return p.rows, nil
}

// inTurn runs chains over encrypted rows: they share a key and D, and make their steps in turn.
func (m *sampling) inTurn(ctx context.Context, stop <-chan struct{}, chains []*chain) error {
	err := m.beside(ctx, 1, func(ctx context.Context, side *session.Chains) error {
		return side.Each(ctx, func(ctx context.Context, _ int) error {
			m.watch(side.Envs[0], chains[0])
			env, err := m.encrypted(ctx, side.Envs[0])
			if err != nil {
				return err
			}
			return m.turns(ctx, stop, env, chains)
		})
	})
	return m.closeJournal(err)
}

// turns has each chain make a step in turn, until all are done or the run is stopped.
func (m *sampling) turns(ctx context.Context, stop <-chan struct{}, env density.Env, chains []*chain) error {
	var walks []*walk
	for _, c := range chains {
		w, err := m.ready(ctx, env, c)
		if err != nil {
			return err
		}
		walks = append(walks, w)
	}
	left := func(w *walk) bool { return !w.info.Done }
	for slices.ContainsFunc(walks, left) && !stopped(stop) {
		for _, w := range walks {
			if !left(w) {
				continue
			}
			if err := m.advance(ctx, w); err != nil {
				return err
			}
		}
	}
	for k, w := range walks {
		if w.chain.work = *env.Work(); k > 0 { // the Env counts that of all
			w.chain.work = density.Work{}
		}
		if err := m.rest(w); err != nil {
			return err
		}
	}
	return nil
}

// collecting is how much garbage may be there, in percent of what is in use, before it is collected in a run
// of encrypted rows. Ciphertexts of megabytes come and go, without pointers, so that to collect them often
// costs a twelfth more time and saves a third of the memory. GOGC in the environment takes precedence.
const collecting = 25

// closeJournal closes the journal of a run that has ended, and makes diagnostics of what encrypted rows do
// not allow.
func (p *Prepared) closeJournal(err error) error {
	if p.collecting != 0 {
		debug.SetGCPercent(p.collecting)
		p.collecting = 0
	}
	if p.journal != nil {
		err = errors.Join(err, p.journal.Close())
	}
	return p.refusedRows(err)
}

// terms are what the run may decrypt, by the columns of all parties, and how many numbers one party learns at
// most.
func (p *Prepared) terms(columns []int, rows int, of protocol.LikelihoodNumbers) (t protocol.Agreement,
	most int,
	err error) {
	all := 0
	for _, c := range columns {
		all += c
	}
	t.Openings = spare
	for _, u := range p.Algorithm.Exchanges(p.Settings) {
		switch u.Exchange {
		case density.EncryptedSlopes:
			if u.Openings[0].Sums != density.OwnGradients {
				continue
			}
			t.Openings += keyed(u) * all
		case density.EncryptedLogLik:
			t.Openings += keyed(u)
		case density.EncryptedCurvatures:
			t.Openings += keyed(u) * all * (all + 1) / 2
		}
	}
	t.Usual, most = Foreseen(of.Opens(p.Algorithm.Exchanges(p.Settings)), columns, -1)
	t.Budget, err = p.mayLearn(rows)
	return t, most, err
}

// termsApart are terms where the parties have met.
func (p *Prepared) termsApart(columns []int, rows int, of protocol.LikelihoodNumbers) (protocol.Agreement,
	error) {
	t, most, err := p.terms(columns, rows, of)
	if p.apart != nil {
		p.mayEnd(t, most)
	}
	return t, err
}

// keyed is for how many uses of an exchange there is a key: the more, the more noise covers each sum.
func keyed(u density.Use) int { return min(u.MostTimes, mostKeyed*u.Times) }

// spare is how many sums a key is for beside, with the proof of a binary response: short runs vary more.
const spare = 2000

// mostKeyed is how many times the usual number that is at most.
const mostKeyed = 8

// pairKeys are the keys of this process, with which clients seal shares for one another.
func (p *Prepared) pairKeys() (session.Keys, error) {
	if p.apart != nil {
		return p.apart.Keys, nil
	}
	return session.SimulatedKeys(p.options.Seed, p.Plan.Names).WithMasks(p.Plan)
}

// openJournal opens what the run writes down, where it has a folder.
func (p *Prepared) openJournal() (err error) {
	if p.options.Dir == "" {
		return nil
	}
	p.journal, err = protocol.OpenJournal(filepath.Join(p.options.Dir, posterior.JournalFile))
	if err == nil && p.options.Resume {
		p.options.Progress.Message(fmt.Sprintf("encrypted rows: the run is made again with the %s that "+
			"were written down, and goes on there", grouped.Count(p.journal.Entries(), "step")))
	}
	return err
}

// refusedRows makes diagnostics of what encrypted rows do not allow.
func (p *Prepared) refusedRows(err error) error {
	var refusal *polynomial.Refusal
	var budget *protocol.BudgetError
	var noise *protocol.NoiseError
	var beyond *protocol.RangeError
	var alone *protocol.LeverageError
	switch {
	case errors.As(err, &refusal):
		return &backends.Refusal{Code: diag.NotEncrypted, Err: errors.New(refusal.Reason),
			Out: refusal.WayOut}
	case errors.As(err, &alone):
		return &backends.Refusal{Code: diag.AloneRows, Err: alone,
			Out: "merge small categories, cap a column that few rows dominate, and leave out one that " +
				"differs from others in few rows" + p.simulated()}
	case errors.As(err, &budget):
		return p.tooFew(budget)
	case errors.Is(err, encrypted.ErrOpenings):
		return &backends.Refusal{Code: diag.TooFewRows,
			Err: fmt.Errorf("the run takes more than %d times the evaluations that are usual, and its "+
				"key is not for more sums", mostKeyed),
			Out: "a smaller --max-depth, or fewer --chains, --warmup and --draws"}
	case errors.As(err, &noise):
		return &backends.Refusal{Code: diag.NotEncrypted, Err: noise, Out: protocol.NoiseWayOut}
	case errors.As(err, &beyond):
		return &backends.Refusal{Code: diag.NotEncrypted, Err: errors.New(beyond.Reason), Out: beyond.WayOut}
	}
	return err
}

// tooFew is the refusal of a run that would decrypt too much.
func (p *Prepared) tooFew(e *protocol.BudgetError) *backends.Refusal {
	out := fmt.Sprintf("as many numbers need n = %d rows: more rows or fewer columns",
		e.Next*density.RowsPerNumber)
	if p.Algorithm.Gives != backends.Approximation {
		out = fmt.Sprintf("so many transitions of so many columns need n = %d rows; fewer %s, %s and %s "+
			"need less, and --backend %s least",
			e.Next*density.RowsPerNumber, p.setting(backends.Chains), p.setting(backends.Warmup),
			p.setting(backends.Draws), approximations())
	}
	if p.apart != nil {
		out = fmt.Sprintf("%s allows no more, by max_decrypted of its policy or a %dth of the rows, less "+
			"what earlier runs on these have told: fewer columns, more rows that are "+
			"new, or another line there", p.Plan.Names[e.By], density.RowsPerNumber)
	}
	return &backends.Refusal{Code: diag.TooFewRows, Err: e, Out: out + p.simulated()}
}

// simulated is the way out of a simulation alone.
func (p *Prepared) simulated() string {
	if p.apart != nil {
		return ""
	}
	return "; a simulation goes on with --accept few-rows"
}
