package lower

import (
	"fmt"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
)

// An Outline is what other parties need of a lowered party to wire a run: the names and sizes of what it
// sends and receives, and which received values its program adds up. It holds no data.
type Outline struct {
	Name    string         `json:"name"`
	Family  string         `json:"family,omitempty"`
	Member  int            `json:"member,omitempty"`
	Cuts    []OutlineCut   `json:"cuts,omitempty"`
	Inputs  []OutlineInput `json:"inputs,omitempty"`
	Outputs []string       `json:"outputs,omitempty"`
}

// An OutlineCut is a cut that the party sends.
type OutlineCut struct {
	Name string  `json:"name"`
	Rows int     `json:"rows"`
	Cols int     `json:"cols"`
	Rho  float64 `json:"rho"`
}

// An OutlineInput is an input of the party's graph.
type OutlineInput struct {
	Name   string   `json:"name,omitempty"`
	Sum    []string `json:"sum,omitempty"`
	Member int      `json:"member,omitempty"`
	Drawn  bool     `json:"drawn,omitempty"`
	Read   bool     `json:"read,omitempty"`
	Early  bool     `json:"early,omitempty"`
	Beside []int    `json:"beside,omitempty"`
}

// Outline returns the party's outline.
func (l *Lowered) Outline() Outline {
	o := Outline{Name: l.Name, Family: l.Family, Member: l.Member, Outputs: l.outputs}
	for _, c := range l.Spec.Cuts {
		o.Cuts = append(o.Cuts, OutlineCut{c.Name, c.Rows, c.Cols, c.Rho})
	}
	for _, in := range l.inputs {
		o.Inputs = append(o.Inputs, OutlineInput{in.name, in.sum, in.member, in.drawn, in.read, in.early,
			in.beside})
	}
	return o
}

// mostElements bounds what the outline of a stranger may claim to send.
const mostElements = 1 << 31

// Elsewhere is a party of another process in the wiring of a run, from its outline. The error says what
// cannot be.
func (o Outline) Elsewhere() (*Lowered, error) {
	l := &Lowered{Spec: &model.Spec{Party: o.Name}, PartyData: PartyData{Name: o.Name, Family: o.Family,
		Member: o.Member}, outputs: o.Outputs}
	at := 0
	for _, c := range o.Cuts {
		if c.Rows < 0 || c.Cols < 0 || c.Rows > mostElements || c.Cols > mostElements ||
			c.Rows*c.Cols > mostElements || !(c.Rho >= 0) {
			return nil, fmt.Errorf("%s: the outline of %s has impossible sizes", o.Name, c.Name)
		}
		l.Spec.Cuts = append(l.Spec.Cuts, density.Cut{Name: c.Name, Offset: at, Rows: c.Rows, Cols: c.Cols,
			Rho: c.Rho})
		at += c.Rows * c.Cols
	}
	for _, in := range o.Inputs {
		l.inputs = append(l.inputs, inputPort{in.Name, in.Sum, in.Member, in.Drawn, in.Read, in.Early,
			in.Beside, nil})
	}
	return l, nil
}
