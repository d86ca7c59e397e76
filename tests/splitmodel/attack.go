package splitmodel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

// An Attack is what a server can find of the rows of the clients of drawn models that are not refused. It is
// taken to know everything but the real numbers in the rows of one client, which stay, and the client's own
// parameters, which are new in each of many evaluations: its cuts without noise, the gradients by all
// parameters that the client does not own, and the log density of the client's own likelihoods.
type Attack struct {
	Clients int               // whose rows were sought
	Refused map[diag.Code]int // models that nothing is accepted in; they are not attacked
	Untried map[diag.Code]int // models whose rows cannot be parameters, so that nobody sought them
	Found   []string          // clients with a number that the equations determine, with the model
	Told    []string          // the same of clients of whom check says that their data are added (V0395)
	Faults  []string          // what the compiler got wrong
}

// AttackModels draws models from a number on and attacks each client of those that are not refused.
func AttackModels(from uint64, models int, dir string) (out Attack) {
	out.Refused, out.Untried = map[diag.Code]int{}, map[diag.Code]int{}
	for seed := from; seed < from+uint64(models); seed++ {
		f := Draw(seed)
		if _, err := bound(f, stdlib.Exact, nil, dir); err != nil {
			out.count(out.Refused, seed, f, err)
			continue
		}
		out.model(seed, f, dir)
	}
	return out
}

func (a *Attack) count(to map[diag.Code]int, seed uint64, f compiletest.Fixture, err error) {
	if why := (Refusal{}); errors.As(err, &why) {
		to[why.Code]++
		return
	}
	a.Faults = append(a.Faults, fmt.Sprintf("model %d: %v\n%s", seed, err, f.Text))
}

// model attacks each client of a model that has real numbers.
func (a *Attack) model(seed uint64, f compiletest.Fixture, dir string) {
	offsets := offsetsOf(f)
	for _, client := range slices.Sorted(maps.Keys(f.Tables)) {
		family, number, member := strings.Cut(client, "/")
		open, names := opened(f, family)
		if len(names) == 0 {
			continue
		}
		party := client
		if member {
			party = family + "[" + number + "]"
		}
		v, err := viewOf(open, family, party, names, dir)
		if err != nil {
			a.count(a.Untried, seed, open, err)
			continue
		}
		if v == nil {
			continue // the server itself
		}
		a.Clients++
		found, err := v.determined(rand.New(rand.NewPCG(seed, 35)))
		if err != nil {
			a.count(a.Untried, seed, open, err)
		}
		to := &a.Found
		if strings.Contains(offsets, " data of "+family+" that no parameter multiplies") {
			to = &a.Told
		}
		if len(found) > 0 {
			*to = append(*to, fmt.Sprintf("model %d: of %s %s\n%s", seed, party, strings.Join(found, ", "),
				f.Text))
		}
	}
}

// offsetsOf is what check says of data offsets.
func offsetsOf(f compiletest.Fixture) (out string) {
	_, diags := compile.Compile(source.New("model.vfl", f.Text), check.Options{Transform: stdlib.Exact})
	for _, d := range diags.Shown() {
		if d.Code == diag.DataOffset {
			out += d.Message + "\n"
		}
	}
	return out
}

var (
	realData = regexp.MustCompile(`(?m)^data (\w+) : real(<lower=0>)?(\[[^\]]*\]) @ (\w+)$`)
	left     = regexp.MustCompile(`^y\d|^[a-z][12]_`) // the responses, which are known
	ownLeft  = regexp.MustCompile(`(?m)^\w+[12]_(\w+) ~ .*\n`)
)

// opened is a fixture in which the real numbers of a client's rows are parameters, so that its program is a
// function of them. Other data of their size stand beside them.
func opened(f compiletest.Fixture, client string) (compiletest.Fixture, []string) {
	var names []string
	text := realData.ReplaceAllStringFunc(f.Text, func(line string) string {
		p := realData.FindStringSubmatch(line)
		if p[4] != client || left.MatchString(p[1]) {
			return line
		}
		prior := "normal(0, 1)"
		if p[2] != "" {
			prior = "exponential(1)"
		}
		names = append(names, p[1])
		return fmt.Sprintf("data size_%s : real%s @ %s\nparam %s : real%s%s ~ %s @ %s", p[1], p[3], client,
			p[1], p[2], p[3], prior, client)
	})
	tables := maps.Clone(f.Tables)
	for party, table := range f.Tables {
		if of, _, _ := strings.Cut(party, "/"); of == client {
			for _, name := range names {
				table = strings.Replace(table, `"`+name+`":`, `"size_`+name+`":`, 1)
			}
			tables[party] = table
		}
	}
	return compiletest.Fixture{Text: text, Tables: tables, Family: f.Family}, names
}

