package fit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/suitable"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/compiletest"
)

func TestMain(m *testing.M) { brief.Run(m) }

// rowsOf are tables of six rows. Tables whose first columns begin with other letters have other values.
func rowsOf(columns string) string {
	values := []string{"0.3", "-1.1", "0.7", "2.0", "-0.4", "1.2"}
	text := columns + "\n"
	for i := range values {
		var cells []string
		for j := range strings.Split(columns, ",") {
			cells = append(cells, values[(i+2*j+int(columns[0]))%len(values)])
		}
		text += strings.Join(cells, ",") + "\n"
	}
	return text
}

// audited are models of every kind of wiring: with what a cut depends on, what a client's own density depends
// on, families, and cuts that are seen singly.
var audited = map[string]compiletest.Fixture{
	"recursion": {
		Text: `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param phi ~ normal(0, 0.5)
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
let eta = x * u + w * v
let m : real[N] = recur m[1] = eta[1], m[t] = phi * m[t - 1] + eta[t] for t in 2..N
y ~ normal(m, 1)
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x"), "c": rowsOf("w")},
	},
	"plain": {
		Text: `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param b ~ normal(0, 1)
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
y ~ normal(b + x * u + w * v, 1)
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x"), "c": rowsOf("w")},
	},
	"categories": {
		Text: `client a, c
data y : level(3)[N] @ shared
data x : real[N, 1] @ a
data w : real[N, 1] @ c
param b : real[3] ~ normal(0, 1)
param u : real[1, 3] ~ normal(0, 1) @ a
param v : real[1, 3] ~ normal(0, 1) @ c
y ~ categorical_logit(row(b) + x * u + w * v)
`,
		Tables: map[string]string{"server": "y\n1\n3\n2\n3\n1\n2\n", "a": rowsOf("x"), "c": rowsOf("w")},
	},
	"ordered": {
		Text: `client a, c
data y : level(3)[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param k : ordered[2] ~ normal(0, 2)
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
y ~ ordered_logistic(x * u + w * v, k)
`,
		Tables: map[string]string{"server": "y\n1\n3\n2\n3\n1\n2\n", "a": rowsOf("x"), "c": rowsOf("w")},
	},
	"weights": {
		Text: `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
weight b
weight s init ones @ shared
weight k : real[2] init normal @ a
weight m init normal @ a
param v ~ normal(0, 1) @ c
y ~ normal(b + s * (tanh(x * k[1]) * k[2] + m) + w * v, 1)
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x"), "c": rowsOf("w")},
	},
	"shared scales": {
		Text: `client a, c
data y : real[N] @ shared
data X : real[N, P] @ a from x1, x2
data own : real[N] @ a
data w : real[N] @ c
param k ~ normal(1, 0.1) @ shared
param tau ~ half_normal(1) @ shared
param mu ~ normal(0, 1) @ shared
param u : real[P] ~ normal(0, tau) noncentered @ a
param v ~ normal(mu, 1) @ c
own ~ normal(mu, 1)
y ~ normal(X * u + k .* w * v, 1)
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x1,x2,own"), "c": rowsOf("w")},
	},
	"family": {
		Text: `client lab[J], c
data y : real[N] @ shared
data X : real[N, P] @ lab from x1, x2
data w : real[N] @ c
param tau ~ half_normal(1) @ shared
param u : real[P] ~ normal(0, tau) @ lab
param v ~ normal(0, 1) @ c
y ~ normal(sum(X[j] * u[j] for j in lab) + w * v, 1)
`,
		Tables: map[string]string{"server": rowsOf("y"), "lab/1": rowsOf("x1,x2"), "lab/2": rowsOf("x2,x1"),
			"c": rowsOf("w")},
		Family: map[string]int{"lab": 2},
	},
	"singly": {
		Text: `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param m ~ normal(0, 1)
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
y ~ normal(m + (x * u) .* (w * v), 1)
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x"), "c": rowsOf("w")},
	},
	"generated": {
		Text: `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param b ~ normal(0, 1)
param u ~ normal(0, 1) @ a
param t ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
y ~ normal(b + x * u + w * v, 1)
generate eta = b + x * u + w * v
generate rep ~ normal(b + x * u + w * v, 1)
generate own = 2 * u @ a
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x"), "c": rowsOf("w")},
	},
	"new cuts": {
		Text: `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param b ~ normal(0, 1)
param u ~ normal(0, 1) @ a
param t ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
y ~ normal(b + x * u + w * v, 1)
generate both = b + t * 2 + v
generate part ~ normal(u, 1)
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x"), "c": rowsOf("w")},
	},
	"new product": {
		Text: `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param b ~ normal(0, 1)
param u ~ normal(0, 1) @ a
param t ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
y ~ normal(b + x * u + w * v, 1)
generate apart = (x * t) .* (w * v)
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x"), "c": rowsOf("w")},
	},
	"generated of a family": {
		Text: `client lab[J], c
data y : real[N] @ shared
data x : real[N] @ lab
data w : real[N] @ c
param u ~ normal(0, 1) @ lab
param v ~ normal(0, 1) @ c
y ~ normal(sum(x[j] * u[j] for j in lab) + w * v, 1)
generate mean_effect = sum(u[j] for j in lab)
generate fitted = sum(x[j] * u[j] for j in lab) + w * v
`,
		Tables: map[string]string{"server": rowsOf("y"), "lab/1": rowsOf("x"), "lab/2": rowsOf("x"),
			"c": rowsOf("w")},
		Family: map[string]int{"lab": 2},
	},
	"holders": {
		Text: `client a, c, d
data y : real[N] @ a
data z : real[N] @ c
data x : real[N] @ a
data w : real[N] @ c
data k : real[N] @ d
param m ~ normal(0, 1) @ shared
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
param t ~ normal(0, 1) @ d
y ~ normal(m + x * u + w * v, 1)
z ~ normal(m + w * v + k * t, 1)
`,
		Tables: map[string]string{"a": rowsOf("y,x"), "c": rowsOf("z,w"), "d": rowsOf("k")},
	},
	"holders and the server": {
		Text: `client a, c, lab[J]
data y : real[N] @ a
data z : real[N] @ c
data s : real[N]
data x : real[N] @ a
data w : real[N] @ lab
param m ~ normal(0, 1)
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ c
param t ~ normal(0, 1) @ lab
y ~ normal(x * u + v + sum(w[j] * t[j] for j in lab), 1)
z ~ normal(v + sum(w[j] * t[j] for j in lab), 1)
s ~ normal(m + x * u, 1)
`,
		Tables: map[string]string{"server": rowsOf("s"), "a": rowsOf("y,x"), "c": rowsOf("z"),
			"lab/1": rowsOf("w"), "lab/2": rowsOf("w")},
		Family: map[string]int{"lab": 2},
	},
	"a family in two sums": {
		Text: `client a, lab[J]
data y : real[N] @ shared
data s : real[N]
data x : real[N] @ a
data w : real[N] @ lab
param m ~ normal(0, 1)
param u ~ normal(0, 1) @ a
param t ~ normal(0, 1) @ lab
y ~ normal(x * u + sum(w[j] * t[j] for j in lab), 1)
s ~ normal(m + sum(w[j] * t[j] for j in lab), 1)
`,
		Tables: map[string]string{"server": rowsOf("y,s"), "a": rowsOf("x"),
			"lab/1": rowsOf("w"), "lab/2": rowsOf("w")},
		Family: map[string]int{"lab": 2},
	},
	"two predictors": {
		Text: `client a, c
data y : real[N] @ shared
data x : real[N] @ a
data w : real[N] @ c
param m ~ normal(0, 1)
param u ~ normal(0, 1) @ a
param s ~ normal(0, 0.1) @ a
param v ~ normal(0, 1) @ c
y ~ student_t(exp(1 + 0 * m), m + x * u + w * v, 1)
y ~ normal(m + w * v, exp(m))
`,
		Tables: map[string]string{"server": rowsOf("y"), "a": rowsOf("x"), "c": rowsOf("w")},
	},
}

