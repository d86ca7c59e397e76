// Package protocol has the parties of a run evaluate sums over encrypted rows together: it implements
// density.Encrypting over runtime/encrypted. Every party holds a share of the key. Columns and the response
// are encrypted and committed once; an evaluation encrypts the parties' contributions, of which each first
// tells a bound; the sums over rows follow from these bytes for everyone, and a holder gives its share of a
// sum that it has derived. Parties in one process derive once for all of them. The Env takes bytes from party
// to party (density.ByteRelaying), and the clients compare what all were told before a sum is decrypted.
//
// Decryption adds noise that is drawn anew in every run: results agree between runs to some thousandths of a
// standard deviation and not to the bit. A key lives for one run. What crosses is declared in messages.go.
package protocol

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/graph"
)

// Agreement are what the parties agree on before the keys of a run.
type Agreement struct {
	// Openings is the most sums that are decrypted, by which noise covers them: the same at every party.
	Openings int
	// Budget is the most numbers of others' rows that one party learns, Unlimited at most. The least of all
	// parties holds.
	Budget int
	// Usual is how many one party learns in a usual run: where that is more than the least there are no keys.
	Usual int
}

// Unlimited is the Budget of a run that may decrypt what it takes.
const Unlimited = 1 << 53

// A LikelihoodNumbers is what of a run's likelihood makes numbers known that depend on rows.
type LikelihoodNumbers struct {
	Response bool // is encrypted, with bounds of it
	Binary   bool // of which there is a proof
	Scale    bool // is a parameter, so that precisions are told
}

// Opens are the exchanges of an algorithm and what they make known, with what the likelihood does beside.
func (l LikelihoodNumbers) Opens(uses []density.Use) []density.Use {
	out, once := slices.Clone(uses), 0
	if l.Response {
		once += responseBounds
	}
	if l.Binary {
		once += proofs
	}
	if l.Scale {
		once++ // with the centre
	}
	for i := range out {
		if x := out[i].Exchange; l.Scale && (x == density.EncryptedSlopes || x == density.EncryptedLogLik) {
			out[i].Openings[2] = toldAll(1)
		}
	}
	return append(out, density.Use{Openings: [3]density.Decryption{toldAll(once)}, Times: 1, MostTimes: 1})
}

// LikelihoodOf is that of a law, whose scale is a parameter or not.
func LikelihoodOf(law *graph.Law, scale bool) (LikelihoodNumbers, error) {
	f, err := describe(law)
	if err != nil {
		return LikelihoodNumbers{}, err
	}
	return f.likelihood(scale), nil
}

func (f *family) likelihood(scale bool) LikelihoodNumbers {
	return LikelihoodNumbers{Response: !f.form.Residual, Binary: !f.form.Residual && f.binary(), Scale: scale}
}

func (e *EncryptedEnv) likelihood() LikelihoodNumbers { return e.family.likelihood(e.globals > 0) }

// Options are what a process chooses.
type Options struct {
	// Terms follow from the columns of all parties, in party order, the number of rows, and the likelihood.
	// An error ends the run before there are keys.
	Terms func(columns []int, rows int, of LikelihoodNumbers) (Agreement, error)
	// Given is whether the algorithm takes priors that depend on hyperparameters.
	Given bool
	// Least is the fewest rows that a combination of a party's columns may be about, by their leverage; 0:
	// one.
	Least int
	// Spend is called before more numbers that depend on rows of the party of this process become known to
	// one other, with how many of the run it knows then and a digest of the run's keys: a run that was
	// stopped makes the same calls again. An error ends the run before that. nil: nobody adds up over runs.
	Spend func(keys string, numbers int) error
	// DeriveEach has every holder of this process derive for itself, and compares.
	DeriveEach bool
	// Journal has what the parties of this process make with randomness; nil: the run cannot be resumed.
	Journal *Journal
	// Pair is a secret that a client of this process has with another alone, by which they seal shares for
	// one another. It is needed where there are two clients or more.
	Pair func(own, peer int) ([]byte, error)
	// Insecure is the logarithm of a small ring, for tests; 0: the secure one.
	Insecure int
}

// An EncryptedEnv is the parties' Env with encrypted rows.
type EncryptedEnv struct {
	courier
	options  Options
	params   *encrypted.Parameters
	secrets  []*encrypted.Secret // by block
	views    []*view             // one, or one by block
	own      []int               // columns by block
	columns  []int               // by party
	rows     int
	budget   int               // see Terms
	limiting int               // party whose budget it is
	room     int               // draws of which one ciphertext has room for the rows
	maps     []*density.Affine // by block
	density  *density.RowLikelihood
	family   *family
	law      *graph.Law

	curvature encrypted.PolynomialForm // where the last slopes were
	// that of the curvature without priors, at the server once it is decrypted; nil: it has none
	covariance []float64
	globals    int       // of the server
	scale      scale     // which they are
	latest     []float64 // standard deviations of the noise of the last slopes
	noise      float64   // the largest so far, in posterior standard deviations
	logNoise   float64   // standard deviation of that of the last log likelihood
	far        int       // draws that were
	halvings   int       // of groups of draws beyond the range that may still follow

	statistics []float64 // of the response, at the server
	account    *account
	openings   uint64               // of sums so far, some at a time: the same at every party
	only       []*encrypted.Weights // see one
}

