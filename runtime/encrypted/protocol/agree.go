package protocol

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/fn"
)

// mostColumns bounds what a party can say that it has.
const mostColumns = 1 << 12

// agree finds what a party cannot know of the others before the keys: the sizes, the likelihood, and the
// terms.
func (e *EncryptedEnv) agree(ctx context.Context) error {
	own, err := e.each(func(b int) ([]byte, error) {
		return floats(float64(e.own[b]), float64(e.rows), float64(e.globals)), nil
	})
	if err != nil {
		return err
	}
	told, err := e.tell(ctx, sizing, e.alike(24), own)
	if err != nil {
		return err
	}
	for p, data := range told {
		v, err := numbers(data, 3)
		if err != nil {
			return err
		}
		switch c := v[0]; {
		case v[1] != float64(e.rows):
			return e.blame(ctx, p, fmt.Errorf("number of rows, %g, that is not that of its sum, %d", v[1],
				e.rows))
		case !(c >= 0 && c <= mostColumns) || c != math.Trunc(c):
			return e.blame(ctx, p, fmt.Errorf("number of columns, %g, that cannot be", c))
		}
		if e.columns = append(e.columns, int(v[0])); p > 0 {
			continue
		}
		if !(v[2] >= 0 && v[2] <= v[0]) || v[2] != math.Trunc(v[2]) {
			return e.blame(ctx, p,
				fmt.Errorf("number of parameters of the likelihood's scale, %g, that cannot be", v[2]))
		}
		e.globals = int(v[2])
	}
	if err := e.name(ctx); err != nil {
		return err
	}
	return e.accept(ctx)
}

// lawBytes is the room for the text of a likelihood.
const lawBytes = 1 << 10

// name has the server tell the likelihood.
func (e *EncryptedEnv) name(ctx context.Context) error {
	own, err := e.each(func(b int) ([]byte, error) {
		if e.Blocks()[b].Index() > 0 {
			return []byte{}, nil
		}
		return append([]byte(lawText(e.law)), make([]byte, lawBytes)...)[:lawBytes], nil
	})
	if err != nil {
		return err
	}
	told, err := e.tell(ctx, naming, e.serverOnly(lawBytes), own)
	if err != nil {
		return err
	}
	if e.law == nil {
		text := string(bytes.TrimRight(told[0], "\x00"))
		if e.law, err = readLaw(text); err != nil {
			return err
		}
		if lawText(e.law) != text {
			return e.blame(ctx, 0, fmt.Errorf("likelihood that is none"))
		}
	}
	e.family, err = describe(e.law)
	return err
}

// lawText is a law without its rows: distribution, parameter of the predictor, its function with a factor and
// its direction, and the other parameters.
func lawText(l *graph.Law) string {
	link := ""
	if l.Link != nil {
		link = l.Link.Name
	}
	lines := []string{l.Dist.Name, strconv.Itoa(l.Param), link, strconv.FormatFloat(l.Factor, 'x', -1, 64),
		strconv.FormatBool(l.Falling)}
	for k, v := range l.Theta {
		switch value, one := constant(v); {
		case k == l.Param || v == nil:
			lines = append(lines, "")
		case one:
			lines = append(lines, strconv.FormatFloat(value, 'x', -1, 64))
		}
	}
	return strings.Join(lines, "\n")
}

// readLaw is the inverse of lawText. The error is a *polynomial.Refusal where this process does not know what
// the server names.
func readLaw(text string) (*graph.Law, error) {
	unknown := func(what, name string) (*graph.Law, error) {
		return nil, &polynomial.Refusal{Reason: fmt.Sprintf("the server has the %s %q, which the "+
			"library of this party has not", what, name), WayOut: "use the same version everywhere"}
	}
	lines := strings.Split(text, "\n")
	l := &graph.Law{Linked: true, Plain: true}
	for _, d := range dist.All() {
		if d.Name == lines[0] {
			l.Dist = &d
		}
	}
	if l.Dist == nil || len(lines) != 5+len(l.Dist.Params) {
		return unknown("distribution", lines[0])
	}
	var err error
	if l.Param, err = strconv.Atoi(lines[1]); err != nil || l.Param < 0 || l.Param >= len(l.Dist.Params) {
		return unknown("parameter", lines[1])
	}
	if l.Factor, err = strconv.ParseFloat(lines[3], 64); err != nil {
		return unknown("factor", lines[3])
	}
	l.Falling = lines[4] == "true"
	for _, f := range fn.Elementwise() {
		if f.Name == lines[2] {
			l.Link = &f
		}
	}
	if l.Link == nil && lines[2] != "" {
		return unknown("function", lines[2])
	}
	for k, line := range lines[5:] {
		v, err := strconv.ParseFloat(line, 64)
		switch {
		case line == "":
			l.Theta = append(l.Theta, nil)
		case err != nil || k == l.Param:
			return unknown("value", line)
		default:
			l.Theta = append(l.Theta, []float64{v})
		}
	}
	return l, nil
}