// A view is what the server sees of a client, as a function of all parameters.
type view struct {
	all, without *sight // without the client's own likelihoods; nil where it has none
	unknown, own []int  // coordinates of the client: numbers of its rows, and its parameters
	names        []string
	theta        [][]float64
	at           int
}

// A sight is an evaluator with what the server sees in an evaluation.
type sight struct {
	atCut
	density.Env
	at   int
	cuts []float64
	sent [][]float64 // of this round
	adj  [][]float64 // by party, the derivatives of the likelihoods by what it sends
	grad [][]float64
	lp   []float64
}

// Value keeps the client's cuts. What the others compute of them the server computes itself, so that they
// receive the same in all evaluations of a round.
func (s *sight) Value(b int, g, z []float64) {
	if b == s.at {
		s.cuts = append(s.cuts[:0], g...)
	}
	if s.sent[b] == nil {
		s.sent[b] = slices.Clone(g)
	}
	copy(z, s.sent[b])
}

// Adjoint keeps what the others receive: of a client with a response, its derivatives.
func (s *sight) Adjoint(b int, adj, own, w, early []float64) {
	s.adj[b] = append(s.adj[b][:0], adj...)
	s.atCut.Adjoint(b, adj, own, w, early)
}

func sightOf(b *compile.BoundModel, at int) (*sight, error) {
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		return nil, err
	}
	s := &sight{Env: env, at: at}
	for _, block := range env.Blocks() {
		s.grad = append(s.grad, make([]float64, block.Dim()))
	}
	s.lp, s.sent, s.adj = make([]float64, len(s.grad)), make([][]float64, len(s.grad)),
		make([][]float64, len(s.grad))
	return s, nil
}

func (s *sight) see(theta [][]float64) error {
	return s.Density(context.Background(), theta, s, s.grad, s.lp)
}

// viewOf is nil where the party evaluates the likelihoods of several parties.
func viewOf(f compiletest.Fixture, family, party string, names []string, dir string) (*view, error) {
	b, err := bound(f, stdlib.Augmented, diag.AcceptanceNames(), dir)
	if err != nil {
		return nil, err
	}
	v := &view{at: slices.IndexFunc(b.Plan.Parties, func(s *model.Spec) bool { return s.Party == party })}
	if v.at <= 0 {
		return nil, nil
	}
	if v.all, err = sightOf(b, v.at); err != nil {
		return nil, err
	}
	for _, g := range v.all.grad {
		v.theta = append(v.theta, make([]float64, len(g)))
	}
	for _, p := range b.Plan.Parties[v.at].Graph.Params() {
		for i := range p.Len {
			if !slices.Contains(names, p.Name) {
				v.own = append(v.own, p.Offset+i)
				continue
			}
			v.unknown = append(v.unknown, p.Offset+i)
			v.names = append(v.names, fmt.Sprintf("%s, number %d", p.Name, i+1))
		}
	}
	return v, v.omit(f, family, b, dir)
}

// omit readies the model without the client's own likelihoods. What remains of its log density are priors.
func (v *view) omit(f compiletest.Fixture, family string, b *compile.BoundModel, dir string) error {
	f.Text = ownLeft.ReplaceAllStringFunc(f.Text, func(line string) string {
		if ownLeft.FindStringSubmatch(line)[1] == family {
			v.without = &sight{}
			return ""
		}
		return line
	})
	if v.without == nil {
		return nil
	}
	rest, err := bound(f, stdlib.Augmented, diag.AcceptanceNames(), dir)
	if err != nil {
		return err
	}
	for i, p := range b.Plan.Parties[v.at].Graph.Params() {
		if q := rest.Plan.Parties[v.at].Graph.Params()[i]; q.Name != p.Name || q.Offset != p.Offset {
			return fmt.Errorf("%s is elsewhere without the client's own likelihoods", p.Name)
		}
	}
	v.without, err = sightOf(rest, v.at)
	return err
}

// seen appends what the server sees: the client's cuts, the gradient of the server's block, in which that by
// shared parameters is, the derivatives by the others' contributions, and the log density of the client's own
// likelihoods.
func (v *view) seen(to []float64) ([]float64, error) {
	if err := v.all.see(v.theta); err != nil {
		return nil, err
	}
	to = append(append(to, v.all.cuts...), v.all.grad[0]...)
	for b, adj := range v.all.adj {
		if b != v.at {
			to = append(to, adj...)
		}
	}
	if v.without != nil {
		if err := v.without.see(v.theta); err != nil {
			return nil, err
		}
		to = append(to, v.all.lp[v.at]-v.without.lp[v.at])
	}
	return to, nil
}

