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
func (e *Evaluator) agree(ctx context.Context) error {
	own, err := e.each(func(b int) ([]byte, error) {
		return floats(float64(e.own[b]), float64(e.rows)), nil
	})
	if err != nil {
		return err
	}
	told, err := e.tell(ctx, sizing, e.alike(16), own)
	if err != nil {
		return err
	}
	for p, data := range told {
		v, err := numbers(data, 2)
		if err != nil {
			return err
		}
		switch c := v[0]; {
		case v[1] != float64(e.rows):
			return e.blame(ctx, p, fmt.Errorf("number of rows, %g, that is not that of its sum, %d", v[1], e.rows))
		case !(c >= 0 && c <= mostColumns) || c != math.Trunc(c):
			return e.blame(ctx, p, fmt.Errorf("number of columns, %g, that cannot be", c))
		}
		e.columns = append(e.columns, int(v[0]))
	}
	if err := e.name(ctx); err != nil {
		return err
	}
	return e.accept(ctx)
}

// lawBytes is the room for the text of a likelihood.
const lawBytes = 1 << 10

// name has the server tell the likelihood.
func (e *Evaluator) name(ctx context.Context) error {
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

// lawText is a law without its rows: distribution, parameter of the predictor, its function, and the other
// parameters.
func lawText(l *graph.Law) string {
	link := ""
	if l.Link != nil {
		link = l.Link.Name
	}
	lines := []string{l.Dist.Name, strconv.Itoa(l.Param), link}
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
		return nil, &polynomial.Refusal{Reason: fmt.Sprintf("the server has the %s %q, which the library of this party has not", what, name), WayOut: "use the same version everywhere"}
	}
	lines := strings.Split(text, "\n")
	l := &graph.Law{Linked: true, Plain: true}
	for _, d := range dist.All() {
		if d.Name == lines[0] {
			l.Dist = &d
		}
	}
	if l.Dist == nil || len(lines) != 3+len(l.Dist.Params) {
		return unknown("distribution", lines[0])
	}
	var err error
	if l.Param, err = strconv.Atoi(lines[1]); err != nil || l.Param < 0 || l.Param >= len(l.Dist.Params) {
		return unknown("parameter", lines[1])
	}
	for _, f := range fn.Elementwise() {
		if f.Name == lines[2] {
			l.Link = &f
		}
	}
	if l.Link == nil && lines[2] != "" {
		return unknown("function", lines[2])
	}
	for k, line := range lines[3:] {
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

// accept finds the terms of this process, and compares them with those of the others: the least that a party
// allows one to learn holds for all.
func (e *Evaluator) accept(ctx context.Context) error {
	terms, err := e.options.Terms(e.columns, e.rows)
	if err != nil {
		return err
	}
	if e.options.Insecure > 0 {
		e.params, err = encrypted.Insecure(e.options.Insecure, e.parties, terms.Openings)
	} else {
		e.params, err = encrypted.New(e.parties, terms.Openings)
	}
	if err != nil {
		return err
	}
	digest := e.params.Digest()
	own, err := e.each(func(int) ([]byte, error) { return append(floats(float64(terms.Budget)), digest[:]...), nil })
	if err != nil {
		return err
	}
	told, err := e.tell(ctx, agreing, e.alike(len(digest)+8), own)
	if err != nil {
		return err
	}
	for p, data := range told {
		v, err := numbers(data[:8], 1)
		if err != nil {
			return err
		}
		if !bytes.Equal(data[8:], digest[:]) || !(v[0] >= 0 && v[0] <= 1<<53) {
			return e.blame(ctx, p, fmt.Errorf("digest of other parameters of the encryption"))
		}
		if budget := int(v[0]); budget > 0 && (e.budget == 0 || budget < e.budget) {
			e.budget = budget
		}
	}
	return nil
}

// compare compares the polynomials that the parties have made: where they differ in a bit, so do the sums.
func (e *Evaluator) compare(ctx context.Context) error {
	f := e.family
	digest := sha256.Sum256(fmt.Appendf(nil, "%v %v %v %x %x %x", f.slope, f.value, f.curvature, f.flat, f.unit, f.on))
	own, err := e.each(func(int) ([]byte, error) { return digest[:], nil })
	if err != nil {
		return err
	}
	told, err := e.tell(ctx, comparing, e.alike(len(digest)), own)
	if err != nil {
		return err
	}
	for p, data := range told {
		if !bytes.Equal(data, digest[:]) {
			return e.blame(ctx, p, fmt.Errorf("digest of other polynomials: use the same version everywhere"))
		}
	}
	return nil
}
