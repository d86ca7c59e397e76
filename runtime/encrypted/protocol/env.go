// Package protocol has the parties of a run evaluate sums over encrypted rows together: it implements
// density.Encrypting over runtime/encrypted. Every party holds a share of the key. Columns and the response
// are encrypted and committed once; an evaluation encrypts the parties' contributions, of which each first
// tells a bound; the sums over rows follow from these bytes for everyone, and a holder gives its share of a
// sum that it has derived. Parties in one process derive once for all of them. How bytes go from party to
// party is a Courier's.
//
// Decryption adds noise that is drawn anew in every run: results agree between runs to some thousandths of a
// standard deviation and not to the bit. A key lives for one run.
package protocol

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sort"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/graph"
)

// Options are what the parties agree on before a run.
type Options struct {
	// Openings is the most sums that are decrypted, by which noise covers them.
	Openings int
	// Budget is the most numbers of others' rows that one party learns; 0: there is no limit.
	Budget int
	// Least is the fewest rows that a combination of a party's columns may be about, by their leverage; 0: one.
	Least int
	// Spend is called before more numbers that depend on rows of the party of this process become known to one
	// other; an error ends the run before that. nil: nobody adds up over runs.
	Spend func(numbers int) error
	// DeriveEach has every holder of this process derive for itself, and compares.
	DeriveEach bool
	// Insecure is the logarithm of a small ring, for tests; 0: the secure one.
	Insecure int
}

// An Evaluator is the parties' Env with encrypted rows.
type Evaluator struct {
	density.Env
	options Options
	via     Courier
	params  *encrypted.Parameters
	secrets []*encrypted.Secret // by block
	views   []*view             // one, or one by block
	columns []int
	rows    int
	room    int               // draws of which one ciphertext has room for the rows
	maps    []*density.Affine // by block
	density *density.RowLikelihood
	family  *family
	law     *graph.Law

	statistics []float64 // of the response, at the server
	base       float64   // log likelihood where all predictors are the centre, at the server
	account    *account
	only       []*encrypted.Weights // see one
	counted    OneProcess           // of the courier, as far as it is in the work
}

var _ density.Encrypting = (*Evaluator)(nil)

// A lawful block knows the distribution of its rows.
type lawful interface {
	Law() (*graph.Law, error)
}

// New makes keys and commitments over the blocks of all parties, which are in this process. The error is a
// *polynomial.Refusal where the likelihood cannot be evaluated on encrypted rows.
func New(ctx context.Context, env density.Env, via Courier, o Options) (*Evaluator, error) {
	e := &Evaluator{Env: env, options: o, via: via}
	if err := e.inspect(); err != nil {
		var refusal *polynomial.Refusal
		var alone *LeverageError
		if !errors.As(err, &refusal) && !errors.As(err, &alone) {
			err = &polynomial.Refusal{Reason: err.Error(), WayOut: "use another wire"}
		}
		return nil, err
	}
	var err error
	holders := len(e.columns)
	if o.Insecure > 0 {
		e.params, err = encrypted.Insecure(o.Insecure, holders, o.Openings)
	} else {
		e.params, err = encrypted.New(holders, o.Openings)
	}
	if err != nil {
		return nil, err
	}
	e.room = max(1, e.params.Rows()/e.rows)
	e.account = newAccount(e.columns)
	if err := e.ceremony(ctx); err != nil {
		return nil, err
	}
	if err := e.spend(density.Decryption{Sums: density.Outlined, Number: 2}); err != nil {
		return nil, err
	}
	return e, e.commit(ctx)
}

// inspect reads the blocks.
func (e *Evaluator) inspect() error {
	for k, block := range e.Blocks() {
		l, err := density.RequireOf[density.Linearisable](block)
		if err != nil {
			return err
		}
		lin, err := l.Linear()
		if err != nil {
			return err
		}
		at := &lin.Cuts
		if k == 0 {
			if len(lin.Rows) != 1 {
				return fmt.Errorf("%s: there are %d likelihoods of what the clients contribute, and encrypted rows have one", block.Party(), len(lin.Rows))
			}
			b, err := density.RequireOf[lawful](block)
			if err != nil {
				return err
			}
			if e.law, err = b.Law(); err != nil {
				return err
			}
			if e.family, err = describe(e.law); err != nil {
				return err
			}
			e.density = &lin.Rows[0]
			if at = &lin.Rows[0].Affine; !e.family.form.Residual {
				e.statistics = e.family.statistics(e.law.X)
			}
			e.rows = len(at.Offset)
		}
		if len(at.Offset) != e.rows {
			return fmt.Errorf("%s: it contributes %d numbers to one sum of %d rows, and encrypted rows have one each", block.Party(), len(at.Offset), e.rows)
		}
		if e.options.Least > 0 {
			if err := leveraged(block, at, lin.Index, e.options.Least); err != nil {
				return err
			}
		}
		e.maps, e.columns = append(e.maps, at), append(e.columns, len(lin.Index)+len(lin.Globals.Index))
	}
	return nil
}

