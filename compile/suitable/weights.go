package suitable

import (
	"fmt"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
)

// A Backend describes, for messages, the backend that refuses weights.
type RefusingBackend struct {
	Name   string
	Others []string // the backends that estimate weights wherever they are
}

// WithoutWeights returns an error where a model has weights, for a backend that draws every parameter.
func WithoutWeights(p *check.Program, b RefusingBackend) (diags diag.List) {
	if found := weights(p, func(*check.Symbol) bool { return true }); len(found) > 0 {
		diags.Errorf(diag.WeightDrawn, p.File.Source, found[0].Ident.Span(),
			"%s, but %s draws every parameter from the posterior, and without a prior there need not be one",
			estimated(found), b.Name).
			Note("%s", b.wayOut(found[0]))
	}
	return diags
}

// WithoutClientWeights returns an error where clients have weights, for a backend that maximises over the
// server's parameters alone.
func WithoutClientWeights(p *check.Program, b RefusingBackend) (diags diag.List) {
	found := weights(p, func(s *check.Symbol) bool {
		_, client := p.Client(s.Owner)
		return client
	})
	if len(found) > 0 {
		diags.Errorf(diag.WeightOfClient, p.File.Source, found[0].Ident.Span(),
			"%s, but %s draws the parameters of clients, and maximises over their auxiliary variables alone",
			estimated(found), b.Name).
			Note("%s", b.wayOut(found[0]))
	}
	return diags
}

func weights(p *check.Program, which func(*check.Symbol) bool) (found []*check.Symbol) {
	for _, s := range p.Order {
		if s.Initial != nil && which(s) {
			found = append(found, s)
		}
	}
	return found
}

// estimated names the first of the weights, and counts the others.
func estimated(found []*check.Symbol) string {
	switch n := len(found) - 1; n {
	case 0:
		return fmt.Sprintf("the weight %s is estimated as a point", found[0].Name)
	case 1:
		return fmt.Sprintf("the weights %s and %s are estimated as points", found[0].Name, found[1].Name)
	default:
		return fmt.Sprintf("the weight %s and %d others are estimated as points", found[0].Name, n)
	}
}

func (b RefusingBackend) wayOut(s *check.Symbol) string {
	text := fmt.Sprintf("use --backend %s", strings.Join(b.Others, " or "))
	// its declaration is that of a module, to which no statement can be added
	if strings.Contains(s.Name, ".") {
		return text +
			", or a function of the module whose parameters have priors: nn.mlp in place of " +
			"nn.features and nn.last_layer"
	}
	if s.Type.Scalar() {
		return fmt.Sprintf("%s, or give it a prior: param %s ~ …", text, s.Name)
	}
	return fmt.Sprintf("%s, or give it a prior: param %s : %s ~ …", text, s.Name, s.Type)
}
