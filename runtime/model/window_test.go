package model_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/model"
)

// divided is a sound plan with two windows of four rows each.
func divided(t *testing.T) *model.Plan {
	p := sound(t)
	p.Windows = []model.Window{{Plan: sound(t), Rows: []int{0, 3, 4, 7}},
		{Plan: sound(t), Rows: []int{1, 2, 5, 6}}}
	return p
}

// Windows are plans of the same parties, and hold every row once; a party holds its own part of each.
func TestVerifyWindows(t *testing.T) {
	for i := range sound(t).Parties {
		own := divided(t).Only(i)
		if err := own.Verify(); err != nil || len(own.Windows) != 2 || own.Windows[1].Rows[0] != 1 {
			t.Errorf("as party %d holds it: %v, %d windows", i, err, len(own.Windows))
		}
	}
	for name, f := range map[string]struct {
		spoil func(*model.Plan)
		what  string
	}{
		"":                {func(*model.Plan) {}, ""},
		"one window":      {func(p *model.Plan) { p.Windows = p.Windows[:1] }, "only one"},
		"wrong in itself": {func(p *model.Plan) { p.Windows[1].Shared[0].To = nil }, "no destination"},
		"other parties": {func(p *model.Plan) {
			p.Windows[1].Names[1], p.Windows[1].Parties[1].Party = "north", "north"
		}, "other parties"},
		"divided again": {func(p *model.Plan) {
			p.Windows[0].Windows = divided(t).Windows
		}, "divided itself"},
		"a row twice":   {func(p *model.Plan) { p.Windows[1].Rows[0] = 0 }, "row 1 is in none"},
		"a row missing": {func(p *model.Plan) { p.Windows[1].Rows[3] = 8 }, "row 7 is in none"},
		"rows without a cut": {func(p *model.Plan) {
			p.Windows[1].Rows = append(p.Windows[1].Rows, 8)
		}, "4 rows in a window of 5"},
		"a program missing": {func(p *model.Plan) { p.Windows[0].Parties[1] = nil }, "no program of it"},
	} {
		p := divided(t)
		f.spoil(p)
		err := p.Verify()
		var wiring *model.WiringError
		switch {
		case f.what == "" && err != nil:
			t.Errorf("a sound plan: %v", err)
		case f.what != "" && (!errors.As(err, &wiring) || !strings.Contains(wiring.What, f.what)):
			t.Errorf("%s: got %v, want …%s…", name, err, f.what)
		}
	}
}
