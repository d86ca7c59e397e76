package fit

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
)

// Encrypting is the algorithm that approximates the posterior of a model whose rows stay encrypted, in few
// evaluations, and the transform under which it does.
func Encrypting() (backends.Algorithm, string) {
	all := Backends()
	return all[slices.IndexFunc(all, func(a backends.Algorithm) bool {
		return a.Encrypts && a.Gives == backends.Approximation
	})], stdlib.Exact.Name
}

// An Unencryptable is why the rows of a model cannot stay encrypted.
type Unencryptable struct {
	Reason string
	Needs  int // how many rows it takes, where nothing else is missing; else 0
	// how many numbers the columns have, where these are so many that nothing else was looked into; else 0
	Numbers int
}

// String says it in a few words.
func (u *Unencryptable) String() string {
	switch {
	case u.Needs > 0:
		return "encrypted rows need n = " + grouped.Digits(u.Needs) + " here"
	case u.Numbers > 0:
		return "a run with --wire encrypted tells whether rows can stay encrypted: with " +
			grouped.Digits(u.Numbers) + " numbers that is not looked into ahead"
	}
	return "rows cannot stay encrypted: " + u.Reason
}

// Unencryptable is why the model could not be fitted to the same data with rows that stay encrypted, by
// Encrypting with these settings beside that; nil: it could, as far as that is known before there are keys.
// What refuses such a run is asked, and nothing is evaluated. It is called before Release.
func (p *Prepared) Unencryptable(ctx context.Context, given map[string]string) *Unencryptable {
	a, _ := Encrypting()
	with := backends.EncryptedRows()
	for name, value := range given {
		if with[name] == "" {
			with[name] = value
		}
	}
	s, err := a.Resolve(stdlib.Exact, with)
	if err != nil {
		return p.unencryptable(nil, err)
	}
	if _, diags := p.Model.WithEncryptedRows(); diags.HasErrors() {
		return p.unencryptable(diags, nil)
	}
	q := &Prepared{BoundModel: p.BoundModel, Algorithm: a, Settings: s,
		options: Options{Seed: p.options.Seed}.filled()}
	if why, err := q.tooLarge(); err != nil || why != nil {
		return cmp.Or(p.unencryptable(nil, err), why)
	}
	b, diags, err := p.WithEncryptedRows()
	if err != nil || diags.HasErrors() {
		return p.unencryptable(diags, err)
	}
	b.Plan = b.Plan.On(wireIn(s))
	q.BoundModel = b
	if diags, err := q.choose(); err != nil || diags.HasErrors() {
		return p.unencryptable(diags, err)
	}
	columns, of, err := q.refuses(ctx, 0)
	if err != nil {
		return p.unencryptable(nil, err)
	}
	diags, err = q.mayEncrypt()
	switch {
	case err != nil || len(diags) > 0 && diags[0].Code != diag.TooFewRows:
		return p.unencryptable(diags, err)
	case len(diags) > 0:
		usual, _ := Foreseen(of.Opens(a.Exchanges(q.Settings)), columns, -1)
		return &Unencryptable{Needs: usual * density.RowsPerNumber}
	}
	_, _, err = q.refuses(ctx, q.least()) // where rows are too few each has much leverage
	return p.unencryptable(nil, err)
}

// mostNumbers is how many numbers the columns of all parties have at most where they are written out to find
// whether rows can stay encrypted, which takes several copies of them.
const mostNumbers = 1 << 22

// tooLarge is what is known where there are more numbers than that: how many rows are missing by the number
// of parameters alone, or else nothing; nil where there are not.
func (p *Prepared) tooLarge() (*Unencryptable, error) {
	var parameters []int
	all, rows := 0, 0
	for k := range p.Plan.Names {
		dim := p.Plan.Parties[k].Graph.Dim()
		parameters, all = append(parameters, dim), all+dim
	}
	for _, g := range p.Plan.Groups {
		rows = max(rows, g.Len)
	}
	if all*rows <= mostNumbers {
		return nil, nil
	}
	usual, _ := Foreseen(p.Algorithm.Exchanges(p.Settings), parameters, -1)
	may, err := p.mayLearn(rows)
	if err != nil {
		return nil, err
	}
	if usual > may {
		return &Unencryptable{Needs: usual * density.RowsPerNumber}, nil
	}
	return &Unencryptable{Numbers: all * rows}, nil
}

// unencryptable is the first reason among what was found; nil: nothing was.
func (p *Prepared) unencryptable(diags diag.List, err error) *Unencryptable {
	var found data.Errors
	var refusal *backends.Refusal
	switch {
	case errors.As(err, &found):
		diags = diag.List(found)
	case errors.As(p.refusedRows(err), &refusal):
		return &Unencryptable{Reason: refusal.Err.Error()}
	case err != nil:
		return &Unencryptable{Reason: err.Error()}
	}
	for _, d := range diags {
		if d.Severity == diag.Error {
			return &Unencryptable{Reason: d.Message}
		}
	}
	return nil
}

// errUnsealed ends the protocol where it would make keys.
var errUnsealed = errors.New("fit: no keys are made")

// refuses asks the protocol and the algorithm what they refuse, where a combination of columns is about so
// few rows at least. It returns the columns of all parties, and what of the likelihood makes numbers known.
func (p *Prepared) refuses(ctx context.Context, least int) (columns []int, of protocol.LikelihoodNumbers,
	err error) {
	keys, err := p.pairKeys()
	if err != nil {
		return nil, of, err
	}
	env, err := session.NewLocal(p.Plan, keys)
	if err != nil {
		return nil, of, err
	}
	terms := func(has []int, _ int, likelihood protocol.LikelihoodNumbers) (protocol.Agreement, error) {
		columns, of = has, likelihood
		return protocol.Agreement{}, errUnsealed
	}
	_, err = protocol.New(ctx, env, len(p.Plan.Names),
		protocol.Options{Terms: terms, Pair: keys.Pairs(p.Plan), Least: least, Given: true})
	if !errors.Is(err, errUnsealed) {
		return nil, of, err
	}
	_, err = p.Algorithm.New(unsealed{Env: env, columns: columns}, p.Settings)
	return columns, of, err
}

// unsealed is an Env of encrypted rows before there are keys.
type unsealed struct {
	density.Env
	density.Encrypting
	columns []int
}

func (e unsealed) Columns() []int { return e.columns }

// Ciphertexts are bytes that a party sends in a run with encrypted rows: its shares of keys and its columns
// once, and its contribution at each evaluation.
type Ciphertexts struct{ Keys, Columns, Evaluation int }

// CiphertextBytes are those of one of so many parties, with columns and rows.
func CiphertextBytes(parties, columns, rows int) (Ciphertexts, error) {
	params, err := encrypted.New(parties, 1)
	if err != nil {
		return Ciphertexts{}, err
	}
	one, two := params.RoundSizes()
	return Ciphertexts{
		Keys: params.PublicSize() + one + two, Columns: columns * params.VectorSize(encrypted.Column, rows),
		Evaluation: params.VectorSize(encrypted.Contribution, rows),
	}, nil
}
