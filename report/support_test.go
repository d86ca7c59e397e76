package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/brief"
)

// examples is the folder of the examples.
const examples = "../examples"

// made are the folder of all runs and what tests have made in common, which they read alone: runs by their
// tasks, and pages by their runs.
var made struct {
	dir         string
	runs, pages sync.Map // of func() string
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		panic(err)
	}
	made.dir = dir
	brief.Run(m)
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
}

// once is what make returns the first time that it is asked for a key.
func once(of *sync.Map, key any, make func() string) string {
	first, _ := of.LoadOrStore(key, sync.OnceValue(make))
	return first.(func() string)()
}

// A task is a run to report on.
type task struct {
	model, backend, transform string
	settings                  map[string]string
	command                   []string
	logLik                    bool
}

// quick are settings with which a run takes a fraction of a second.
func quick(backend string) map[string]string {
	return map[string]map[string]string{
		"nuts": {"chains": "2", "warmup": "50", "draws": "40"},
		"sfvi": {"iterations": "100", "draws": "100", "elbo-draws": "50"},
		"soul": {"iterations": "100", "draws": "50"},
	}[backend]
}

// tasks are runs of each backend, of each transform, with and without clients.
func tasks(t testing.TB) map[string]task {
	return map[string]task{
		"nuts":       {model: "logistic.vfl", backend: "nuts"},
		"family":     {model: "logistic_family.vfl", backend: "nuts", transform: "power"},
		"exact":      {model: "linear.vfl", backend: "nuts", transform: "exact", logLik: true},
		"pooled":     {model: "linear.vfl", backend: "nuts", transform: "none"},
		"sfvi":       {model: "linear.vfl", backend: "sfvi"},
		"soul":       {model: "logistic_family.vfl", backend: "soul"},
		"long":       {model: long(t), backend: "nuts"},
		"labels":     {model: "labels.vfl", backend: "nuts"},
		"several":    {model: "several.vfl", backend: "nuts"},
		"clientless": {model: "alone.vfl", backend: "nuts"},
	}
}

// long writes a model of nine clients with long names and returns its path.
func long(t testing.TB) string {
	t.Helper()
	dir := made.dir
	var names []string
	model, sum := "data y : real[N] @ shared\n", "0"
	table := func(party, column string) {
		good(t, nil, os.MkdirAll(filepath.Join(dir, "long"), 0o700))
		good(t, nil, os.WriteFile(filepath.Join(dir, "long", party+".csv"),
			[]byte("id,"+column+"\n1,0.3\n2,-0.4\n3,1.5\n4,0.2\n"), 0o600))
	}
	table("server", "y")
	for k := range 9 {
		name := fmt.Sprintf("WWWW_hospital_of_the_university_of_somewhere_%d", k)
		names = append(names, name)
		table(name, fmt.Sprintf("x%d", k))
		model += fmt.Sprintf("data x%d : real[N] @ %s\nparam "+
			"a_coefficient_with_quite_a_long_name_%d ~ normal(0, 1) @ %s\n", k, name, k, name)
		sum += fmt.Sprintf(" + exp(x%d / 10) * a_coefficient_with_quite_a_long_name_%d + "+
			"square(a_coefficient_with_quite_a_long_name_%d)", k, k, k)
	}
	path := filepath.Join(dir, "long.vfl")
	good(t, nil,
		os.WriteFile(path,
			[]byte("client "+strings.Join(names, ", ")+"\n"+model+"let eta = "+sum+"\ny ~ normal(eta, 1)\n"),
			0o600))
	return path
}

// run reads the run of a task, which is made once.
func run(t testing.TB, x task) *posterior.Run {
	t.Helper()
	r, err := posterior.OpenRun(once(&made.runs, fmt.Sprintf("%+v", x), func() string { return begun(t, x) }))
	good(t, nil, err)
	return r
}

// begun runs a task in a folder of its own.
func begun(t testing.TB, x task) string {
	t.Helper()
	path := filepath.Join(examples, x.model)
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join("testdata", x.model)
	}
	if filepath.IsAbs(x.model) {
		path = x.model
	}
	text, err := os.ReadFile(path)
	good(t, nil, err)
	var o check.Options
	if x.transform != "" {
		o.Transform, _ = stdlib.TransformNamed(x.transform)
	}
	m, diags := compile.Compile(source.New(path, string(text)), o)
	good(t, diags, nil)
	sources, err := data.Locate(path, m.Parties(), nil)
	good(t, nil, err)
	algorithm, ok := fit.Backend(x.backend)
	if !ok {
		t.Fatalf("there is no backend %s", x.backend)
	}
	settings := x.settings
	if settings == nil {
		settings = quick(x.backend)
	}
	dir, err := os.MkdirTemp(made.dir, "run")
	good(t, nil, err)
	dir = filepath.Join(dir, "run")
	p, diags, err := fit.Open(m, sources, fit.Options{Algorithm: algorithm, Settings: settings, Seed: 3,
		Dir: dir, LogLik: x.logLik, Origin: fit.Origin{Version: "1.2.3", Command: x.command}})
	good(t, diags, err)
	result, err := p.Sample(context.Background(), nil)
	good(t, nil, err)
	good(t, nil, result.Save(dir))
	return dir
}

// good requires that there is neither an error nor a diagnostic that is one.
func good(t testing.TB, diags diag.List, err error) {
	t.Helper()
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
}

// written is the report of a run as text.
func written(t testing.TB, r *posterior.Run) string {
	t.Helper()
	return once(&made.pages, r.Path, func() string {
		report, diags, err := New(r)
		good(t, diags, err)
		var b bytes.Buffer
		good(t, nil, report.Write(&b))
		return b.String()
	})
}

// A node is an element of a page with its children in order; a text has no name.
type node struct {
	name, text string
	attrs      map[string]string
	children   []*node
}

// parse reads a page, which is XML too.
func parse(t testing.TB, text string) *node {
	t.Helper()
	root := &node{}
	open := []*node{root}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return root
		}
		if err != nil {
			t.Fatal(err)
		}
		top := open[len(open)-1]
		switch x := token.(type) {
		case xml.StartElement:
			n := &node{name: x.Name.Local, attrs: map[string]string{}}
			for _, a := range x.Attr {
				n.attrs[a.Name.Local] = a.Value
			}
			top.children = append(top.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.children = append(top.children, &node{text: string(x)})
		}
	}
}

// all returns the elements below n that satisfy a condition, in the order of the page.
func (n *node) all(is func(*node) bool) []*node {
	var out []*node
	for _, c := range n.children {
		if c.name != "" && is(c) {
			out = append(out, c)
		}
		out = append(out, c.all(is)...)
	}
	return out
}

// named are the elements of some names.
func (n *node) named(names ...string) []*node {
	return n.all(func(e *node) bool { return slices.Contains(names, e.name) })
}

// with are the elements that have a class.
func (n *node) with(class string) []*node {
	return n.all(func(e *node) bool { return slices.Contains(strings.Fields(e.attrs["class"]), class) })
}

// section is the section of an id.
func (n *node) section(t testing.TB, id string) *node {
	t.Helper()
	for _, s := range n.named("section") {
		if s.attrs["id"] == id {
			return s
		}
	}
	t.Fatalf("there is no section %s", id)
	return nil
}

// content is all text below n.
func (n *node) content() string {
	text := n.text
	for _, c := range n.children {
		text += c.content()
	}
	return text
}
