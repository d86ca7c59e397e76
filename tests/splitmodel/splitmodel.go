// Package splitmodel draws models of several parties, from a list of likelihoods and one of what clients add
// to predictors, and compares what their parties compute with the pooled model. A new kind is a line in one
// of these lists.
package splitmodel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/tests/compiletest"
)

// rows, groups and columns are what sizes are in drawn models; a size of one client is another at each
// member of a family.
const (
	rows    = 12
	groups  = 3
	columns = 2
)

// A generator writes a model.
type generator struct {
	*rand.Rand
	lines, body []string
	declared    map[string]bool
	tables      map[string]map[string]any // by party
	clients     []string
	members     map[string]int
	keeper      string          // a client that holds the responses; "": the server does, or all have them
	server      string          // of the text
	keepers     []string        // where several hold them: for each statement the next one is the keeper
	used        map[string]bool // terms that a statement has already, by client
}

// Draw draws a model with its tables, right under exact. One model of eight has a likelihood that is right
// under no other transform; others may have what power refuses.
func Draw(seed uint64) compiletest.Fixture {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 34)), declared: map[string]bool{},
		tables: map[string]map[string]any{}, members: map[string]int{}, used: map[string]bool{}}
	g.clients = []string{"a", "b"}[:1+g.IntN(2)]
	g.parties(rand.New(rand.NewPCG(seed, 36)))
	g.declare(`const C = 2
data g : level(G)[N] @ shared
data h : level(H)[N] @ shared
param k ~ half_normal(1) @ shared
param q ~ normal(0, 1) @ shared`)
	list := likelihoods()
	if g.IntN(8) == 0 {
		list = exact()
	}
	statements := 1 + g.IntN(2)
	if statements = max(statements, len(g.keepers)); statements > len(list) {
		statements = len(list)
	}
	for i, n := range g.Perm(len(list))[:statements] {
		if len(g.keepers) > 0 {
			g.keeper = g.keepers[i%len(g.keepers)]
		}
		g.statement(list[n], fmt.Sprint(i+1))
	}
	for _, c := range g.clients {
		kinds := own()
		k := kinds[g.IntN(len(kinds))]
		g.declare(strings.ReplaceAll(k.needs, "#", c))
		g.body = append(g.body, strings.ReplaceAll(k.text, "#", c))
	}
	g.plain(rand.New(rand.NewPCG(seed, 37)))
	text := strings.Join(append(g.lines, g.body...), "\n") + "\n"
	for _, declared := range []string{Tilted, Counted, Share} {
		name, _, _ := strings.Cut(strings.TrimPrefix(declared, "dist "), "(")
		if strings.Contains(text, name+"(") || strings.Contains(text, name+"_lpdf(") {
			text = declared + text
		}
	}
	out := compiletest.Fixture{Text: text, Tables: map[string]string{}, Family: g.members}
	for party, values := range g.tables {
		text, err := json.Marshal(values)
		if err != nil {
			panic(err)
		}
		out.Tables[party] = string(text)
	}
	return out
}

var ownReal = regexp.MustCompile(`^param (\w+)(?: : real\[(\w+)\])? ~ .* @ ([a-z]+)$`)

// plain adds, in one model of four, a likelihood in which a parameter stands alone that multiplies something
// in another.
func (g *generator) plain(r *rand.Rand) {
	var args []string
	for _, line := range g.lines {
		p := ownReal.FindStringSubmatch(line)
		switch {
		case p == nil || p[3] == "shared" || g.members[p[3]] > 0:
		case !strings.Contains(strings.Join(g.body, "\n"), "* "+p[1]):
		case p[2] == "":
			args = append(args, p[1]+", 1", "exp("+p[1]+" / 2), 1")
		case p[2] == "G":
			args = append(args, p[1]+"[g], 1")
		default:
			args = append(args, fmt.Sprintf("%[1]s[1], exp(%[1]s[2] / 2)", p[1]))
		}
	}
	if len(args) > 0 && r.IntN(4) == 0 {
		g.statement(kind{"data y# : real[N] @ shared\nparam c# ~ normal(0, 1)",
			"y# ~ normal(c# - " + args[r.IntN(len(args))] + ")"}, "9")
	}
}