// Reckoning is what became known so far.
func (e *Evaluator) Reckoning() Reckoning { return e.reckoned(e.account) }

// Opened is what was decrypted or told so far, and how often.
func (e *Evaluator) Opened() map[density.Decryption]int { return maps.Clone(e.account.opened) }

func (e *Evaluator) reckoned(a *account) Reckoning {
	return Reckoning{Rows: e.rows, Alone: a.learned(true), Rest: a.learned(false)}
}

// Columns implements density.Encrypting, as do the methods below.
func (e *Evaluator) Columns() []int { return e.columns }

// A BudgetError is the end of a run that would have decrypted more than it may.
type BudgetError struct {
	Reckoning // if it had
	Known     int
	Budget    int
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("one party knows D = %d numbers that depend on the others' rows, what comes next would make them %d, and of n = %d rows it may learn %d",
		e.Known, e.One(), e.Rows, e.Budget)
}

// spend counts what is about to become known. The error is that of within, and nothing has become known then.
func (e *Evaluator) spend(openings ...density.Decryption) error {
	if err := e.within(openings...); err != nil {
		return err
	}
	if e.options.Spend != nil {
		party := e.Blocks()[0].Index()
		more := e.reckoned(e.account.with(openings...)).Of(party) - e.Reckoning().Of(party)
		if more > 0 {
			if err := e.options.Spend(more); err != nil {
				return err
			}
		}
	}
	e.account.add(openings...)
	return nil
}

// within is a *BudgetError where openings would make more known than may be.
func (e *Evaluator) within(openings ...density.Decryption) error {
	if s := e.reckoned(e.account.with(openings...)); e.options.Budget > 0 && s.One() > e.options.Budget {
		return &BudgetError{Reckoning: s, Known: e.Reckoning().One(), Budget: e.options.Budget}
	}
	return nil
}

// retold is how many weights are told first, and again with those that follow, if there are more.
const retold = 500

// Afford is how many of so many log likelihoods may still be decrypted. Each takes a number, of which the server
// tells all a weight, with three more numbers at the end of each of two parts; and what every party tells of a
// ciphertext, of which there is one for each draw that it has no room for, or message.
func (e *Evaluator) Afford(logLiks int) int {
	return sort.Search(logLiks, func(i int) bool {
		n := i + 1
		ciphertexts := n/e.room + n/density.Piece(e.rows) + 4
		again := 0
		if n > retold {
			again = retold
		}
		openings := []density.Decryption{{Sums: density.Totals, Number: n}, told(n + again + 6), announced(3 * min(n, ciphertexts))}
		return e.within(openings...) != nil
	})
}

// work adds what crossed to the work of the Env.
func (e *Evaluator) work() {
	c, ok := e.via.(*OneProcess)
	if !ok {
		return
	}
	w := e.Work()
	w.Bytes += c.Crossed - e.counted.Crossed
	w.Rounds += c.Trips - e.counted.Trips
	w.Sequential += c.Trips - e.counted.Trips
	e.counted = *c
}

var errDensity = errors.New("encrypted: the density of encrypted rows is not evaluated")

// Density is an error: rows are encrypted.
func (e *Evaluator) Density(context.Context, [][]float64, density.Coordinates, [][]float64, []float64) error {
	return errDensity
}

// Sum adds scalars in the clear: each is known to the server, and counted.
func (e *Evaluator) Sum(ctx context.Context, part [][]float64, total []float64) error {
	if err := e.spend(density.Decryption{Sums: density.Parts, Number: len(total)}); err != nil {
		return err
	}
	return e.Env.Sum(ctx, part, total)
}