// seenSingly are those of them with cuts outside of sums, which have no power form.
var seenSingly = []string{"singly", "new product", "two predictors", "holders and the server",
	"a family in two sums"}

// variants are the settings under which a backend exchanges different messages in runs on a transform.
func variants(a backends.Algorithm, on def.Transform) map[string]map[string]string {
	brief := short(a)
	with := func(name string, of map[string]string) map[string]map[string]string {
		merged := maps.Clone(brief)
		maps.Copy(merged, of)
		return map[string]map[string]string{name: merged}
	}
	out := map[string]map[string]string{}
	for _, s := range a.Settings {
		switch {
		case s.Name == "iterations":
			brief["iterations"] = "40"
		case s.Name == "elbo-draws", s.Name == "elbo-every":
			brief[s.Name] = "20"
		}
	}
	maps.Copy(out, with("default", nil))
	for _, s := range a.Settings {
		if s.Auxiliary && on.CutsCross() {
			continue
		}
		switch s.Name {
		case "guide":
			for _, guide := range s.Choices {
				maps.Copy(out, with("guide "+guide, map[string]string{"guide": guide}))
			}
		case "guide-inputs":
			for _, in := range s.Choices {
				maps.Copy(out,
					with("guide amortized "+in, map[string]string{"guide": "amortized", "guide-inputs": in}))
			}
		case "estimator":
			brief["estimator"] = "sampled"
			for _, form := range []string{"auto", "meanfield"} {
				maps.Copy(out,
					with("quadrature, theta "+form, map[string]string{"estimator": "quadrature",
						"theta-guide": form}))
			}
			maps.Copy(out,
				with("quadrature, masked", map[string]string{"estimator": "quadrature", "secure-sum": "on"}))
			maps.Copy(out,
				with("fixed draws", map[string]string{"estimator": "fixed", "draws-per-step": "16"}))
			maps.Copy(out,
				with("fixed draws, masked", map[string]string{"estimator": "fixed", "draws-per-step": "16",
					"secure-sum": "on"}))
			maps.Copy(out,
				with("fixed draws, meanfield", map[string]string{"estimator": "fixed", "draws-per-step": "8",
					"theta-guide": "meanfield"}))
			maps.Copy(out, with("nested", map[string]string{"estimator": "nested"}))
			maps.Copy(out,
				with("nested, masked", map[string]string{"estimator": "nested", "secure-sum": "on"}))
			maps.Copy(out,
				with("quadrature, uncorrected", map[string]string{"estimator": "quadrature",
					"correct": "false"}))
		case "local-steps":
			maps.Copy(out, with(s.Name, map[string]string{s.Name: "3"}))
			maps.Copy(out, with("local-steps, masked", map[string]string{s.Name: "3", "secure-sum": "on"}))
		case "wire":
			maps.Copy(out, with("fixed", map[string]string{"wire": "fixed"}))
		case "secure-sum":
			maps.Copy(out, with("masked", map[string]string{"secure-sum": "on"}))
		case "minibatch":
			maps.Copy(out, with("minibatch", map[string]string{"minibatch": "4"}))
		case "mala":
			maps.Copy(out, with(s.Name, map[string]string{s.Name: "true"}))
		}
	}
	return out
}

