package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// checkMessages compares what an algorithm declares of its messages: two kinds have two names, every content
// states how far it goes into single rows, so that the verdict of an audit counts it, and says of an array
// over rows what a receiver can compute of a row.
func checkMessages(t *testing.T, a backends.Algorithm) {
	t.Helper()
	names := map[string]*density.Exchange{}
	for _, transform := range a.Transforms {
		s, err := a.Resolve(transform, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range a.Exchanges(s) {
			CheckEvaluations(t, use.Exchange)
			for _, m := range []density.MessageKind{use.Exchange.Up, use.Exchange.Down} {
				if other := names[m.Name]; m.Name != "" && other != nil && other != use.Exchange {
					t.Errorf("%s: the exchanges %s and %s have messages of one name, %q", a.Name, other.Name,
						use.Exchange.Name, m.Name)
				}
				names[m.Name] = use.Exchange
				for _, c := range m.Carries {
					CheckContent(t, c.Content)
				}
			}
		}
	}
}

// CheckEvaluations tests that an exchange says of itself that its columns are evaluations where it brings
// what an evaluation does, and that over the elements of a sum it then answers with derivatives of the
// likelihood alone, by which the attack takes its columns.
func CheckEvaluations(t *testing.T, x *density.Exchange) {
	t.Helper()
	columns := func(c density.Carried) bool { return c.Content.Of <= density.OfReceptions }
	evaluated := func(c density.Carried) bool {
		return c.Content == density.Auxiliary || c.Content == density.BareCut
	}
	if !x.Evaluations {
		if slices.ContainsFunc(x.Up.Carries, evaluated) {
			t.Errorf("the exchange %s brings what an evaluation does: Evaluations is true of it", x.Name)
		}
		return
	}
	if !slices.ContainsFunc(x.Up.Carries, columns) {
		t.Errorf("the exchange %s is of evaluations, and nothing that depends on a cut goes up", x.Name)
	}
	for _, c := range x.Down.Carries {
		if columns(c) && c.Content.Bound != density.BoundSlopes && c.Content.Bound != density.BoundCurved {
			t.Errorf("the exchange %s is of evaluations, and %q comes down, no derivative of the likelihood",
				x.Name, c.Content.What)
		}
	}
}

// CheckContent tests what every content of a message must say.
func CheckContent(t *testing.T, c *density.Content) {
	t.Helper()
	if c.Reach == density.Unstated || c.What == "" || c.Masked == "" || c.Learns == "" {
		t.Errorf("the content %q lacks its reach, what masks it or what its receiver learns", c.What)
	}
	for _, text := range []string{c.Learns, c.Total} {
		if c.Reach == density.Contribution && text != "" && !strings.Contains(text, "columns of two values") {
			t.Errorf("the content %q shows what a client contributes to each row, and does not say that "+
				"columns of two values can be found: %q", c.What, text)
		}
	}
}