// parties declares two or three clients, or families. In one model of four a client, which may have terms
// too, holds the responses, and is perhaps called the server, or beside one that has nothing. In another
// several hold one each.
func (g *generator) parties(holding *rand.Rand) {
	names, server := slices.Clone(g.clients), ""
	if len(g.clients) == 1 || g.IntN(4) == 0 {
		names = append(names, "lab[J]")
		g.members["lab"] = 1 + g.IntN(3)
		for k := range g.members["lab"] { // which may have no data
			g.tables[fmt.Sprint("lab/", k+1)] = map[string]any{}
		}
		g.clients = append(g.clients, "lab")
	}
	if g.IntN(4) == 0 {
		g.keeper, server = "a", []string{"", "", "nobody", "a"}[g.IntN(4)]
		if g.IntN(2) == 0 {
			g.keeper, names = "keeper", append(names, "keeper")
			server = strings.Replace(server, "a", "keeper", 1)
		}
	}
	if g.keeper == "" && holding.IntN(4) == 0 {
		holders := append(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "lab[J]" }),
			"", "keeper")
		holding.Shuffle(len(holders), func(i, j int) { holders[i], holders[j] = holders[j], holders[i] })
		g.keepers, names = holders[:2+holding.IntN(2)], append(names, "keeper")
		server = []string{"", "", "nobody", "a"}[holding.IntN(4)]
	}
	if g.server = server; server != "" {
		names = slices.DeleteFunc(names, func(n string) bool { return n == server })
		g.declare("server " + server)
	}
	g.declare("client " + strings.Join(names, ", "))
}

// statement writes a likelihood with a predictor in the place of each ETA, and of each SUMS.
func (g *generator) statement(k kind, number string) {
	needs, kept := strings.ReplaceAll(k.needs, "#", number), ""
	if len(g.keepers) > 0 { // what is kept by the server a holder may see where it is shared
		needs, kept = keptNames.ReplaceAllString(needs, "$1 @ shared"), " @ shared"
	}
	if g.keeper != "" && !strings.HasPrefix(k.text, "factor") { // which has no response
		needs = response.ReplaceAllString(needs, "$1 @ "+g.keeper)
	}
	g.declare(needs)
	text := strings.ReplaceAll(k.text, "#", number)
	for i := 1; ; i++ {
		place := predictors.FindString(text)
		if place == "" {
			break
		}
		m := fmt.Sprintf("m%s_%d", number, i)
		g.declare("param " + m + " ~ normal(0, 1)" + kept)
		of := byRows
		if place == "SUMS" {
			of = byGroups
		}
		text = strings.Replace(text, place, g.predictor(m, of), 1)
	}
	g.body = append(g.body, text)
}

var (
	keptNames  = regexp.MustCompile(`(?m)^(param [^@\n]*[^@\s])$`)
	response   = regexp.MustCompile(`(?m)^(data [^@\n]*[^@\s])( @ shared)?$`)
	predictors = regexp.MustCompile(`\b(ETA|SUMS)\b`)
)

// addends are what predictors of a length are made of: terms of one client, of two, and a column of its own.
type addends struct {
	own, pairs []kind
	column     string
}

var (
	byRows   = addends{terms(), pairs(), "[g]"}
	byGroups = addends{sums(), sumPairs(), ""}
)

// predictor is a sum of an intercept and clients' terms; seldom a product of two such sums.
func (g *generator) predictor(intercept string, of addends) string {
	sum := g.sum(of)
	if g.IntN(8) == 0 {
		return fmt.Sprintf("(%s + %s) .* (1 + %s)", intercept, sum, g.sum(of))
	}
	if g.IntN(8) == 0 {
		return fmt.Sprintf("%s - %s * (%s)", intercept, []string{"2", "q", "k"}[g.IntN(3)], sum)
	}
	return intercept + " + " + sum
}

// sum has at least one client that does not hold the responses.
func (g *generator) sum(of addends) string {
	var parts []string
	others := slices.DeleteFunc(slices.Clone(g.clients), func(c string) bool { return c == g.keeper })
	for _, c := range g.clients {
		if g.IntN(4) > 0 {
			parts = append(parts, g.part(c, of))
			others = slices.DeleteFunc(others, func(o string) bool { return c != g.keeper })
		}
	}
	if len(others) > 0 {
		parts = append(parts, g.part(others[g.IntN(len(others))], of))
	}
	if a, b := g.clients[0], g.clients[1]; g.members[b] == 0 && g.IntN(6) == 0 {
		k := of.pairs[g.IntN(len(of.pairs))]
		if !g.used[k.text] {
			g.used[k.text] = true
			parts = append(parts, g.write(k, a, b))
		}
	}
	return strings.Join(parts, " + ")
}