// accept finds the terms of this process: the least that a party allows one to learn holds for all, and noise
// is for no more sums than the parties may learn by it.
func (e *EncryptedEnv) accept(ctx context.Context) error {
	terms, kept, err := Agreement{}, 0, error(nil)
	if e.journal.has(e.Blocks()[0].Index()) {
		terms, err = e.keep(0, terms)
		kept++
	} else {
		terms, err = e.options.Terms(e.columns, e.rows, e.likelihood())
	}
	if err != nil {
		return err
	}
	told, err := e.same(ctx, agreing, floats(float64(terms.Budget)))
	if err != nil {
		return err
	}
	for p, data := range told {
		v, err := numbers(data, 1)
		if err != nil {
			return err
		}
		if !(v[0] >= 0 && v[0] <= Unlimited) || v[0] != math.Trunc(v[0]) {
			return e.blame(ctx, p, fmt.Errorf("limit of numbers that cannot be"))
		}
		if budget := int(v[0]); p == 0 || budget < e.budget {
			e.budget, e.limiting = budget, p
		}
	}
	if terms.Usual > e.budget {
		return &BudgetError{Next: terms.Usual, Rows: e.rows, Budget: e.budget, By: e.limiting}
	}
	for b := kept; b < len(e.Blocks()); b++ {
		if _, err := e.keep(b, terms); err != nil {
			return err
		}
	}
	openings := max(1, min(terms.Openings, e.parties*e.budget))
	if e.options.Insecure > 0 {
		e.params, err = encrypted.Insecure(e.options.Insecure, e.parties, openings)
	} else {
		e.params, err = encrypted.New(e.parties, openings)
	}
	if err != nil {
		return err
	}
	digest := e.params.Digest()
	if told, err = e.same(ctx, comparing, digest[:]); err != nil {
		return err
	}
	for p, data := range told {
		if !bytes.Equal(data, digest[:]) {
			return e.blame(ctx, p, fmt.Errorf("digest of other parameters of the encryption"))
		}
	}
	return nil
}

// keep has a party write down what its keys are for, and returns what stands there: a run that is made again
// has the terms that it had.
func (e *EncryptedEnv) keep(b int, t Agreement) (Agreement, error) {
	sizes := fmt.Appendf(nil, "%d %d", e.columns, e.rows)
	data, err := e.once(b, "terms", sha256.Sum256(sizes), func() ([]byte, error) {
		return floats(float64(t.Openings), float64(t.Budget)), nil
	})
	if err != nil {
		return t, err
	}
	v, err := numbers(data, 2)
	if err != nil {
		return t, err
	}
	return Agreement{Openings: int(v[0]), Budget: int(v[1])}, nil
}

// ofForms is a digest of the polynomials of an evaluation: where those of two parties differ in a bit, so do
// the sums.
func ofForms(forms []encrypted.PolynomialForm) []byte {
	digest := sha256.Sum256(fmt.Appendf(nil, "%v", forms))
	return digest[:]
}

// sameForms takes the digests of polynomials from what the parties tell.
func (e *EncryptedEnv) sameForms(ctx context.Context, forms []encrypted.PolynomialForm,
	told [][]byte) ([][]byte, error) {
	out := make([][]byte, len(told))
	for p, data := range told {
		if !bytes.HasPrefix(data, ofForms(forms)) {
			return nil, e.blame(ctx, p,
				fmt.Errorf("digest of other polynomials: use the same version everywhere"))
		}
		out[p] = data[sha256.Size:]
	}
	return out, nil
}
