package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/synthetic"
	"github.com/vflc/vflc/internal/project"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// Bars of round trips: with one hyperparameter and two clients, and with more of either.
const (
	few  = 25
	more = 45
)

// A problem is a model with its tables: those that are there, or as many sets as there are seeds, drawn from
// the model.
type problem struct {
	name, title string
	trips       int
	effective   int // effective draws that are wanted
	path        string
	change      [2]string // what of the text is replaced
	set         map[string]float64
	sizes       map[string]int
	// tables writes the tables to a folder, and returns them as values of --data; nil: they are drawn.
	tables func(folder, dir string) ([]string, error)
	// quantiles are a quantity whose 5 % and 95 % quantiles are compared too, beside draws of the reference
	// that many times as long
	quantiles string
	settings  map[string]string // of the reference
	handed    bool              // a fit may say that its draws are not corrected, for NUTS from there
}

const own = "bench/nested/"

// problems lists them.
func problems() []*problem {
	return []*problem{
		{name: "radon", title: "radon, 919 homes, 85 counties, non-centred", trips: few, path: "county.vfl",
			tables: radon},
		{name: "radon-centred", title: "the same, centred", trips: few, path: "county.vfl",
			change: [2]string{"tau) noncentered", "tau)"}, tables: radon},
		{name: "logistic60", title: "logistic, 1,934 rows, 60 groups", trips: few, path: own + "groups.vfl",
			sizes: map[string]int{"N": 1934, "G": 60, "PA": 3, "PB": 3}},
		{name: "logistic100", title: "logistic, 500 rows, 100 groups, τ to 2", trips: few,
			path: own + "groups.vfl", set: map[string]float64{"spread": 2},
			sizes: map[string]int{"N": 500, "G": 100, "PA": 2, "PB": 2}},
		{name: "schools", title: "eight schools", trips: few, effective: 4000, path: own + "schools.vfl",
			tables: schools, quantiles: "log_tau", settings: map[string]string{"draws": "25000",
				"target-accept": "0.95"}},
		{name: "rats", title: "rats, three scales", trips: more, path: own + "rats.vfl", tables: rats},
		{name: "seeds", title: "seeds, binomial, 21 plates", trips: few, path: own + "seeds.vfl",
			tables: seeds},
		{name: "poisson", title: "multilevel Poisson of the paper, 2,000 rows, four scales", trips: more,
			path: "examples/poisson_multilevel.vfl", tables: poisson,
			settings: map[string]string{"target-accept": "0.95"}},
		{name: "crossed", title: "logistic, crossed effects 20 × 30, 1,200 rows", trips: more,
			path: own + "crossed.vfl", sizes: map[string]int{"N": 1200, "F": 20, "S": 30}},
		{name: "slopes", title: "Poisson, correlated intercepts and slopes of 30 groups, 450 rows",
			trips: more, path: own + "slopes.vfl", sizes: map[string]int{"N": 450, "J": 30, "PB": 2}},
		{name: "negative", title: "negative binomial, 50 groups, 500 rows", trips: more,
			path: own + "negative.vfl", sizes: map[string]int{"N": 500, "G": 50, "PA": 2, "PB": 2}},
		{name: "spline", title: "normal, spline with a smoothing scale, 300 rows", trips: more,
			path: own + "spline.vfl", sizes: map[string]int{"N": 300, "PB": 2}},
		{name: "gp", title: "Poisson, Gaussian process at a client, 20 groups, 100 rows", trips: few,
			path: own + "gp.vfl", sizes: map[string]int{"N": 100, "G": 20}},
		{name: "clients", title: "logistic, six clients, 30 groups, 600 rows", trips: more,
			path: own + "clients.vfl", sizes: map[string]int{"N": 600, "G": 30}},
		{name: "rare", title: "logistic, rare events, 500 rows, 100 groups, τ to 2", trips: few,
			path: own + "groups.vfl", set: map[string]float64{"spread": 2, "common": -3.5, "about": 0.3},
			sizes: map[string]int{"N": 500, "G": 100, "PA": 2, "PB": 2}, handed: true},
		{name: "sparse", title: "logistic, rare events, 900 rows, 150 groups, τ to 2", trips: few,
			path: own + "groups.vfl", set: map[string]float64{"spread": 2, "common": -4.6, "about": 0.3},
			sizes: map[string]int{"N": 900, "G": 150, "PA": 2, "PB": 2}, handed: true},
		{name: "logistic400", title: "logistic, 1,934 rows, 400 groups", trips: few, path: own + "groups.vfl",
			sizes: map[string]int{"N": 1934, "G": 400, "PA": 3, "PB": 3}, handed: true},
	}
}

// text is the model's, and where it stands.
func (p *problem) text() (string, error) {
	var text []byte
	var err error
	if p.path == "county.vfl" {
		e, _ := project.Find("radon")
		files, of := e.Files("radon")
		text, err = files[p.path], of
	} else {
		text, err = os.ReadFile(p.path)
	}
	out := string(text)
	if p.change[0] != "" {
		if out = strings.Replace(out, p.change[0], p.change[1], 1); out == string(text) {
			return "", fmt.Errorf("%s has no %q", p.path, p.change[0])
		}
	}
	return out, err
}

