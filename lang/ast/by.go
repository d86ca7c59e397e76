package ast

import "strings"

// byGroups ends the name of a function by groups, which no name in a text can have: sum(v by g, h) is the
// call of "sum by" with the arguments v, g and h.
const byGroups = " by"

// By returns the name of a function by groups.
func By(function string) string { return function + byGroups }

// Grouped returns the function that the name of one by groups was made of; false for any other name.
func Grouped(name string) (function string, ok bool) { return strings.CutSuffix(name, byGroups) }
