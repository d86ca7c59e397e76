//go:build linux

package main

import (
	"strings"
	"testing"
)

// wrongInputs are lines that a session cannot obey, each with a part of what it must say.
func wrongInputs() [][2]string {
	return [][2]string{
		{":", "no command :"}, {":pcc y", "did you mean :ppc?"}, {":fitt", "did you mean :fit?"},
		{":s", "may be"}, {":quit now", "takes no arguments"},
		{":open", "needs the file"}, {":open nothing.vfl", "no such file"}, {":open a.csv", "error V01"},
		{":open .", "not a Stan CSV file"},
		{":data", "no tables yet"}, {":data a =", "needs a file"}, {":data a = nothing.csv", "V0501"},
		{":data q = a.csv", "no party q"}, {":data a = a.csv key nothing", "no column nothing"},
		{":data a.csv", "say whose table"}, {":data a = a.csv and more", "is not understood"},
		{":rows", "no tables yet"}, {":rows some", "write :rows"}, {":key", "needs the name"},
		{":head q", "no tables yet"},
		{":describe", "needs the name"}, {":describe age", "no tables yet"}, {":drop", "needs the name"},
		{":drop q", "no statement declares q"}, {":drop m", "V0201"},
		{":redo", "nothing to redo"}, {":reload", "no file yet"}, {":save", "needs a file"},
		{":save a b", "takes one file"}, {":save no/where/m.vfl", "there is no such folder"},
		{":type", "needs an expression"}, {":type nothing", "V0201"}, {":type 1 +", "V01"},
		{":owners x ~", "V01"}, {":split q", "no party q"},
		{":audit q", "no backend q"}, {":prior", "needs an expression"}, {":prior m +", "V01"},
		{":prior XA * m", "V0521"}, {":fit", "V0521"},
		{":fit q", "no backend q"}, {":fit draws", "draws is no backend; write draws=VALUE"},
		{":fit exact", "write transform=exact"}, {":fit transform=exat", "choose none, exact"},
		{":fit rho=q=0.1", "no client q"}, {":fit set=k=1", "no const k"}, {":fit seed=-1", "not negative"},
		{":fit guide=meanfield", "is one of sfvi"}, {":fit --draws", "write draws=VALUE"},
		{":help fit nothing", "explains one command"}, {":fit drws=1", "did you mean draws?"},
		{":fit backend=sfvi", "the backend comes first"}, {":fit draws=-1", "draws"},
		{":fit seed=x", "whole number"}, {":fit as", "a name follows"}, {":fit as 1", "is no name"},
		{":fits q", "no fit yet"}, {":summary", "no fit yet"}, {":plot m", "no fit yet"},
		{":diagnose", "no fit yet"}, {":compare", "needs two fits; there is no fit yet"},
		{":export", "needs a file"}, {":export x.csv", "no fit yet"},
		{":set colour on", "there is no colour"}, {":set json", "write :set json"},
		{":script", "needs a file"}, {":script nothing", "no such file"}, {":help qq", "no command :qq"},
		{":recover", "no earlier session"},
		{"?", "Everything typed is vfl"}, {"?nothing", "no page of nothing"}, {"!", "a command of the shell"},
		{"!exit 3", "exit status 3"},
		{"P(m > 0)", "no fit yet"}, {"mean(m)", "no fit yet"}, {"exp(m", "..."}, {"nothing", "V0201"},
		{"m + nothing", "V0201"}, {"quantile(m)", "takes 2 arguments"}, {"quantile(m, 2)", "between 0 and 1"},
		{"param m", "V01"}, {"param m ~ norml(0, 1)", "V0208"}, {"x = 3", "V01"},
		{"data z = onehot(sex)", "data z : real[N, P] from onehot(sex)"},
		{":type m +", "the end of the line"}, {"let q = nothing", "V0201"},
		{"data z : wrong[N] @ a", "V0206"}, {"param z ~ normal(0, -1)", "V02"},
		{")", "V01"}, {"\x01\x05", ""}, {"😀", "V01"}, {strings.Repeat("(", 300), "..."},
		{"transform nothing", "V0224"}, {"y <- 3", "V01"},
	}
}

// Each wrong input is answered, and none ends the session.
func TestReplAnswersWrongInputs(t *testing.T) {
	t.Parallel()
	p := startRepl(t, replFiles(t), 80)
	for _, unit := range []string{"client a, b", "data XA : real[N, 2] @ a from age, age2",
		"param m ~ normal(0, 1)", "let two = 2 * m"} {
		p.ask(unit)
	}
	inputs := wrongInputs()
	if len(inputs) < 50 {
		t.Fatal("fewer than fifty")
	}
	for _, in := range inputs {
		if in[1] == "..." { // it goes on
			n := prompts(p.Text())
			p.keys(in[0]+"\r", "...> ")
			p.press("\x03")
			p.ready(n + 1)
			continue
		}
		if got := strings.Join(strings.Fields(p.ask(in[0])), " "); !strings.Contains(got, in[1]) {
			t.Errorf("%q is answered by:\n%s", in[0], got)
		}
	}
	if got := p.ask("m"); !strings.Contains(got, "m : real ~ normal(0, 1) @ server") {
		t.Errorf("the model has changed:\n%s", got)
	}
}
