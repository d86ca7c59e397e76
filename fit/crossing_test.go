package fit

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// What a run counts lies within the forecast before it: of chains under three transforms and of a hierarchy,
// of chains begun near an approximation, and of approximations by quadrature and by draws, those of many
// clients too, whose draws cross in many messages.
func TestForecastOfWhatCrosses(t *testing.T) {
	linear := func(transform def.Transform) *compile.BoundModel { return linearUnder(t, transform) }
	for name, c := range map[string]struct {
		b       *compile.BoundModel
		backend string
		given   map[string]string
	}{
		"exact": {linear(stdlib.Exact), "nuts", map[string]string{"warmup": "100", "draws": "100"}},
		"augmented": {linear(stdlib.Augmented), "nuts",
			map[string]string{"warmup": "100", "draws": "100"}},
		"power":      {linear(stdlib.Power), "nuts", map[string]string{"warmup": "100", "draws": "100"}},
		"wards":      {wards(t), "nuts", map[string]string{"warmup": "200", "draws": "100"}},
		"init":       {linear(stdlib.Exact), "nuts", near()},
		"quadrature": {linear(stdlib.Augmented), "sfvi", nil},
		"pieces":     {many(t), "sfvi", nil},
		"fixed":      {linear(stdlib.Exact), "sfvi", map[string]string{"estimator": "fixed"}},
		"soul":       {linear(stdlib.Augmented), "soul", nil},
		"sampled": {linear(stdlib.Augmented), "sfvi", map[string]string{"estimator": "sampled",
			"iterations": "2000", "correct": "false"}},
	} {
		said := &messages{}
		p, diags, err := OpenBound(c.b, Options{Algorithm: backend(t, c.backend), Settings: c.given, Seed: 3,
			Progress: said})
		good(t, diags, err)
		f := p.Algorithm.Forecast(p.Settings)
		if p.near != nil {
			f = f.Plus(p.near.algorithm.Forecast(p.near.settings))
		}
		least, most := p.work(f)
		r, err := p.Sample(context.Background(), nil)
		good(t, nil, err)
		w := r.Document.Work
		t.Logf("%s: %d to %d trips, %d to %d bytes; %d, %d", name, least.Sequential, most.Sequential,
			least.Bytes, most.Bytes, w.Sequential, w.Bytes)
		if w.Sequential < least.Sequential || w.Sequential > most.Sequential || w.Bytes < least.Bytes ||
			w.Bytes > most.Bytes {
			t.Errorf("%s: %+v, forecast from %+v to %+v", name, w, least, most)
		}
		text := strings.Join(said.all, "\n")
		_, line, found := strings.Cut(text, "between processes: ")
		line, _, _ = strings.Cut(line, "\n")
		for _, part := range []string{" trips, ", "B to ", " a trip"} {
			if !found || !strings.Contains(line, part) || len(line) > 100 {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}

// many is a regression of sixty clients, of which 1,001 columns of draws are in more messages than fits
// usually have.
func many(t *testing.T) *compile.BoundModel {
	t.Helper()
	m := testmodel.Linear(9, 700, slices.Repeat([]int{1}, 60), 0.7)
	return bindFiles(t, glmText(m), stdlib.Exact, 0, glmFiles(m))
}

// A model without clients has nothing to forecast.
func TestNoForecastAlone(t *testing.T) {
	b := bindFiles(t, "data y : real[N]\nparam m ~ normal(0, 1)\ny ~ normal(m, 1)\n", stdlib.Exact, 0,
		map[string]string{"data.csv": "y\n1\n2\n"})
	p, diags, err := OpenBound(b, Options{Algorithm: backend(t, "nuts"), Seed: 3})
	good(t, diags, err)
	if got := p.crossing(); got != "" {
		t.Error(got)
	}
}

// messages keeps what a run says.
type messages struct{ all []string }

func (m *messages) Message(text string)         { m.all = append(m.all, text) }
func (m *messages) Warning(string)              {}
func (m *messages) Begin(int, int)              {}
func (m *messages) Step(int, backends.StepInfo) {}
func (m *messages) Skip(int, int)               {}
func (m *messages) End()                        {}
func (m *messages) Point(posterior.ELBOPoint)   {}

// The policy that docs/deployment.md shows has rounds for what is usual of the default fit by nuts and of one
// by quadrature together.
func TestDocumentedPolicyPassesTheDefaultFit(t *testing.T) {
	text, err := os.ReadFile("../docs/deployment.md")
	good(t, nil, err)
	shown := regexp.MustCompile(`(?m)^max_rounds = (\d+)`).FindAllStringSubmatch(string(text), -1)
	if len(shown) != 2 {
		t.Fatalf("%d lines of max_rounds", len(shown))
	}
	wanted := 0
	for name, given := range map[string]map[string]string{"nuts": nil, "sfvi": {"estimator": "quadrature"}} {
		a := backend(t, name)
		s, err := a.Resolve(stdlib.Exact, given)
		good(t, nil, err)
		wanted += a.Forecast(s).Rounds.Most
	}
	for _, line := range shown {
		if most, err := strconv.Atoi(line[1]); err != nil || most < wanted {
			t.Errorf("%s, and the fits take up to %d rounds", line[0], wanted)
		}
	}
}