// Consult has the server answer what the parties tell it.
func (e *Evaluator) Consult(ctx context.Context, by density.Consulted) error {
	if err := e.spend(e.consulted(by)...); err != nil {
		return err
	}
	own, err := e.each(func(b int) ([]byte, error) {
		up, _, _ := by.Size(e.columns[e.Blocks()[b].Index()])
		v := make([]float64, up)
		by.Ask(b, v)
		return floats(v...), nil
	})
	if err != nil {
		return err
	}
	if own, err = e.via.Give(ctx, 0, own); err != nil {
		return err
	}
	answers := make([][]byte, len(e.columns))
	if e.Blocks()[0].Index() == 0 {
		if answers, err = e.answer(by, own); err != nil {
			return err
		}
	}
	if answers, err = e.via.Deal(ctx, 0, answers); err != nil {
		return err
	}
	for b, block := range e.Blocks() {
		_, down, all := by.Size(e.columns[block.Index()])
		v, err := numbers(answers[block.Index()], down+all)
		if err != nil {
			return err
		}
		by.Take(b, v[:down], v[down:])
	}
	e.work()
	return nil
}

// consulted is what becomes known in Consult.
func (e *Evaluator) consulted(by density.Consulted) []density.Decryption {
	asked, answered, all := false, false, 0
	for _, c := range e.columns {
		up, down, n := by.Size(c)
		asked, answered, all = asked || up > 0, answered || down > 0, n
	}
	out := []density.Decryption{told(all)}
	switch {
	case asked && answered:
		out = append(out, density.Decryption{Sums: density.Gradients}, density.Decryption{Sums: density.Steps})
	case asked:
		out = append(out, density.Decryption{Sums: density.Gradients})
	case answered:
		out = append(out, density.Decryption{Sums: density.Covariances})
	}
	return out
}

// answer is the server's part of Consult.
func (e *Evaluator) answer(by density.Consulted, asked [][]byte) ([][]byte, error) {
	ups, downs, all := make([][]float64, len(asked)), make([][]float64, len(asked)), []float64(nil)
	for k, data := range asked {
		up, down, n := by.Size(e.columns[k])
		v, err := numbers(data, up)
		if err != nil {
			return nil, err
		}
		ups[k], downs[k], all = v, make([]float64, down), make([]float64, n)
	}
	by.Counsel(ups, downs, all)
	out := make([][]byte, len(asked))
	for k, v := range downs {
		out[k] = floats(append(v, all...)...)
	}
	return out, nil
}

// centred has the server tell the predictor of an ordinary row, around which all parties make the
// polynomials, at the first evaluation.
func (e *Evaluator) centred(ctx context.Context, cut [][]float64) error {
	if e.family.on.K > 0 {
		return nil
	}
	if err := e.spend(told(1)); err != nil {
		return err
	}
	own, err := e.each(func(b int) ([]byte, error) {
		if e.Blocks()[b].Index() > 0 {
			return []byte{}, nil
		}
		sum := 0.0
		for i, v := range cut[b] {
			if e.family.form.Residual {
				v -= e.law.X[i]
			}
			sum += v / float64(e.rows)
		}
		return floats(math.Round(2*sum) / 2), nil
	})
	if err != nil {
		return err
	}
	if own, err = e.via.Tell(ctx, own); err != nil {
		return err
	}
	centre, err := numbers(own[0], 1)
	if err != nil {
		return err
	}
	if math.IsNaN(centre[0]) || math.IsInf(centre[0], 0) {
		return density.ErrRange
	}
	if err := e.family.around(centre[0], e.rows, e.params.Ciphertexts(e.rows)); err != nil {
		return err
	}
	if e.Blocks()[0].Index() == 0 {
		e.base = e.logLikAt(centre[0])
	}
	return e.commitResponse(ctx)
}

// logLikAt is the log likelihood where the argument of the polynomials is the same in all rows.
func (e *Evaluator) logLikAt(centre float64) float64 {
	eta, lp, slope := make([]float64, e.rows), make([]float64, e.rows), make([]float64, e.rows)
	for i := range eta {
		if eta[i] = centre; e.family.form.Residual {
			eta[i] += e.law.X[i]
		}
	}
	e.density.Evaluate(nil, eta, lp, slope, nil, nil)
	sum := 0.0
	for _, v := range lp {
		sum += v
	}
	return sum
}