// files are the tables of a seed, as values of --data.
func (p *problem) files(folder, dir string, seed uint64) ([]string, error) {
	if p.tables != nil {
		return p.tables(folder, dir)
	}
	dir = filepath.Join(dir, fmt.Sprintf("%s-%d", p.name, seed))
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	m, diags := compile.Compile(source.New(p.path, text), check.Options{Transform: stdlib.Exact,
		Set: p.set, Accept: diag.AcceptanceNames()})
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	s, diags, err := synthetic.New(m, synthetic.Request{Sizes: p.sizes, Seed: seed})
	if err != nil || diags.HasErrors() {
		return nil, fmt.Errorf("%w %v", err, data.Errors(diags))
	}
	if _, err := os.Stat(dir); err != nil {
		if _, err := s.Write(dir, false); err != nil {
			return nil, err
		}
	}
	var out []string
	for i := range s.Tables {
		out = append(out, s.Tables[i].Party+"="+filepath.Join(dir, s.Tables[i].Path(false)))
	}
	return out, nil
}

// drawn reports whether each seed has tables of its own.
func (p *problem) drawn() bool { return p.tables == nil }

func radon(_, dir string) ([]string, error) {
	e, _ := project.Find("radon")
	files, err := e.Files("radon")
	var out []string
	for _, party := range []string{"health", "survey", "geology"} {
		path := filepath.Join(dir, "radon-"+party+".csv")
		if err == nil {
			err = os.WriteFile(path, bytes.Replace(files["data/"+party+".csv"], []byte("house"), []byte("id"),
				1), 0o600)
		}
		out = append(out, party+"="+path)
	}
	return out, err
}

func poisson(folder, _ string) (out []string, _ error) {
	for party, file := range map[string]string{"server": "server", "health": "client1", "census": "client2"} {
		out = append(out, party+"="+filepath.Join(folder, "paper", "poisson", file+".csv"))
	}
	return out, nil
}

// document is a case of posteriordb.
func document(folder, name string, to any) error {
	text, err := os.ReadFile(filepath.Join(folder, "posteriordb", name, "data.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

func schools(folder, dir string) ([]string, error) {
	var of struct{ Y, Sigma []float64 }
	if err := document(folder, "eight_schools-eight_schools_noncentered", &of); err != nil {
		return nil, err
	}
	server, client := "id,y,sigma\n", "id,school\n"
	for i, y := range of.Y {
		server += fmt.Sprintf("%d,%g,%g\n", i, y, of.Sigma[i])
		client += fmt.Sprintf("%d,%d\n", i, i+1)
	}
	return written(dir, "schools-", map[string]string{"server": server, "schools": client})
}

func seeds(folder, dir string) ([]string, error) {
	var of struct {
		Germinated []int `json:"n"`
		Sown       []int `json:"N"`
		X1, X2     []float64
	}
	if err := document(folder, "seeds_data-seeds_stanified_model", &of); err != nil {
		return nil, err
	}
	server, treatment, plates := "id,n,N\n", "id,x1,x2\n", "id,plate\n"
	for i, n := range of.Germinated {
		server += fmt.Sprintf("%d,%d,%d\n", i, n, of.Sown[i])
		treatment += fmt.Sprintf("%d,%g,%g\n", i, of.X1[i], of.X2[i])
		plates += fmt.Sprintf("%d,%d\n", i, i+1)
	}
	return written(dir, "seeds-", map[string]string{"server": server, "treatment": treatment,
		"plates": plates})
}

// rats are weights in steps of a gram, of growth curves like those of BUGS: 30 intercepts around 243 and
// slopes around 6.2.
func rats(_, dir string) ([]string, error) {
	r := rand.New(rand.NewPCG(30, 5))
	server, litter, growth := "id,weight\n", "id,rat\n", "id,rat_of,week\n"
	for i := range 30 {
		alpha, beta := 242.6+14.6*r.NormFloat64(), 6.18+0.51*r.NormFloat64()
		for k := range 5 {
			id, week := fmt.Sprintf("%d-%d", i, k), float64(8+7*k)
			server += fmt.Sprintf("%s,%.0f\n", id, alpha+beta*(week-22)+6.1*r.NormFloat64())
			litter += fmt.Sprintf("%s,%d\n", id, i+1)
			growth += fmt.Sprintf("%s,%d,%g\n", id, i+1, week)
		}
	}
	return written(dir, "rats-", map[string]string{"server": server, "litter": litter, "growth": growth})
}

func written(dir, prefix string, tables map[string]string) (out []string, _ error) {
	for party, text := range tables {
		path := filepath.Join(dir, prefix+party+".csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		out = append(out, party+"="+path)
	}
	return out, nil
}
