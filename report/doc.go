// Package report writes a finished run as one HTML file that needs no network: the model with the owner of
// each name, the split between the parties, the posterior, what is wrong with it, what each party learned,
// and how to repeat the run.
//
// Each section is a line of the list in section.go, a function that computes what it shows, and a template in
// page/. The template escapes every text; the file has no script, and its policy allows no request.
package report