// slopes are the derivatives of what is seen by coordinates of the client, of differences of fourth order.
func (v *view) slopes(by []int) (*mat.Dense, error) {
	const h = 1e-3
	var out *mat.Dense
	for j, c := range by {
		at := &v.theta[v.at][c]
		old := *at
		for _, step := range []struct{ by, weight float64 }{{h, 8}, {-h, -8}, {2 * h, -1}, {-2 * h, 1}} {
			*at = old + step.by
			seen, err := v.seen(nil)
			if err != nil {
				return nil, err
			}
			if out == nil {
				out = mat.NewDense(len(seen), len(by), nil)
			}
			for i, x := range seen {
				out.Set(i, j, out.At(i, j)+float64(step.weight*x)/(12*h))
			}
		}
		*at = old
	}
	return out, nil
}

// determined lists the numbers of the rows that are the same in all solutions near the truth of the equations
// that many evaluations give, to first order. Least squares find no others.
func (v *view) determined(r *rand.Rand) ([]string, error) {
	n := len(v.unknown)
	normal := mat.NewSymDense(n, nil)
	for round, rounds := 0, 1; round < rounds; round++ {
		for b, block := range v.theta {
			for i := range block {
				if round == 0 || b != v.at || !slices.Contains(v.unknown, i) {
					block[i] = 0.6 * r.NormFloat64()
				}
				if round == 0 && b == v.at { // a number near 0 is known on any scale
					block[i] += math.Copysign(0.5, block[i])
				}
			}
		}
		clear(v.all.sent)
		if v.without != nil {
			clear(v.without.sent)
		}
		if _, err := v.seen(nil); err != nil {
			return nil, err
		}
		x, err := v.slopes(v.unknown)
		if err != nil {
			return nil, err
		}
		if len(v.own) > 0 {
			w, err := v.slopes(v.own)
			if err != nil {
				return nil, err
			}
			alike(x, w)
			x = without(x, w)
		}
		var product mat.Dense
		product.Mul(x.T(), x)
		for i := range n {
			for j := i; j < n; j++ {
				normal.SetSym(i, j, normal.At(i, j)+product.At(i, j))
			}
		}
		rows, _ := x.Dims()
		rounds = min(40, 2*n/max(1, rows-len(v.own))+4)
	}
	return v.fixed(normal), nil
}

// fixed lists the numbers that no direction moves which the equations leave free.
func (v *view) fixed(normal *mat.SymDense) (out []string) {
	var eigen mat.EigenSym
	if !eigen.Factorize(normal, true) {
		return nil
	}
	values, vectors := eigen.Values(nil), mat.Dense{}
	eigen.VectorsTo(&vectors)
	for i, name := range v.names {
		free := 0.0
		for k, value := range values {
			if value <= 1e-11*values[len(values)-1] {
				free += float64(vectors.At(i, k) * vectors.At(i, k))
			}
		}
		if free < 1e-6 && values[len(values)-1] > 1e-12 {
			out = append(out, name)
		}
	}
	return out
}

// alike scales equations, rows of both, to the length 1: gradients may be millions of times as large as cuts.
func alike(a, b *mat.Dense) {
	rows, _ := a.Dims()
	for i := range rows {
		length := math.Hypot(mat.Norm(a.RowView(i), 2), mat.Norm(b.RowView(i), 2))
		for _, row := range [][]float64{a.RawRowView(i), b.RawRowView(i)} {
			for k := range row {
				row[k] /= math.Max(length, 1e-9)
			}
		}
	}
}

// without takes from the columns of a what is in the span of those of b.
func without(a, b *mat.Dense) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(b, mat.SVDThin) {
		return a
	}
	var u, inside, part mat.Dense
	svd.UTo(&u)
	values, rank := svd.Values(nil), 0
	for _, x := range values {
		if x > 1e-8*math.Max(values[0], 1e-8) {
			rank++
		}
	}
	if rank == 0 {
		return a
	}
	span := u.Slice(0, u.RawMatrix().Rows, 0, rank)
	inside.Mul(span.T(), a)
	part.Mul(span, &inside)
	a.Sub(a, &part)
	return a
}

// Determined lists the numbers of a client's rows that the server can find in a model, whatever is accepted
// in it.
func Determined(f compiletest.Fixture, client, dir string) ([]string, error) {
	open, names := opened(f, client)
	v, err := viewOf(open, client, client, names, dir)
	if err != nil {
		return nil, err
	}
	return v.determined(rand.New(rand.NewPCG(1, 35)))
}
