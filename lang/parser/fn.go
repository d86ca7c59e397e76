package parser

// functionEnd returns the index of the word behind the body of the function that begins at p.start; 0 where
// none does, or its body is not closed.
func (p *parser) functionEnd() int {
	if !p.isKeyword(p.start) || p.words[p.start].Value != "fn" {
		return 0
	}
	depth := 0
	for i := p.start; !p.words[i].EOF(); i++ {
		t := p.words[i]
		switch {
		case is(t, "{"):
			depth++
		case is(t, "}") && depth <= 1:
			return i + 1
		case is(t, "}"):
			depth--
		case depth == 0 && i > p.start && is(t, "="), depth > 0 && is(t, "fn"):
			return 0
		}
	}
	return 0
}
