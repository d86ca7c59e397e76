package fit

import (
	"context"
	"errors"
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/session"
)

// rowsPerNumber is how many rows there are for each number of others' rows that a party learns, unless somebody
// accepts fewer.
const rowsPerNumber = 20

// errTogether is the error where parties are, or will be, in processes of their own.
var errTogether = usagef("--wire encrypted runs in one process so far, with vflc run; across processes use another wire")

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
	if p.options.Resume {
		return nil, usagef("--wire encrypted: the keys of a run that was stopped are gone; run it again with --overwrite")
	}
	for _, g := range p.Plan.Groups {
		if len(g.Quantities) > 0 {
			list.Errorf(diag.NotEncrypted, nil, source.Span{}, "generated quantities of the server read the sum %s, and nobody knows a row of it", g.Name).
				Note("generate them at the clients, or use another wire")
			return list, nil
		}
	}
	env, err := session.NewLocal(p.Plan, session.SimulatedKeys(p.options.Seed, p.Plan.Names))
	if err != nil {
		return nil, err
	}
	columns, rows := sizes(env.Blocks())
	if columns == nil || p.mayLearn(rows) == 0 {
		return nil, nil
	}
	if most := expected(p.Algorithm.Exchanges(p.Settings), columns); most > p.mayLearn(rows) {
		list.Errorf(diag.TooFewRows, nil, source.Span{}, "one party would learn about D = %d numbers that depend on the others' rows, and of n = %d rows it may learn n/%d = %d",
			most, rows, rowsPerNumber, rows/rowsPerNumber).
			Note("as many columns need n = %d rows; a simulation goes on with --accept few-rows", most*rowsPerNumber)
	}
	return list, nil
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
	columns, rows := sizes(env.Blocks())
	openings, all := 1, 0
	for _, c := range columns {
		all += c
	}
	for _, u := range p.Algorithm.Exchanges(p.Settings) {
		switch u.Exchange {
		case density.EncryptedSlopes:
			if u.Openings[0].Sums != density.OwnGradients {
				continue
			}
			openings += u.MostTimes * all
		case density.EncryptedCurvatures:
			openings += u.MostTimes * all * (all + 1) / 2
		}
	}
	openings += mostWeights
	if budget := p.mayLearn(rows); budget > 0 {
		openings = min(openings, len(columns)*budget) // a sum that is opened is learned by somebody
	}
	p.options.Progress.Message(fmt.Sprintf("encrypted rows: keys for %d parties, one process derives for all of them", len(env.Blocks())))
	var err error
	p.rows, err = protocol.New(ctx, env, &protocol.OneProcess{}, protocol.Options{
		Openings: openings, Budget: p.mayLearn(rows), Insecure: p.options.ring,
	})
	if err != nil {
		return nil, err
	}
	return p.rows, nil
}

// mostWeights is how many log likelihoods a run of encrypted rows decrypts at most.
const mostWeights = 2001

// refusedRows makes diagnostics of what encrypted rows do not allow.
func refusedRows(err error) error {
	var refusal *polynomial.Refusal
	var budget *protocol.BudgetError
	var noise *protocol.NoiseError
	var beyond *protocol.RangeError
	switch {
	case errors.As(err, &refusal):
		return &backends.Refusal{Code: diag.NotEncrypted, Err: errors.New(refusal.Reason), Out: refusal.WayOut}
	case errors.As(err, &budget):
		return &backends.Refusal{Code: diag.TooFewRows, Err: budget, Out: "fewer columns or more rows; a simulation goes on with --accept few-rows"}
	case errors.As(err, &noise):
		return &backends.Refusal{Code: diag.NotEncrypted, Err: noise, Out: protocol.NoiseWayOut}
	case errors.As(err, &beyond):
		return &backends.Refusal{Code: diag.NotEncrypted, Err: errors.New(beyond.Reason), Out: beyond.WayOut}
	}
	return err
}