// What the audit lists is what crosses: the messages of a run, recorded on their way, have the kinds,
// channels, ends and lengths that the audit lists, and all of them, for every backend, transform and guide,
// each with every model.
func TestAuditIsWhatCrosses(t *testing.T) {
	t.Parallel()
	ran := map[string]int{}
	for f, name := range slices.Sorted(maps.Keys(audited)) {
		fixture := audited[name]
		for k, kind := range stdlib.Transforms() {
			if kind.Pooled() {
				continue
			}
			on := check.Options{Transform: kind, Rho: 0.5, Accept: diag.AcceptanceNames()}
			m, diags := compiletest.Try(t, source.New("model.vfl", fixture.Text), on)
			if diags.HasErrors() {
				if !kind.AtClients() || !slices.Contains(seenSingly, name) {
					t.Errorf("%s under %s: %s", name, kind, diags.Shown()[0].Message)
				}
				continue
			}
			bound := fixture.Bind(t, on)
			parts, diags := m.Bundle()
			if diags = append(diags, parts.Grouped()...); diags.HasErrors() {
				t.Fatal(name, kind, diags[0].Message)
			}
			for _, a := range Backends() {
				if a.Gives == backends.Conditional && suitable.ToMaximise(m.Cuts).HasErrors() ||
					Unestimated(a, m).HasErrors() {
					continue
				}
				given := variants(a, kind)
				for v, variant := range slices.Sorted(maps.Keys(given)) {
					if !brief.Share(3, f, k, v) {
						continue
					}
					given := given[variant]
					t.Run(strings.Join([]string{name, kind.Name, a.Name, variant}, "/"), func(t *testing.T) {
						ran[kind.Name+" "+a.Name]++
						list, err := Audit(parts, a, given)
						if err != nil {
							t.Fatal(err)
						}
						b := bound
						if (given["estimator"] != "sampled" || given["local-steps"] != "" ||
							strings.Contains(given["guide-inputs"], "y")) && inapplicable(t, b, a, given) {
							return
						}
						if given["minibatch"] != "" {
							if _, wrong := suitable.ToSubsample(m.Cuts); wrong.HasErrors() {
								return
							}
							p, diags, err := OpenBound(fixture.Bind(t, on),
								Options{Algorithm: a, Settings: given})
							good(t, diags, err)
							b = p.BoundModel
						}
						compare(t, b, list, follow(t, b, a, given))
					})
				}
			}
		}
	}
	for _, a := range Backends() {
		for _, kind := range a.Transforms {
			if !kind.Pooled() && ran[kind.Name+" "+a.Name] == 0 {
				t.Errorf("%s did not run under %s: %v", a.Name, kind, ran)
			}
		}
	}
}

