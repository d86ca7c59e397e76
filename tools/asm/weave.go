package main

import "github.com/mmcloughlin/avo/ir"

// Bodies that compute the same for different vectors are emitted between these marks and then woven: one
// instruction of each in turn, so that a processor finds independent work within few instructions.
const (
	weaveBegin = ir.Label("weave begin")
	weaveNext  = ir.Label("weave next")
	weaveEnd   = ir.Label("weave end")
)

// weave emits body several times, woven. Changes of shared registers keep their order. A body has no labels.
func (g *gen) weave(times int, body func(u int)) {
	g.Label(string(weaveBegin))
	for u := range times {
		if u > 0 {
			g.Label(string(weaveNext))
		}
		body(u)
	}
	g.Label(string(weaveEnd))
}

// woven interleaves the instructions between the marks.
func woven(nodes []ir.Node) []ir.Node {
	var out []ir.Node
	var threads [][]ir.Node
	for _, n := range nodes {
		switch {
		case n == weaveBegin:
			threads = [][]ir.Node{nil}
		case n == weaveNext:
			threads = append(threads, nil)
		case n == weaveEnd:
			out, threads = append(out, inTurn(threads)...), nil
		case threads != nil:
			last := len(threads) - 1
			threads[last] = append(threads[last], n)
		default:
			out = append(out, n)
		}
	}
	return out
}

func inTurn(threads [][]ir.Node) []ir.Node {
	var out []ir.Node
	for i := 0; ; i++ {
		before := len(out)
		for _, t := range threads {
			if i < len(t) {
				out = append(out, t[i])
			}
		}
		if len(out) == before {
			return out
		}
	}
}
