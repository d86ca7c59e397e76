package report

// A section of the page. content returns what its template shows, nil where the run has nothing of the kind.
type section struct {
	id, title string // the template is page/ID.html
	content   func(*Report) (any, error)
}

// sections lists the sections in the order of the page.
func sections() []section {
	return []section{
		{"model", "Model", (*Report).modelText},
		{"split", "Who computes what", (*Report).split},
		{"summary", "Posterior", (*Report).summary},
		{"findings", "Findings", (*Report).findings},
		{"forecast", "What the transform does to the answer", (*Report).forecast},
		{"plots", "Plots", (*Report).plots},
		{"predictive", "Predictive check", (*Report).predictive},
		{"accuracy", "How well the model predicts", (*Report).accuracy},
		{"sensitivity", "What the priors do to the answer", (*Report).sensitivity},
		{"audit", "Who learned what", (*Report).audit},
		{"costs", "Costs", (*Report).costs},
		{"repeat", "How to repeat this run", (*Report).repeat},
	}
}