// inapplicable reports whether a backend refuses settings for a model.
func inapplicable(t *testing.T, b *compile.BoundModel, a backends.Algorithm, given map[string]string) bool {
	settings, err := a.Resolve(b.Checked.Transform.Kind, given)
	if err != nil {
		t.Fatal(err)
	}
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(3, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	// whether it suits all parties together shows in the first round trips
	if _, err = a.New(env, settings); err == nil && given["estimator"] == "nested" {
		var refused *backends.Refusal
		return errors.As(play(t.Context(), density.Chain(env, 1), a, settings), &refused)
	}
	return err != nil
}

// compare wants the recorded messages to be those of the audit.
func compare(t *testing.T, b *compile.BoundModel, list []compile.Disclosure, messages map[string][]int) {
	want := map[string]bool{}
	for _, d := range list {
		for _, m := range d.Messages {
			key := d.From + " → " + d.To + ": " + m
			if _, came := messages[key]; !came &&
				(strings.HasPrefix(d.Often, "after fits from other starting points") ||
					strings.HasPrefix(m, "again: ") || strings.HasPrefix(m, "anew: ")) {
				continue // there was none: the posterior has one mode, and no step was far
			}
			want[key] = true
			for _, n := range messages[key] {
				if n == 0 && strings.HasPrefix(m, "reply: ") && strings.Contains(d.Often, session.WhereWanted) {
					continue
				}
				if least, most := lengths(t, b, d); n < least || n > most {
					t.Errorf("%s has %d numbers, and the audit says %v", key, n, d.Shape)
				}
			}
		}
	}
	got := map[string]bool{}
	for key := range messages {
		got[key] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-audit +messages\n%s", diff)
	}
}

// lengths bounds how many numbers a shape has.
func lengths(t *testing.T, b *compile.BoundModel, d compile.Disclosure) (least, most int) {
	least, most = 1, 1
	defer func() {
		if strings.Contains(d.Often, "window") {
			least = 1
		}
	}()
	for _, s := range d.Shape {
		lo, hi, isRange := strings.Cut(s, " to ")
		if !isRange {
			hi = lo
		}
		least, most = least*sizeOf(t, b, lo), most*sizeOf(t, b, hi)
	}
	return least, most
}

func sizeOf(t *testing.T, b *compile.BoundModel, size string) int {
	if n, err := strconv.Atoi(size); err == nil {
		return n
	}
	for _, p := range b.Plan.Names {
		if n, ok := b.Sizes.Value(size, p); ok {
			return n
		}
	}
	t.Fatalf("the size %s has no value", size)
	return 0
}

var member = regexp.MustCompile(`\[\d+\]`)

// A recorder is a transport that notes what its party sends.
type recorder struct {
	transport.Transport
	name string
	*sync.Mutex
	seen  map[string][]int
	times map[string]int // how often; nil: that is not kept
}

func (r recorder) Send(ctx context.Context, to string, m transport.Message) error {
	r.Lock()
	for _, one := range unbundled(m) {
		for _, a := range one.Arrays {
			r.note(member.ReplaceAllString(r.name+" → "+to+": "+one.Kind+": "+a.Name, ""), a)
		}
	}
	r.Unlock()
	return r.Transport.Send(ctx, to, m)
}

// note keeps the length of an array, and what goes with its numbers.
func (r recorder) note(key string, a transport.Channel) {
	n := a.Len()
	if n == 0 && strings.Contains(key, ": again: ") {
		n = 1 // that it comes is what it says
	}
	if r.times != nil {
		r.times[key]++
	}
	if len(a.Words) > 0 && a.Grid == math.MinInt16 {
		n /= 2 // two words a number
	}
	if !slices.Contains(r.seen[key], n) {
		r.seen[key] = append(r.seen[key], n)
	}
	if len(a.Words) > 0 && a.Name != "scalars" && a.Name != "seals" {
		r.seen[key+" (mark)"] = []int{1}
	}
	if len(a.Words) == 0 && a.Grid != 0 {
		r.seen[key+" (grid)"] = []int{1}
	}
}

// unbundled are the messages of chains side by side, which travel in one.
func unbundled(m transport.Message) (out []transport.Message) {
	transport.Each(m, func(one transport.Message) { out = append(out, one) })
	return out
}

// What the audit lists is what crosses in runs of chains that begin near an approximation: in its fit, in the
// bundles of the chains' warm-up, and of every draw.
func TestAuditIsWhatCrossesNearby(t *testing.T) {
	t.Parallel()
	a, ran := backend(t, "nuts"), 0
	for name, fixture := range audited {
		for _, kind := range []def.Transform{stdlib.Augmented, stdlib.Exact, stdlib.Power} {
			on := check.Options{Transform: kind, Rho: 0.5, Accept: diag.AcceptanceNames()}
			m, diags := compiletest.Try(t, source.New("model.vfl", fixture.Text), on)
			if diags.HasErrors() || Unestimated(a, m).HasErrors() {
				continue
			}
			parts, diags := m.Bundle()
			good(t, diags, nil)
			p := nearOpen(t, fixture.Bind(t, on), Options{Settings: near()})
			if p.near.settings.Text("estimator") == "sampled" {
				p.near.settings = p.near.settings.With("iterations", 40).With("elbo-draws",
					20).With("elbo-every", 20)
			}
			t.Run(name+"/"+kind.Name, func(t *testing.T) {
				ran++
				messages := nearby(t, p)
				compare(t, p.BoundModel, parts.Audit(append(p.exchanges(), inEveryRun...), p.Plan.Wire),
					messages)
				said, err := Audit(parts, a, near())
				good(t, nil, err)
				// what the model alone shows may be more: the estimator is not settled
				for key := range messages {
					if !slices.ContainsFunc(said, func(d compile.Disclosure) bool {
						return slices.ContainsFunc(d.Messages, func(m string) bool {
							return d.From+" → "+d.To+": "+m == key
						})
					}) {
						t.Errorf("the audit of the model does not list %s", key)
					}
				}
			})
		}
	}
	if ran < 20 {
		t.Errorf("%d runs", ran)
	}
}

// nearby follows a run of chains that begin near an approximation, with a goroutine per party.
func nearby(t *testing.T, p *Prepared) map[string][]int {
	t.Helper()
	seen, lock := map[string][]int{}, sync.Mutex{}
	r := &bands{draws: map[string][]float64{}, bundles: map[string]int{}}
	everyParty(t, p.BoundModel, func(i int, end transport.Transport, own session.Keys) error {
		side, err := session.RemoteChains(p.Plan.Only(i), i, recorder{end, p.Plan.Names[i], &lock, seen, nil},
			own, p.Settings.Plan.Chains)
		if err != nil {
			return err
		}
		return r.follow(p)(t.Context(), side)
	})
	return seen
}

// follow runs a backend with a goroutine per party and returns the lengths of what crossed, by ends, kind of
// message and channel.
func follow(t *testing.T, b *compile.BoundModel, a backends.Algorithm,
	given map[string]string) map[string][]int {
	seen := map[string][]int{}
	var lock sync.Mutex
	together(t, b, a, given, func(name string, end transport.Transport) transport.Transport {
		return recorder{end, name, &lock, seen, nil}
	})
	return seen
}

// together runs a backend with a goroutine per party over wrapped ends of an in-process transport.
func together(t *testing.T, b *compile.BoundModel, a backends.Algorithm, given map[string]string,
	wrap func(string, transport.Transport) transport.Transport) {
	t.Helper()
	settings, err := a.Resolve(b.Checked.Transform.Kind, given)
	if err != nil {
		t.Fatal(err)
	}
	on := *b
	on.Plan = b.Plan.On(wireIn(settings))
	everyParty(t, &on, func(i int, end transport.Transport, own session.Keys) error {
		env, err := session.NewRemote(on.Plan.Only(i), i, wrap(on.Plan.Names[i], end), own)
		if err == nil {
			err = play(t.Context(), density.Chain(env, 1), a, settings)
		}
		if err == nil {
			err = env.(density.Chained).End(t.Context())
		}
		return err
	})
}

// everyParty runs a function at every party in a goroutine of its own.
func everyParty(t *testing.T, b *compile.BoundModel, run func(i int, end transport.Transport,
	own session.Keys) error) {
	t.Helper()
	keys, err := session.SimulatedKeys(3, b.Plan.Names).WithMasks(b.Plan)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	ends, errs := transport.NewMem(b.Plan.Names), make([]error, len(b.Plan.Names))
	for i, end := range ends {
		wait.Go(func() {
			defer end.Close()
			errs[i] = run(i, end, keys.Only(b.Plan.Names[i]))
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// play runs a kernel to its end and takes every draw that there is after a step.
func play(ctx context.Context, env density.Env, a backends.Algorithm, s backends.Settings) error {
	k, err := a.New(env, s)
	if err != nil {
		return err
	}
	if err := k.Init(ctx); err != nil {
		return err
	}
	taker, taken := NewTaker(env, false), 0
	for {
		info, err := k.Step(ctx)
		if err != nil {
			return err
		}
		for ; taken < min(info.Draws, 10); taken++ {
			if _, err := taker.Take(ctx, k, taken); err != nil {
				return fmt.Errorf("draw %d: %w", taken, err)
			}
		}
		if info.Done {
			return nil
		}
	}
}

// The audit of a prediction is what crosses in it, for new rows and for rows whose responses are scored,
// masked or not.
func TestPredictionAuditIsWhatCrosses(t *testing.T) {
	ran := 0
	for name, fixture := range audited {
		kind := stdlib.Exact
		on := check.Options{Transform: kind, Accept: diag.AcceptanceNames()}
		m, diags := compiletest.Try(t, source.New("model.vfl", fixture.Text), on)
		if diags.HasErrors() {
			t.Fatal(diags[0].Message)
		}
		bound := fixture.Bind(t, on)
		for _, scored := range []bool{false, true} {
			p, diags, err := m.Prediction(scored)
			if err != nil || diags.HasErrors() {
				continue // its responses are not drawn so
			}
			bundle, diags := p.Bundle()
			if diags.HasErrors() {
				t.Fatal(diags[0].Message)
			}
			for _, masks := range []string{"off", "on"} {
				t.Run(fmt.Sprintf("%s/scored %v/masks %s", name, scored, masks), func(t *testing.T) {
					a, given := Backends()[0], map[string]string{"secure-sum": masks}
					list, err := Audit(bundle, a, given)
					if err != nil {
						t.Fatal(err)
					}
					b, diags, err := compile.BindNew(p.Model, nil, bound.Values, bound.Sizes.Members,
						bound.Sizes.Common)
					good(t, diags, err)
					settings, err := a.Resolve(kind, given)
					if err != nil {
						t.Fatal(err)
					}
					ran++
					plan, seen, lock := b.Plan.On(wireIn(settings)), map[string][]int{}, sync.Mutex{}
					b.Plan = plan
					everyParty(t, b, func(i int, end transport.Transport, own session.Keys) error {
						side, err := session.RemoteChains(plan.Only(i), i,
							recorder{end, plan.Names[i], &lock, seen, nil}, own, 2)
						if err != nil {
							return err
						}
						return side.Each(t.Context(), func(ctx context.Context, k int) error {
							block := side.Envs[k].Blocks()[0]
							size := 0
							for _, v := range block.Params() {
								size += v.Len
							}
							draw := density.Draw{Theta: [][]float64{slices.Repeat([]float64{0.5},
								block.Dim())},
								Streams: []density.Stream{side.Envs[k].Private(0, generatedStream)}}
							return side.Envs[k].Values(ctx, draw, [][]float64{make([]float64, size)})
						})
					})
					compare(t, b, list, seen)
				})
			}
		}
	}
	if ran < 2*len(audited) {
		t.Errorf("%d cases of %d models", ran, len(audited))
	}
}
