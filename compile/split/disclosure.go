package split

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/stdlib"
)

// A Disclosure is one thing that a party learns from another.
type Disclosure struct {
	Party  string   `json:"party"` // who learns
	What   string   `json:"what"`
	From   string   `json:"from"`
	Shape  []string `json:"shape"`
	Often  string   `json:"how_often"`
	Masked string   `json:"masked"` // what hides it
}

const (
	everyRound = "every round"
	once       = "once"
)

// Disclosures lists what crosses between the parties, as the protocol carries it: the server relays, and sees each client's z separately.
func (m *Manifest) Disclosures() []Disclosure {
	var out []Disclosure
	for _, c := range m.Cuts {
		out = append(out, cutDisclosures(m, c)...)
	}
	for _, g := range m.Groups {
		for _, client := range groupClients(m, g) {
			out = append(out, Disclosure{client, "adjoint of " + sumName(g), m.Server, g.Shape, everyRound, "no"})
		}
	}
	for _, s := range m.Shared {
		for _, to := range s.To {
			out = append(out,
				Disclosure{to, "value of " + s.Name, m.Server, s.Shape, everyRound, "no"},
				Disclosure{m.Server, "gradient of " + s.Name, to, s.Shape, everyRound, "no"})
		}
	}
	for _, d := range m.SharedData {
		for _, to := range d.To {
			out = append(out, Disclosure{to, "data " + d.Name, "any holder", d.Shape, once, "no"})
		}
	}
	return out
}

func cutDisclosures(m *Manifest, c ManifestCut) []Disclosure {
	var out []Disclosure
	for _, viewer := range c.SeenBy {
		d := Disclosure{viewer, c.Name + " itself", c.Client, c.Shape, everyRound, "noise of sd " + c.Rho}
		if viewer != m.Server {
			d.What = c.Name + " within the others' sum"
			d.From = m.Server
		}
		out = append(out, d)
	}
	if t, _ := stdlib.New().Transform(m.Transform); t.AtClients {
		out = append(out, Disclosure{m.Server, "adjoint of the others' sum", c.Client, c.Shape, everyRound, "no"})
	}
	return out
}

func groupClients(m *Manifest, g ManifestGroup) []string {
	var out []string
	for _, c := range m.Cuts {
		if slices.Contains(g.Cuts, c.Name) && !slices.Contains(out, c.Client) {
			out = append(out, c.Client)
		}
	}
	return out
}

func sumName(g ManifestGroup) string {
	if g.Additive {
		return strings.Join(g.Cuts, " + ")
	}
	return strings.Join(g.Cuts, ", ") + " one by one"
}