var _ density.Encrypting = (*EncryptedEnv)(nil)

// A lawful block knows the distribution of its rows.
type lawful interface {
	Law() (*graph.Law, error)
}

// New makes keys and commitments over the blocks of this process, of so many parties. The error is a
// *polynomial.Refusal where the likelihood cannot be evaluated on encrypted rows.
func New(ctx context.Context, env density.Env, parties int, o Options) (*EncryptedEnv, error) {
	to, err := newCourier(env, parties, o.Journal)
	if err != nil {
		return nil, err
	}
	e := &EncryptedEnv{courier: to, options: o}
	if err := e.inspect(); err != nil {
		var refusal *polynomial.Refusal
		var alone *LeverageError
		if !errors.As(err, &refusal) && !errors.As(err, &alone) {
			err = &polynomial.Refusal{Reason: err.Error(), WayOut: linearWayOut}
		}
		return nil, err
	}
	if e.parties > 2 && o.Pair == nil {
		return nil, errors.New("encrypted: shares of one client for another pass through the server, and " +
			"there is no secret to seal them with")
	}
	if err := e.agree(ctx); err != nil {
		return nil, err
	}
	e.room = max(1, e.params.Rows()/e.rows)
	e.account = newAccount(e.columns)
	for _, step := range []func(context.Context) error{e.ceremony, e.commit, e.confirm} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// linearWayOut is what makes a model one of encrypted rows.
const linearWayOut = "give every coefficient a normal prior, of which the scale may be a parameter where " +
	"it is of effects of one party, as a ~ normal(0, tau) of effects a[g], and have it enter the predictor " +
	"of the one likelihood linearly, or use another wire"

// inspect reads the blocks.
func (e *EncryptedEnv) inspect() error {
	for _, block := range e.Blocks() {
		lin, err := density.Linearised(block)
		if err == nil && lin.Given != nil && !e.options.Given {
			err = fmt.Errorf("%s: priors depend on the parameters %s, and that takes a fit by --backend sfvi",
				block.Party(), strings.Join(lin.Given.Names, ", "))
		}
		if err != nil {
			return err
		}
		at := &lin.Cuts
		if block.Index() == 0 {
			if at, err = e.inspectServer(block, lin); err != nil {
				return err
			}
		}
		if n := len(at.Offset); e.maps == nil {
			e.rows = n
		} else if n != e.rows {
			return fmt.Errorf("%s: it contributes %d numbers to one sum of %d rows, and "+
				"encrypted rows have one each", block.Party(), n, e.rows)
		}
		if e.options.Least > 0 {
			if err := leveraged(block, at, lin.Index, e.options.Least); err != nil {
				return err
			}
		}
		e.maps, e.own = append(e.maps, at), append(e.own, len(lin.Index)+len(lin.Globals.Index))
	}
	return nil
}

// inspectServer reads the likelihood.
func (e *EncryptedEnv) inspectServer(block density.Block, lin *density.Linear) (*density.Affine, error) {
	if len(lin.Rows) != 1 {
		return nil, fmt.Errorf("%s: there are %d likelihoods of what the clients contribute, and "+
			"encrypted rows have one", block.Party(), len(lin.Rows))
	}
	b, err := density.RequireOf[lawful](block)
	if err != nil {
		return nil, err
	}
	if e.law, err = b.Law(); err != nil {
		return nil, err
	}
	f, err := describe(e.law)
	if err != nil {
		return nil, err
	}
	if e.density = &lin.Rows[0]; !f.form.Residual {
		e.statistics = f.statistics(e.law.X)
	}
	e.rows = len(lin.Rows[0].Offset)
	if e.globals = len(lin.Globals.Index); e.globals > 0 {
		err = e.oneScale(f)
	}
	return &lin.Rows[0].Affine, err
}

// Reckoning is what became known so far.
func (e *EncryptedEnv) Reckoning() Reckoning { return e.reckoned(e.account) }

// LogNoise is the standard deviation of the noise of the last log likelihood, which all parties know.
func (e *EncryptedEnv) LogNoise() float64 { return e.logNoise }

// Opened is what was decrypted or told so far, and how often.
func (e *EncryptedEnv) Opened() map[density.Decryption]int { return maps.Clone(e.account.opened) }

func (e *EncryptedEnv) reckoned(a *account) Reckoning {
	return Reckoning{Rows: e.rows, Alone: a.learned(true), Rest: a.learned(false), Noise: e.noise, Far: e.far}
}

// Columns implements density.Encrypting, as do the methods below.
func (e *EncryptedEnv) Columns() []int { return e.columns }

// A BudgetError is the end of a run that would have decrypted more than it may, or that would as it usually
// is.
type BudgetError struct {
	// numbers of others' rows that one party knows, and would know then; none are known before the run
	Known, Next  int
	Rows, Budget int
	By           int // the party that allows as many
}

func (e *BudgetError) Error() string {
	if e.Known == 0 {
		return fmt.Sprintf("one party would learn about D = %d numbers that depend on the others' rows, "+
			"and of n = %d rows it may learn %d", e.Next, e.Rows, e.Budget)
	}
	return fmt.Sprintf("one party knows D = %d numbers that depend on the others' rows, what comes next "+
		"would make them %d, and of n = %d rows it may learn %d",
		e.Known, e.Next, e.Rows, e.Budget)
}

// spend counts what is about to become known. The error is that of within, and nothing has become known then.
func (e *EncryptedEnv) spend(openings ...density.Decryption) error {
	if err := e.within(openings...); err != nil {
		return err
	}
	if e.options.Spend != nil {
		party := e.Blocks()[0].Index()
		if known := e.reckoned(e.account.with(openings...)).Of(party); known > e.Reckoning().Of(party) {
			if err := e.options.Spend(hex.EncodeToString(e.keys[:]), known); err != nil {
				return err
			}
		}
	}
	e.account.add(openings...)
	return nil
}

// within is a *BudgetError where openings would make more known than may be.
func (e *EncryptedEnv) within(openings ...density.Decryption) error {
	if s := e.reckoned(e.account.with(openings...)); s.One() > e.budget {
		return &BudgetError{Known: e.Reckoning().One(), Next: s.One(), Rows: e.rows, Budget: e.budget,
			By: e.limiting}
	}
	return nil
}

// Affords reports whether so much may still become known.
func (e *EncryptedEnv) Affords(what ...density.Decryption) bool { return e.within(what...) == nil }

// Afford is how many of so many log likelihoods may still be decrypted besides. Each takes a number, of which
// the server tells all a weight, with three more numbers at the end of each of two parts; and what every
// party tells of a ciphertext, of which there is one for each draw that it has no room for, message, or group
// that is halved. They are no more than LogLikBytes, which depends on what all parties know.
func (e *EncryptedEnv) Afford(logLiks int, besides ...density.Decryption) (may int, byBytes bool) {
	_, each := e.Bytes()
	ciphertexts := func(n int) int { return min(n, n/e.room+n/density.Piece(e.rows)+n/drawsPerHalving+4) }
	tooLong := func(n int) bool { return int64(ciphertexts(n))*each > LogLikBytes }
	may = sort.Search(logLiks, func(i int) bool {
		n := i + 1
		openings := []density.Decryption{{Sums: density.Totals, Number: n}, toldAll(n + 6),
			announced(3 * ciphertexts(n))}
		return tooLong(n) || !e.Affords(append(openings, besides...)...)
	})
	return may, may < logLiks && tooLong(may+1)
}

// LogLikBytes is how many bytes a party encrypts for log likelihoods in a run at most, sends to every other,
// and writes down.
const LogLikBytes = 4 << 30

// Bytes are how many a party encrypts for an evaluation, and for the log likelihoods of draws of which one
// ciphertext has room for the rows, or for those of one draw.
func (e *EncryptedEnv) Bytes() (evaluation, logLik int64) {
	evaluation = int64(e.vectorBytes(encrypted.Contribution, e.rows, 1))
	of := e.vectorBytes(encrypted.Contribution, e.room*e.rows, 1) + e.vectorBytes(encrypted.Column,
		e.room*e.rows, 1)
	return evaluation, int64(of)
}

var errDensity = errors.New("encrypted: the density of encrypted rows is not evaluated")

// Density is an error: rows are encrypted.
func (e *EncryptedEnv) Density(context.Context, [][]float64, density.Coordinates, [][]float64,
	[]float64) error {
	return errDensity
}

// Sum adds scalars in the clear: each is known to the server, and counted.
func (e *EncryptedEnv) Sum(ctx context.Context, part [][]float64, total []float64) error {
	if err := e.spend(density.Decryption{Sums: density.Parts, Number: len(total)}); err != nil {
		return err
	}
	if _, err := e.each(func(b int) ([]byte, error) { return floats(part[b]...), nil }); err != nil {
		return err
	}
	return e.Env.Sum(ctx, part, total)
}

// Consult has the server answer what the parties tell it.
func (e *EncryptedEnv) Consult(ctx context.Context, by density.Consulted) error {
	if err := e.spend(e.consulted(by)...); err != nil {
		return err
	}
	own, err := e.each(func(b int) ([]byte, error) {
		index := e.Blocks()[b].Index()
		up, _, _ := by.Size(index, e.columns[index])
		v := make([]float64, up)
		by.Ask(b, v)
		return floats(v...), nil
	})
	if err != nil {
		return err
	}
	asked, told := e.alike(0), e.alike(0)
	for k, c := range e.columns {
		up, down, _ := by.Size(k, c)
		asked[k], told[k] = 8*up, 8*down
	}
	if own, err = e.via.RelayBytes(ctx, consulting, 0, asked, own); err != nil {
		return err
	}
	answers, advice := make([][]byte, e.parties), make([][]byte, e.parties)
	if _, err = e.each(func(b int) (all []byte, err error) {
		if e.Blocks()[b].Index() == 0 {
			answers, advice[0], err = e.answer(by, own)
			all = slices.Concat(slices.Concat(answers...), advice[0])
		}
		return all, err
	}); err != nil {
		return err
	}
	if answers, err = e.via.RelayBytes(ctx, answering, density.Each, told, answers); err != nil {
		return err
	}
	_, _, all := by.Size(0, e.columns[0])
	if advice, err = e.tell(ctx, advising, e.serverOnly(8*all), advice); err != nil {
		return err
	}
	whole, err := numbers(advice[0], all)
	if err != nil {
		return err
	}
	for b, block := range e.Blocks() {
		_, down, _ := by.Size(block.Index(), e.columns[block.Index()])
		v, err := numbers(answers[block.Index()], down)
		if err != nil {
			return err
		}
		by.Take(b, v, whole)
	}
	return nil
}

// consulted is what becomes known in Consult.
func (e *EncryptedEnv) consulted(by density.Consulted) []density.Decryption {
	if by, ok := by.(density.Declaring); ok {
		return by.Opens()
	}
	asked, stepped, drawn, all := false, false, false, 0
	for k, c := range e.columns {
		up, down, n := by.Size(k, c)
		asked, stepped, drawn, all = asked || up > 0, stepped || down > 0, drawn || down > c, n
	}
	out := []density.Decryption{toldAll(all)}
	if asked {
		out = append(out, density.Decryption{Sums: density.Gradients})
	}
	switch {
	case drawn:
		out = append(out, density.Decryption{Sums: density.Covariances})
	case stepped:
		out = append(out, density.Decryption{Sums: density.Steps})
	}
	return out
}

// answer is the server's part of Consult: what each receives, and what all do.
func (e *EncryptedEnv) answer(by density.Consulted, asked [][]byte) (each [][]byte, all []byte, err error) {
	ups, downs, whole := make([][]float64, len(asked)), make([][]float64, len(asked)), []float64(nil)
	for k, data := range asked {
		up, down, n := by.Size(k, e.columns[k])
		if ups[k], err = numbers(data, up); err != nil {
			return nil, nil, err
		}
		downs[k], whole = make([]float64, down), make([]float64, n)
	}
	by.Counsel(ups, downs, whole)
	for _, v := range downs {
		each = append(each, floats(v...))
	}
	return each, floats(whole...), nil
}

// centred has the server tell the predictor of an ordinary row, around which all parties make the
// polynomials, and the precision of which these are, at the first evaluation.
func (e *EncryptedEnv) centred(ctx context.Context, phi []float64, cut [][]float64) error {
	if e.family.centred {
		return nil
	}
	precisions := e.precisionCount(1)
	if err := e.spend(toldAll(1 + precisions)); err != nil {
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
		return floats(append([]float64{math.Round(2*sum) / 2}, e.precisionsAt(phi, 1)...)...), nil
	})
	if err != nil {
		return err
	}
	if own, err = e.tell(ctx, centring, e.serverOnly(8*(1+precisions)), own); err != nil {
		return err
	}
	centre, err := numbers(own[0], 1+precisions)
	if err != nil {
		return err
	}
	if math.IsNaN(centre[0]) || math.IsInf(centre[0], 0) {
		return density.ErrRange
	}
	if err := e.begin(centre[1:]); err != nil {
		return err
	}
	if err := e.family.around(centre[0], e.rows); err != nil {
		return beyond(err)
	}
	return e.commitResponse(ctx)
}

// logLikAt is the log likelihood where the argument of the polynomials is the same in all rows.
func (e *EncryptedEnv) logLikAt(phi []float64) float64 {
	eta := make([]float64, e.rows)
	for i := range eta {
		if eta[i] = e.family.centre; e.family.form.Residual {
			eta[i] += e.law.X[i]
		}
	}
	lp, _, _ := e.evaluated(phi, eta)
	sum := 0.0
	for _, v := range lp {
		sum += v
	}
	return sum
}
