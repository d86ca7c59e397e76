package policy

import (
	"slices"
	"strings"
	"testing"
)

// A direction forbids the packages below from, apart from those below except, to depend on packages below any
// of never, directly or indirectly.
type direction struct {
	from   string
	never  []string
	why    string
	except []string
}

func directions() []direction {
	return []direction{
		{"lang", []string{"stdlib", "data", "density", "compile", "runtime", "backends", "posterior"},
			"the language stands alone", nil},
		{"stdlib", []string{"lang/ast", "lang/parser", "data", "density", "compile", "runtime"},
			"what is built in is plain numbers and descriptors", nil},
		{"data", []string{"lang/ast", "lang/parser", "density", "compile", "runtime", "backends",
			"posterior"}, "tables are columns with names", nil},
		{"density", []string{"lang", "stdlib", "data", "compile", "runtime", "backends", "posterior"},
			"what an algorithm knows of a model depends on nothing", nil},
		{"compile/check", []string{"runtime", "backends"}, "checking needs no data", nil},
		{"compile/cut", []string{"runtime", "backends"}, "cutting needs no data", nil},
		{"compile/transform", []string{"runtime", "backends"}, "transforming needs no data", nil},
		{"compile/maximum", []string{"runtime", "backends"}, "what has no maximum shows without data", nil},
		{"compile/rows", []string{"runtime", "backends"},
			"whether rows stand by themselves shows without data", nil},
		{"compile/split", []string{"runtime", "backends"}, "splitting needs no data", nil},
		{"runtime", []string{"lang/ast", "lang/parser", "compile", "backends"},
			"what runs knows graphs, not syntax", nil},
		{"runtime", []string{"node", "fit"}, "a transport knows packets, not runs", nil},
		{"node/carrier", []string{"fit", "compile", "runtime", "backends"}, "a carrier brings bytes", nil},
		{"node/identity", []string{"fit", "compile", "runtime", "backends"},
			"who a party is depends on no run", nil},
		{"backends", []string{"runtime/transport", "runtime/session", "data"},
			"an algorithm knows a density, nothing else", nil},
		{"posterior", []string{"lang", "compile", "runtime", "backends"}, "draws are numbers with names",
			nil},
		{"report", []string{"cmd", "bench"}, "a page is made from the results of a run, without a command",
			nil},
		{"repl/term", []string{"lang", "stdlib", "data", "compile", "runtime", "backends", "posterior",
			"fit"}, "an editor knows lines and keys", nil},
		{"", []string{"repl"}, "a prompt is a client of the library, and commands start it",
			[]string{"cmd", "repl"}},
		{"", []string{"lsp"}, "a language server is a client of the compiler, and a command starts it",
			[]string{"cmd", "lsp"}},
		{"lsp", []string{"fit", "node", "repl"}, "what runs and audits a model is handed to it", nil},
		{"", []string{"cmd"}, "a command is the end of every road", []string{"cmd"}},
		{"", []string{"tests"}, "support of tests is no part of the product", []string{"tests", "bench"}},
	}
}

func below(dir, top string) bool { return top == "" || dir == top || strings.HasPrefix(dir, top+"/") }

// route returns the shortest chain of imports from a package to one below any of never, or nil.
func route(all map[string]*unit, from string, never []string) []string {
	came := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at != from && slices.ContainsFunc(never, func(top string) bool { return below(at, top) }) {
			var chain []string
			for ; at != ""; at = came[at] {
				chain = append(chain, at)
			}
			slices.Reverse(chain)
			return chain
		}
		if all[at] == nil {
			continue
		}
		for next := range all[at].imports() {
			if _, seen := came[next]; !seen {
				came[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

func TestImportDirections(t *testing.T) {
	all := units(t)
	for _, d := range directions() {
		for dir := range all {
			if !below(dir, d.from) || slices.ContainsFunc(d.except, func(top string) bool {
				return below(dir, top)
			}) {
				continue
			}
			if chain := route(all, dir, d.never); chain != nil {
				t.Errorf("%s (%s)", strings.Join(chain, " imports "), d.why)
			}
		}
	}
}

// A rule for a package that does not exist always holds and protects nothing.
func TestDirectionsNamePackagesThatExist(t *testing.T) {
	all := units(t)
	exists := func(top string) bool {
		for dir := range all {
			if below(dir, top) {
				return true
			}
		}
		return false
	}
	for _, d := range directions() {
		for _, top := range slices.Concat([]string{d.from}, d.never, d.except) {
			if !exists(top) {
				t.Errorf("a direction names %s, and there is no such package", top)
			}
		}
	}
}

// Top-level folders are layers: if one imports another, directly or through others, the other never imports
// it back.
func TestNoCircleBetweenFolders(t *testing.T) {
	folders := map[string]map[string]string{} // folder → folder that it imports → example
	for dir, u := range units(t) {
		from, _, _ := strings.Cut(dir, "/")
		for to := range u.imports() {
			at, _, _ := strings.Cut(to, "/")
			if folders[from] == nil {
				folders[from] = map[string]string{}
			}
			if at != from {
				folders[from][at] = dir + " imports " + to
			}
		}
	}
	for from := range folders {
		if circle := circleFrom(folders, from, from, map[string]bool{}); circle != nil {
			t.Errorf("a circle of folders: %s", strings.Join(circle, "; "))
		}
	}
}

// circleFrom returns the imports along a way from a folder back to the goal, or nil.
func circleFrom(folders map[string]map[string]string, at, goal string, seen map[string]bool) []string {
	for next, example := range folders[at] {
		if next == goal {
			return []string{example}
		}
		if seen[next] {
			continue
		}
		seen[next] = true
		if rest := circleFrom(folders, next, goal, seen); rest != nil {
			return append([]string{example}, rest...)
		}
	}
	return nil
}
