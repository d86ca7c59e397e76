package parser

// Tags returns what participle reads, in its form of EBNF.
func Tags() string { return theGrammar().whole.String() }

// Wanted describes the head of a production to a user.
var Wanted = wanted
