package transform

import "github.com/vflc/vflc/lang/diag"

// none pools the data: the server evaluates the true model. With clients it exists in simulation only.
func none() Transform {
	return Transform{
		Name: "none",
		Doc:  "the true model, with all data in one place",
		apply: func(l *layout) diag.List {
			l.Parties = l.Parties[:1]
			return nil
		},
	}
}
