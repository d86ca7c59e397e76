package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/types"
)

// A modelSection is the text of the model with the owner of each name.
type modelSection struct {
	Name   string
	Legend []owned
	Pieces []piece
}

// An owned is a line of the legend.
type owned struct {
	Owner, Class, Role string
	Names              []string
}

// A piece is a part of the text in one colour; Class is "" where it has none.
type piece struct{ Text, Class string }

// Classes of what no single party owns, and of comments. Those of parties are the colours in style.css: p0 of
// the server, and p1, p2, … of the clients, again from p1 where there are more clients than colours.
const (
	sharedClass  = "shared"
	severalClass = "several"
	commentClass = "comment"
	colours      = 7
)

// modelText is the text of the model.
func (r *Report) modelText() (any, error) {
	text := r.model.Source.Text
	out := modelSection{Name: filepath.Base(r.model.Source.Name), Legend: r.legend()}
	from := 0
	for _, w := range parser.Words(text) {
		out.Pieces = append(out.Pieces, between(text[from:w.Start])...)
		word := text[w.Start:w.End]
		out.Pieces = append(out.Pieces, piece{word, r.classOfWord(word)})
		from = w.End
	}
	out.Pieces = append(out.Pieces, between(text[from:])...)
	return out, nil
}

// between is what stands between two words: blanks and comments.
func between(text string) []piece {
	if text == "" {
		return nil
	}
	if strings.TrimSpace(text) == "" {
		return []piece{{text, ""}}
	}
	return []piece{{text, commentClass}}
}

// classOfWord is that of the owner of a name; "" where the word is none.
func (r *Report) classOfWord(word string) string {
	m := r.model.Checked
	s := m.Symbols[word]
	switch {
	case word == m.Server, s != nil && s.Kind == check.Party:
		return r.classOf(word)
	case word == check.Shared:
		return sharedClass
	case s == nil:
		return ""
	}
	switch owners := ownersOf(s); {
	case s.Kind == check.Const || s.Kind == check.IndexVar:
		return ""
	case owners.Shared():
		return sharedClass
	default:
		if owner, alone := owners.Sole(); alone {
			return r.classOf(owner)
		}
		return severalClass
	}
}

// ownersOf are the parties whose private names a symbol depends on.
func ownersOf(s *check.Symbol) types.Owners {
	if s.Kind != check.Data && s.Kind != check.Param {
		return s.Owners
	}
	if s.Owner == check.Shared {
		return nil
	}
	return types.Owners{s.Owner}
}

// parties lists the server and the clients, a family once.
func (r *Report) parties() []string {
	out := []string{r.model.Checked.Server}
	for _, c := range r.model.Checked.Clients {
		out = append(out, c.Name)
	}
	return out
}

// classOf is the class of a party, or of a member of a family.
func (r *Report) classOf(owner string) string {
	name, _, _ := strings.Cut(owner, "[")
	switch k := slices.Index(r.parties(), name); k {
	case -1:
		return sharedClass
	case 0:
		return "p0"
	default:
		return fmt.Sprintf("p%d", 1+(k-1)%colours)
	}
}

// legend lists the owners with their names, so that no fact is in a colour alone.
func (r *Report) legend() []owned {
	var out []owned
	for k, party := range r.parties() {
		out = append(out, owned{Owner: party, Class: r.classOf(party), Role: r.role(k)})
	}
	out = append(out, owned{Owner: "shared", Class: sharedClass, Role: "known to every party"},
		owned{Owner: "several parties", Class: severalClass, Role: "depends on private names of each"})
	for _, s := range r.model.Checked.Order {
		if s.Kind == check.Party {
			continue
		}
		class := r.classOfWord(s.Name)
		k := slices.IndexFunc(out, func(o owned) bool {
			return o.Class == class && (s.Owner == "" || s.Owner == o.Owner)
		})
		if k >= 0 {
			out[k].Names = append(out[k].Names, s.Name)
		}
	}
	return slices.DeleteFunc(out, func(o owned) bool {
		return len(o.Names) == 0 && (o.Class == sharedClass || o.Class == severalClass)
	})
}

// role describes the k-th party.
func (r *Report) role(k int) string {
	if k == 0 {
		return "server"
	}
	c := r.model.Checked.Clients[k-1]
	if !c.Family {
		return "client"
	}
	if n := r.members(c.Name); n > 0 {
		return fmt.Sprintf("a family of %d clients", n)
	}
	return "a family of clients"
}

// members counts the members of a family by their tables; 0: none is recorded.
func (r *Report) members(family string) int {
	n := 0
	for _, s := range r.run.Record.Data {
		if strings.HasPrefix(s.Party, family+"[") {
			n++
		}
	}
	return n
}
