package fit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/session"
)

// rowsPerNumber is how many rows there are for each number of others' rows that a party learns, unless somebody
// accepts fewer.
const rowsPerNumber = 20

// sizes are the columns that the parties encrypt, and the rows.
func sizes(blocks []density.Block) (columns []int, rows int) {
	for _, b := range blocks {
		l, ok := b.(density.Linearisable)
		if !ok {
			return nil, 0
		}
		lin, err := l.Linear()
		if err != nil || b.Index() == 0 && len(lin.Rows) != 1 {
			return nil, 0 // the protocol says why
		}
		if columns = append(columns, len(lin.Index)+len(lin.Globals.Index)); b.Index() == 0 {
			rows = len(lin.Rows[0].Offset)
		}
	}
	return columns, rows
}

// mayEncrypt reports what a run of encrypted rows cannot do, before it begins.
func (p *Prepared) mayEncrypt() (list diag.List, err error) {
	if !p.Settings.Plan.Encrypted {
		return nil, nil
	}
	for _, g := range p.Plan.Groups {
		if len(g.Quantities) > 0 {
			list.Errorf(diag.NotEncrypted, nil, source.Span{}, "generated quantities of the server read the sum %s, and nobody knows a row of it", g.Name).
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
	columns, rows := sizes(env.Blocks())
	if columns == nil {
		return nil, nil
	}
	return p.enough(columns, rows), nil
}

// enough reports that there are too few rows for what a run decrypts of so many columns.
func (p *Prepared) enough(columns []int, rows int) (list diag.List) {
	may := p.mayLearn(rows)
	if most := expected(p.Algorithm.Exchanges(p.Settings), columns); may > 0 && most > may {
		list.Errorf(diag.TooFewRows, nil, source.Span{}, "one party would learn about D = %d numbers that depend on the others' rows, and of n = %d rows it may learn n/%d = %d",
			most, rows, rowsPerNumber, rows/rowsPerNumber).
			Note("as many columns need n = %d rows; a simulation goes on with --accept few-rows", most*rowsPerNumber)
	}
	return list
}

// mayLearn is how many numbers of others' rows one party may learn; 0: as many as the run takes.
func (p *Prepared) mayLearn(rows int) int {
	if p.Accepted().Code(diag.TooFewRows) {
		return 0
	}
	return max(1, rows/rowsPerNumber)
}

// expected is how many numbers the party learns that learns most in a usual run.
func expected(uses []density.Use, columns []int) (most int) {
	for k := range columns {
		in := make([]bool, len(columns))
		in[k] = true
		usual, _ := density.Opened(uses, columns, in)
		for _, u := range uses {
			if u.Exchange == density.EncryptedSlopes {
				usual += u.Times * (len(columns) - 1) // bounds
			}
		}
		most = max(most, usual)
	}
	return most
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
	p.options.Progress.Message(fmt.Sprintf("encrypted rows: keys for %d parties, %s", len(p.Plan.Names), what))
	keys, err := session.SimulatedKeys(p.options.Seed, p.Plan.Names).WithMasks(p.Plan)
	if p.apart != nil {
		keys, err = p.apart.Keys, nil
	}
	if err != nil {
		return nil, err
	}
	if err := p.openJournal(); err != nil {
		return nil, err
	}
	p.rows, err = protocol.New(ctx, env, len(p.Plan.Names), protocol.Options{Terms: p.terms, Insecure: p.options.ring, Pair: keys.Pairs(p.Plan), Journal: p.journal})
	if err != nil {
		return nil, err
	}
	return p.rows, nil
}

// terms are what the run may decrypt, by the columns of all parties. The error is where that is more than one
// party may learn.
func (p *Prepared) terms(columns []int, rows int) (protocol.Terms, error) {
	if found := p.enough(columns, rows); found.HasErrors() {
		return protocol.Terms{}, data.Errors(found)
	}
	openings, all := 1, 0
	for _, c := range columns {
		all += c
	}
	for _, u := range p.Algorithm.Exchanges(p.Settings) {
		switch u.Exchange {
		case density.EncryptedSlopes:
			openings += u.MostTimes * all
		case density.EncryptedCurvatures:
			openings += u.MostTimes * all * (all + 1) / 2
		}
	}
	return protocol.Terms{Openings: openings + mostWeights, Budget: p.mayLearn(rows)}, nil
}

// openJournal opens what the run writes down, where it has a folder.
func (p *Prepared) openJournal() (err error) {
	if p.options.Dir == "" {
		return nil
	}
	p.journal, err = protocol.OpenJournal(filepath.Join(p.options.Dir, runs.JournalFile))
	if err == nil && p.options.Resume {
		p.options.Progress.Message(fmt.Sprintf("encrypted rows: the run is made again with the %s that were written down, and goes on there", grouped.Count(p.journal.Entries(), "step")))
	}
	return err
}

// mostWeights is how many log likelihoods a run of encrypted rows decrypts at most.
const mostWeights = 2001

// refusedRows makes diagnostics of what encrypted rows do not allow.
func refusedRows(err error) error {
	var refusal *polynomial.Refusal
	var budget *protocol.BudgetError
	switch {
	case errors.As(err, &refusal):
		return &backends.Refusal{Code: diag.NotEncrypted, Err: errors.New(refusal.Reason), Out: refusal.WayOut}
	case errors.As(err, &budget):
		return &backends.Refusal{Code: diag.TooFewRows, Err: budget, Out: "fewer columns or more rows; a simulation goes on with --accept few-rows"}
	case errors.Is(err, density.ErrRange):
		return &backends.Refusal{Code: diag.NotEncrypted, Err: errors.New("contributions of draws leave the range of the encrypted likelihood"), Out: "use --correct false, or scaled columns and narrower priors"}
	}
	return err
}
