package parser

// Keywords lists the words that begin a statement of this version, in the order of the language's description. Likelihoods begin with a name.
func Keywords() []string {
	var out []string
	for _, s := range theGrammar().statements {
		out = append(out, s.keyword)
	}
	return out
}
