package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/runtime/vector"
)

// A Recursion is an array whose rows follow from those before them. Its body is a graph without parameters
// whose only output is a row, and which runs once for each row. Reverse mode runs it backwards, evaluating
// each row again: time is linear in the number of rows, and memory beyond the value one array of its size.
type Recursion struct {
	Name string // as printed; of two recursions that have it in common with their inputs, one is computed
	Body *Graph // its inputs are the Reads, in order
	// The rows from First to Last (0-based) are computed, downwards where Last < First by more than 1 or Down
	// is set. The others are the first inputs of the node.
	First, Last int
	Down        bool
	Rows        int
	State       Shape
	Start       []int // the row that each of the first inputs is
	Reads       []Read
}

// A Read is what an input of the body is in the step of row t.
type Read struct {
	Kind   ReadKind
	Input  int // of the node, from 0 behind the first inputs; not for ReadState
	Offset int // of ReadRow: row t + Offset of the input; of ReadState: row t + Offset of the recursion
}

// ReadKind tells what a body's input reads.
type ReadKind uint8

// The kinds of reads.
const (
	ReadWhole ReadKind = iota // the whole input
	ReadRow                   // a row of it
	ReadState                 // a row of the recursion; of a System, the state
	ReadTime                  // of a System
)

// Recur adds a recursion with its first rows and the inputs that its Reads name. The error describes what is
// wrong with their shapes.
func (b *Builder) Recur(r *Recursion, start, in []ID) (ID, error) {
	n := node{op: opRecur, in: append(append([]ID(nil), start...), in...), recursion: r}
	for _, id := range n.in {
		b.check(id)
	}
	if err := opRecur.infer(b, &n); err != nil {
		return NoID, fmt.Errorf("recur: %w", err)
	}
	if id, ok := b.apart(r, start, in); ok {
		return id, nil
	}
	rows, ok := b.unrolled(r, start, in)
	if ok && len(r.State) == 1 {
		return b.stacked(rows)
	}
	id := b.intern(n)
	if ok {
		b.rowsOf[id] = rows
	}
	return id, nil
}

var opRecur = &op{
	name: "recur", doc: "rows that follow from those before them, by a graph that runs once for each",
	least:   1,
	infer:   inferRecur,
	forward: func(c *call) { c.recur.run(c) },
	vjp:     func(c *call) { c.recur.reverse(c) },
	needs:   func(int) need { return output },
}

func inferRecur(b *Builder, n *node) error {
	r := n.recursion
	for k, id := range n.in[:len(r.Start)] {
		if s := b.nodes[id].shape; !s.equal(r.State) {
			return fmt.Errorf("entry %d has shape %v, not %v", r.Start[k]+1, s, r.State)
		}
	}
	low, high := min(r.First, r.Last), max(r.First, r.Last)
	for _, read := range r.Reads {
		rows := r.Rows
		if read.Kind == ReadRow {
			rows = b.nodes[n.in[len(r.Start)+read.Input]].shape.rows()
		}
		if read.Kind != ReadWhole && r.steps() > 0 && (low+read.Offset < 0 || high+read.Offset >= rows) {
			beyond := high + read.Offset + 1
			if low+read.Offset < 0 {
				beyond = low + read.Offset + 1
			}
			return fmt.Errorf("a step reads row %d of an array of %d", beyond, rows)
		}
	}
	n.whole(append(Shape{r.Rows}, r.State...))
	return nil
}

// steps is the number of rows that are computed.
func (r *Recursion) steps() int {
	if r.Down {
		return r.First - r.Last + 1
	}
	return r.Last - r.First + 1
}

// at is the row of a step.
func (r *Recursion) at(step int) int {
	if r.Down {
		return r.First - step
	}
	return r.First + step
}

// key distinguishes recursions that have the same inputs.
func (r *Recursion) key() string {
	var s strings.Builder
	fmt.Fprintf(&s, "recur{%s %d %d %v %d %v %v %v\n", r.Name, r.First, r.Last, r.Down, r.Rows, r.State,
		r.Start, r.Reads)
	return s.String() + r.Body.String() + "}"
}

// byRow reports whether steps read rows of an input of the node, and whole whether they read all of it.
func (r *Recursion) byRow(input int) bool { return r.read(input, ReadRow) }

func (r *Recursion) whole(input int) bool { return r.read(input, ReadWhole) }

func (r *Recursion) read(input int, kind ReadKind) bool {
	return slices.ContainsFunc(r.Reads, func(read Read) bool {
		return read.Kind == kind && len(r.Start)+read.Input == input
	})
}

