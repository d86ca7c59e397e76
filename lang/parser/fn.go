package parser

import "github.com/vflc/vflc/lang/diag"

// inDistribution explains what does not belong in the declaration of a distribution.
func inDistribution(s *situation) *fault {
	if s.statement != "dist" {
		return nil
	}
	header := len(s.open) == 1 && s.open[0].Value == "("
	body := len(s.open) == 1 && s.open[0].Value == "{"
	switch {
	case body && (is(s.token, "param") || s.token.Value == "weight"):
		return faultf(diag.Unexpected, spanOf(s.token), "a distribution has no parameters of its own").
			note("make it an argument, and declare the parameter in the model that uses the distribution")
	case body && s.token.Value == "return":
		return faultf(diag.Unexpected, spanOf(s.token), "the body of a distribution returns nothing").
			note("its part `log = …` is the logarithm of the density")
	case header && is(s.token, ",") && s.at == s.start+4:
		f := faultf(diag.Unexpected, spanOf(s.token), "the value of a distribution stands before a bar, "+
			"and its arguments behind it")
		f.d.Fix(spanOf(s.token), " |", "divide them")
		return f
	case header && is(s.token, "~"):
		f := faultf(diag.Unexpected, spanOf(s.token), "the arguments of a distribution stand behind a bar")
		f.d.Fix(spanOf(s.token), "|", "divide them")
		return f
	case header && s.token.Type == identToken && (s.prev.Value == "real" || s.prev.Value == "int"):
		f := faultf(diag.Unexpected, spanOf(s.token), "the type of an argument stands behind its name")
		f.d.Fix(spanOf(s.prev).Join(spanOf(s.token)), s.token.Value+" : "+s.prev.Value, "exchange them")
		return f
	case body && s.prev.Value == "{" && !is(s.token, "}"):
		f := faultf(diag.Unexpected, spanOf(s.token), "each part of a distribution has a name")
		f.d.Fix(before(s.token), "log = ", "the logarithm of the density")
		return f
	case body && s.wants("=") && is(s.token, "~"):
		f := faultf(diag.Unexpected, spanOf(s.token), "a part of a distribution is an expression")
		f.d.Fix(spanOf(s.token), "=", "define it")
		return f
	}
	return nil
}

// functionEnd returns the index of the word behind the body of the function or distribution that begins at
// p.start; 0 where none does, or its body is not closed.
func (p *parser) functionEnd() int {
	word := p.words[p.start].Value
	if !p.isKeyword(p.start) || word != "fn" && word != "dist" {
		return 0
	}
	depth, opened := 0, false // opened: inside the parentheses of the arguments
	for i := p.start; !p.words[i].EOF(); i++ {
		t := p.words[i]
		switch {
		case depth == 0 && (is(t, "(") || is(t, ")")):
			opened = is(t, "(")
		case is(t, "{"):
			depth++
		case is(t, "}") && depth <= 1:
			return i + 1
		case is(t, "}"):
			depth--
		case depth == 0 && !opened && i > p.start && is(t, "="), depth > 0 && is(t, "fn"):
			return 0
		}
	}
	return 0
}