// write declares what a term of one client, or two, needs, and returns its text.
func (g *generator) write(k kind, clients ...string) string {
	names := strings.NewReplacer("#", clients[0], "$", clients[len(clients)-1])
	needs := names.Replace(k.needs)
	if len(g.keepers) > 0 {
		needs = keptNames.ReplaceAllString(needs, "$1 @ shared")
	}
	g.declare(needs)
	return names.Replace(k.text)
}

// part is one to three terms of a client; of a family, summed over its members.
func (g *generator) part(client string, of addends) string {
	var texts []string
	for range 1 + g.IntN(3) {
		k := of.own[g.IntN(len(of.own))]
		key := client + k.text
		if g.used[key] && g.IntN(8) > 0 {
			continue // under power a cut enters one sum
		}
		g.used[key] = true
		texts = append(texts, g.write(k, client))
	}
	if texts == nil {
		name := fmt.Sprintf("y%d_%s", len(g.declared), client)
		g.declare(fmt.Sprintf("param %s : real[G] ~ normal(0, 1) @ %s", name, client))
		texts = append(texts, name+of.column)
	}
	text := strings.Join(texts, " + ")
	if g.members[client] == 0 {
		return text
	}
	name := fmt.Sprintf("part%d", len(g.declared))
	g.declare(fmt.Sprintf("let %s = %s @ %s", name, text, client))
	return fmt.Sprintf("sum(%s[j] for j in %s)", name, client)
}

// declare adds lines that are not there yet, and values of data.
func (g *generator) declare(lines string) {
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if g.declared[line] {
			continue
		}
		g.declared[line] = true
		g.lines = append(g.lines, line)
		if strings.HasPrefix(line, "data ") {
			g.data(line)
		}
	}
}

// dataLine has the name, the type, its bounds or size, the shape and the rest of a declaration of data.
var dataLine = regexp.MustCompile(`^data (\w+) : (\w+)(?:<(.*?)>|\((.*?)\))?(?:\[(.*?)\])?(.*)$`)

var owner = regexp.MustCompile(`@ (\w+)`)

// data draws the values of a declaration, for each member of a family.
func (g *generator) data(line string) {
	p := dataLine.FindStringSubmatch(line)
	party := cmp.Or(g.server, check.DefaultServer)
	if o := owner.FindStringSubmatch(p[6]); o != nil {
		party = o[1]
	}
	for k := range max(1, g.members[party]) {
		to, own := party, columns
		if g.members[party] > 0 {
			to, own = fmt.Sprint(party, "/", k+1), 1+(k+1)%3
		}
		var dims []int
		for d := range strings.SplitSeq(p[5], ",") {
			dims = append(dims, size(strings.TrimSpace(d), own))
		}
		if g.tables[to] == nil {
			g.tables[to] = map[string]any{}
		}
		g.tables[to][p[1]] = g.array(dims, func(i int) any {
			if strings.Contains(p[6], "missing") && i%3 == 1 {
				return nil
			}
			if strings.HasPrefix(p[4], `"`) {
				return []string{"M", "F"}[g.IntN(2)]
			}
			return g.number(p[2]+p[3], i)
		})
	}
}

// size is what a size in a declaration is.
func size(name string, own int) (n int) {
	switch {
	case name == "N":
		return rows
	case name == "G" || name == "H":
		return groups
	case name == "M":
		return rows - 2
	case strings.HasPrefix(name, "P_"):
		return own
	case strings.HasPrefix(name, "P1_"):
		return own + 1
	case strings.HasPrefix(name, "NA_"):
		return rows - own
	}
	if _, err := fmt.Sscan(name, &n); err != nil {
		panic("splitmodel: no size " + name)
	}
	return n
}

// array draws an array; of is given the index in the first axis.
func (g *generator) array(dims []int, of func(i int) any) any {
	out := make([]any, dims[0])
	for i := range out {
		if len(dims) > 1 {
			out[i] = g.array(dims[1:], of)
		} else {
			out[i] = of(i)
		}
	}
	return out
}

// number draws an element of data of a type, with its bounds. Levels, of which there are as many as groups,
// all occur.
func (g *generator) number(of string, i int) any {
	switch of {
	case "binary":
		return g.IntN(2)
	case "count":
		return g.IntN(6)
	case "level":
		if i < groups {
			return 1 + i
		}
		return 1 + g.IntN(groups)
	case "reallower=0":
		return digits(0.2 + g.ExpFloat64())
	case "reallower=0, upper=1":
		return digits(0.05 + float64(0.9*g.Float64()))
	case "real":
		return digits(g.NormFloat64())
	}
	panic("splitmodel: no values of " + of)
}

// digits rounds to four decimals, as tables have.
func digits(v float64) float64 { return math.Round(v*1e4) / 1e4 }