// A recurState holds the arrays of one recursion in one Exec.
type recurState struct {
	*Recursion
	turned bool
	body   *Exec
	inputs [][]float64 // of the body
	back   [][]float64 // their adjoints
	rows   []int       // of what they are read from
	seed   []float64
	seeds  [][]float64
	adj    []float64 // of all rows, as it accumulates
}

func newRecurState(n *node) *recurState {
	r := n.recursion
	s := &recurState{Recursion: r, turned: n.turned, body: r.Body.NewExec(),
		seed: make([]float64, r.State.Len()), adj: make([]float64, r.Rows*r.State.Len())}
	s.seeds, s.rows = [][]float64{s.seed}, make([]int, len(r.Reads))
	for k := range r.Reads {
		s.inputs, s.back = append(s.inputs, s.body.Input(k)), append(s.back, s.body.InputAdjoint(k))
	}
	return s
}

// gather copies row t of an array of so many rows; scatter adds to it.
func (s *recurState) gather(dst, array []float64, t, rows int) {
	if s.turned {
		copy(dst, array[t*len(dst):])
		return
	}
	for j := range dst {
		dst[j] = array[j*rows+t]
	}
}

func (s *recurState) scatter(array, src []float64, t, rows int) {
	if s.turned {
		vector.Accumulate(len(src), array[t*len(src):], src)
		return
	}
	for j, v := range src {
		array[j*rows+t] += v
	}
}

func (s *recurState) put(array, src []float64, t int) {
	if s.turned {
		copy(array[t*len(src):], src)
		return
	}
	for j, v := range src {
		array[j*s.Rows+t] = v
	}
}

// operand is the input of the node that a read names.
func (s *recurState) operand(c *call, r *Read) *operand { return &c.in[len(s.Start)+r.Input] }

// begin copies what is the same in all steps to the inputs of the body.
func (s *recurState) begin(c *call) {
	for k := range s.Reads {
		switch r := &s.Reads[k]; r.Kind {
		case ReadWhole:
			copy(s.inputs[k], s.operand(c, r).val.buf)
		case ReadRow:
			s.rows[k] = len(s.operand(c, r).val.buf) / max(1, len(s.inputs[k]))
		}
	}
}

// load copies what the step of row t reads.
func (s *recurState) load(c *call, t int) {
	for k := range s.Reads {
		switch r := &s.Reads[k]; r.Kind {
		case ReadRow:
			s.gather(s.inputs[k], s.operand(c, r).val.buf, t+r.Offset, s.rows[k])
		case ReadState:
			s.gather(s.inputs[k], c.out.val.buf, t+r.Offset, s.Rows)
		}
	}
}

func (s *recurState) run(c *call) {
	y := c.out.val.buf
	for k, t := range s.Start {
		s.put(y, c.in[k].val.buf, t)
	}
	s.begin(c)
	for i := range s.steps() {
		t := s.at(i)
		s.load(c, t)
		s.body.again()
		s.put(y, s.body.Output(0), t)
	}
}

// reverse carries the adjoints of rows back, the last computed first.
func (s *recurState) reverse(c *call) {
	copy(s.adj, c.out.adj.buf)
	s.begin(c)
	s.body.clearAdjoints()
	for i := s.steps() - 1; i >= 0; i-- {
		t := s.at(i)
		s.load(c, t)
		s.gather(s.seed, s.adj, t, s.Rows)
		s.body.again()
		s.body.Pull(s.seeds)
		s.spread(c, t)
	}
	for k := range s.Reads {
		if r := &s.Reads[k]; r.Kind == ReadWhole {
			if to := s.operand(c, r).adj.buf; to != nil {
				vector.Accumulate(len(to), to, s.back[k])
			}
		}
	}
	for k, t := range s.Start {
		if c.wants(k) {
			s.gather(s.seed, s.adj, t, s.Rows)
			vector.Accumulate(len(s.seed), c.in[k].adj.buf, s.seed)
		}
	}
}

// spread adds the adjoints of the rows that the body has read to what they were read from, and clears them.
// Those of what is the same in all steps add up in the body.
func (s *recurState) spread(c *call, t int) {
	for k := range s.Reads {
		r, d := &s.Reads[k], s.back[k]
		switch r.Kind {
		case ReadWhole:
			continue
		case ReadState:
			s.scatter(s.adj, d, t+r.Offset, s.Rows)
		case ReadRow:
			if to := s.operand(c, r).adj.buf; to != nil {
				s.scatter(to, d, t+r.Offset, s.rows[k])
			}
		}
		clear(d)
	}
}
