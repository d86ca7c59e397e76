package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// A densityServer answers requests about a density.
type densityServer struct {
	*fit.JointDensity
	ctx       context.Context
	names     densityGreeting
	generated []bool // by the elements of Params
}

func newDensityServer(ctx context.Context, d *fit.JointDensity) *densityServer {
	s := &densityServer{JointDensity: d, ctx: ctx, names: densityGreeting{Schema: posterior.Schema,
		Coordinates: append([]string{}, d.Coordinates...), Names: []string{}, Labels: []string{},
		Generated: []string{}}}
	for _, c := range posterior.Columns(d.Params) {
		s.generated = append(s.generated, c.Generated)
		if c.Generated {
			s.names.Generated = append(s.names.Generated, c.Name)
			continue
		}
		s.names.Names = append(s.names.Names, c.Name)
		s.names.Labels = append(s.names.Labels, c.Shown())
	}
	return s
}

// A densityRequest is a line of standard input. The result of a call has its ID.
type densityRequest struct {
	ID        json.RawMessage `json:"id"`
	Call      string          `json:"call"`
	X         spelledList     `json:"x"`      // a point, unconstrained
	Values    json.RawMessage `json:"values"` // on the declared scale: a list, or arrays by name
	Jacobian  *bool           `json:"jacobian"`
	Generated bool            `json:"generated"` // constrain: with generated quantities
	Draw      int             `json:"draw"`      // of which those that are drawn follow
}

// A densityAnswer is a line of standard output.
type densityAnswer struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Value    *spelled        `json:"value,omitempty"`
	Gradient spelledList     `json:"gradient,omitempty"`
	X        spelledList     `json:"x,omitempty"`
	Values   spelledList     `json:"values,omitempty"`
	Cause    string          `json:"cause,omitempty"` // of what is not finite
	Errors   any             `json:"errors,omitempty"`
}

// A densityGreeting is the first line: what the numbers of a point and of values are.
type densityGreeting struct {
	Schema      int      `json:"schema"`
	Coordinates []string `json:"coordinates"`
	Names       []string `json:"names"`
	Labels      []string `json:"labels"`
	Generated   []string `json:"generated"`
}

// serve answers until the input ends. What is wrong with a request does not end it.
func (s *densityServer) serve(in io.Reader, out io.Writer) error {
	w := json.NewEncoder(out)
	w.SetEscapeHTML(false)
	if err := w.Encode(s.names); err != nil {
		return err
	}
	lines := bufio.NewReader(in)
	for {
		line, end := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := w.Encode(s.answer(line)); err != nil {
				return err
			}
		}
		if end != nil {
			return nil
		}
	}
}

// answer carries out the request of a line.
func (s *densityServer) answer(line []byte) (a densityAnswer) {
	var r densityRequest
	var wrong diag.List
	if err := json.Unmarshal(line, &r); err != nil {
		wrong.Errorf(diag.BadRequest, nil, source.Span{}, "a request is one line of JSON: %v", err)
	} else if a, wrong, err = s.call(&r); err != nil {
		wrong.Errorf(diag.BadRequest, nil, source.Span{}, "%s: %v", r.Call, err)
	}
	if len(wrong) > 0 {
		a = densityAnswer{Errors: diag.DocumentOf(wrong).Diagnostics}
	}
	a.ID = r.ID
	return a
}

func (s *densityServer) call(r *densityRequest) (a densityAnswer, wrong diag.List, err error) {
	of := map[string]func() error{
		"log_density":          func() error { a, err = s.evaluate(r); a.Gradient = nil; return err },
		"log_density_gradient": func() error { a, err = s.evaluate(r); return err },
		"param_constrain":      func() error { a.Values, err = s.constrain(r); return err },
		"param_unconstrain":    func() error { a.X, wrong = s.unconstrain(r.Values); return nil },
	}
	call := of[r.Call]
	switch {
	case call == nil:
		wrong.Errorf(diag.BadRequest, nil, source.Span{}, "there is no call %q: write %s", r.Call,
			inWords(slices.Sorted(maps.Keys(of)), "or"))
	case r.Call != "param_unconstrain" && len(r.X) != s.Dim():
		wrong.Errorf(diag.BadRequest, nil, source.Span{}, "%s: x has %s, and the density takes %d", r.Call,
			grouped.Count(len(r.X), "number"), s.Dim())
	default:
		err = call()
	}
	return a, wrong, err
}

