package cut

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/compile/check"
)

// Stretch is ρ√J where neither the model nor the command line gives ρ: the auxiliary variables of a
// likelihood then add noise of this standard deviation to its predictor, however many clients there are. The
// coefficients of a logistic regression grow by 0.05 % of themselves, those of a probit one by 0.13 %.
const Stretch = 0.05

// settle finds the standard deviation of each client's auxiliary variables: as given, else Stretch/√J. J
// counts the clients with a cut in a statement; of several statements with a cut of the client the one with
// most decides, so that no predictor gets more noise than Stretch. A family whose number of members is not
// known leaves the clients of its statements without a value.
func (p *Program) settle() {
	p.rho = map[string]float64{}
	if !p.Transform.Kind.Noise() {
		return
	}
	for _, k := range p.Cuts {
		if given := p.Transform.RhoOf(k.Client); given > 0 {
			p.rho[k.Client] = given
		} else if j, known := p.mostClients(k.Client); known {
			p.rho[k.Client] = Stretch / math.Sqrt(float64(j))
		}
	}
}

// mostClients is the largest number of clients with a cut in a statement that a client has a cut in.
func (p *Program) mostClients(client string) (most int, known bool) {
	for _, l := range p.Likelihoods {
		names := p.Evaluators(l)
		if !slices.Contains(names, client) {
			continue
		}
		n := 0
		for _, name := range names {
			members, ok := p.members(name)
			if !ok {
				return 0, false
			}
			n += members
		}
		most = max(most, n)
	}
	return most, true
}

// Addends is the largest number of clients with a cut in one statement, where families have so many members;
// 0 where there is none.
func (p *Program) Addends(members map[string]int) (most int) {
	for _, l := range p.Likelihoods {
		n := 0
		for _, name := range p.Evaluators(l) {
			count, known := p.members(name)
			if !known {
				count = members[name]
			}
			n += count
		}
		most = max(most, n)
	}
	return most
}

// members is the number of members of a family, 1 of a single client.
func (p *Program) members(client string) (int, bool) {
	c, _ := p.Client(client)
	n, err := c.Count.Eval(func(size string) (int, bool) {
		if s := p.Symbols[size]; s != nil && s.Kind == check.Const {
			return int(s.Value), true
		}
		return 0, false
	})
	if err != nil {
		n = p.Members[client]
	}
	return n, n > 0
}

// Evaluators are the clients with a cut in a statement, as declared.
func (p *Program) Evaluators(k *Likelihood) (names []string) {
	for _, c := range p.Clients {
		if slices.ContainsFunc(k.Groups, func(g *Group) bool { return g.of(c.Name) }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// of reports whether a client has a cut in the group.
func (g *Group) of(client string) bool {
	return slices.ContainsFunc(g.Cuts, func(x *Expression) bool { return x.Client == client })
}

// RhoOf returns the standard deviation of a client's auxiliary variables; 0 where it has none, or where the
// value is open.
func (p *Program) RhoOf(client string) float64 { return p.rho[client] }

// OpenFamily returns the family whose number of members decides the noise and is not known without data;
// false where every value is settled.
func (p *Program) OpenFamily() (check.Client, bool) {
	if !slices.ContainsFunc(p.Cuts, func(k *Expression) bool {
		return p.Transform.Kind.Noise() && p.rho[k.Client] == 0
	}) {
		return check.Client{}, false
	}
	for _, c := range p.Clients {
		if _, known := p.members(c.Name); !known {
			return c, true
		}
	}
	return check.Client{}, false
}

// verifyNoise checks that the auxiliary variables of every cut have a density.
func (p *Program) verifyNoise() error {
	if _, open := p.OpenFamily(); open || !p.Transform.Kind.Noise() {
		return nil
	}
	for _, k := range p.Cuts {
		if rho := p.RhoOf(k.Client); !(rho > 0) || math.IsInf(rho, 1) {
			return fmt.Errorf("the noise of %s has sd %v", k.Name, rho)
		}
	}
	return nil
}