func (s *densityServer) evaluate(r *densityRequest) (densityAnswer, error) {
	grad := make([]float64, len(r.X))
	value, err := s.LogDensity(s.ctx, r.X, r.Jacobian == nil || *r.Jacobian, grad)
	one := spelled(value)
	return densityAnswer{Value: &one, Gradient: grad, Cause: s.Cause()}, err
}

// constrain returns the values at a point, those of generated quantities last.
func (s *densityServer) constrain(r *densityRequest) (out []float64, err error) {
	all, err := s.Constrain(s.ctx, r.X, max(0, r.Draw))
	if err != nil {
		return nil, err
	}
	var generated []float64
	for i, is := range s.generated {
		if is {
			generated = append(generated, all[i])
		} else {
			out = append(out, all[i])
		}
	}
	if r.Generated {
		out = append(out, generated...)
	}
	return out, nil
}

// unconstrain is the point of values, which come as a list in the order of the names or as a document.
func (s *densityServer) unconstrain(values []byte) (x []float64, wrong diag.List) {
	var list spelledList
	if err := json.Unmarshal(values, &list); err != nil {
		entries, wrong := data.Entries("values", values)
		if wrong.HasErrors() {
			return nil, wrong
		}
		return s.pointOf(entries)
	}
	if named := len(s.names.Names); len(list) != named {
		wrong.Errorf(diag.BadRequest, nil, source.Span{}, "param_unconstrain: values has %s, and the "+
			"parameters have %d", grouped.Count(len(list), "number"), named)
		return nil, wrong
	}
	var entries []*data.Entry
	for _, v := range s.Params {
		if !v.Generated {
			entries, list = append(entries, data.NewEntry(v.Name, v.Dims, list[:v.Len()])), list[v.Len():]
		}
	}
	return s.pointOf(entries)
}

func (s *densityServer) pointOf(entries []*data.Entry) (x []float64, wrong diag.List) {
	x, errs := s.Unconstrain(entries)
	for _, err := range errs {
		wrong.Errorf(diag.NoCoordinates, nil, source.Span{}, "%v", err)
	}
	return x, wrong
}

// A spelled number is the shortest decimal that reads back as the same, or "NaN", "Inf" or "-Inf", as Stan's
// JSON has them.
type spelled float64

func (v spelled) append(to []byte) []byte {
	switch f := float64(v); {
	case math.IsInf(f, 1):
		return append(to, `"Inf"`...)
	case math.IsNaN(f), math.IsInf(f, -1):
		return strconv.AppendQuote(to, strconv.FormatFloat(f, 'g', -1, 64))
	default:
		return strconv.AppendFloat(to, f, 'g', -1, 64)
	}
}

// MarshalJSON writes the number.
func (v spelled) MarshalJSON() ([]byte, error) { return v.append(nil), nil }

// UnmarshalJSON reads it.
func (v *spelled) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"NaN"`:
		*v = spelled(math.NaN())
	case `"Inf"`:
		*v = spelled(math.Inf(1))
	case `"-Inf"`:
		*v = spelled(math.Inf(-1))
	default:
		return json.Unmarshal(text, (*float64)(v))
	}
	return nil
}

// A spelledList is spelled numbers.
type spelledList []float64

// MarshalJSON writes the list.
func (l spelledList) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, v := range l {
		if i > 0 {
			out = append(out, ',')
		}
		out = spelled(v).append(out)
	}
	return append(out, ']'), nil
}

// UnmarshalJSON reads it.
func (l *spelledList) UnmarshalJSON(text []byte) error {
	var list []spelled
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*l = make(spelledList, len(list))
	for i, v := range list {
		(*l)[i] = float64(v)
	}
	return nil
}
