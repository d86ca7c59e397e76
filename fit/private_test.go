package fit

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// secret is in every name of the client's module, its columns and its file, and nowhere else.
const secret = "quetzalcoatl"

// concealed is a GLM whose first client keeps its part to itself, with its tables.
func concealed(t *testing.T, m testmodel.GLM) *compile.BoundModel {
	t.Helper()
	dir := t.TempDir()
	text := glmText(m)
	open := "data X1 : real[N, P1] @ c1\nparam t1 : real[P1] ~ normal(0, 1) @ c1\n"
	if !strings.Contains(text, open) {
		t.Fatalf("another model:\n%s", text)
	}
	text = strings.NewReplacer(open, "contribution eta : real[N] @ c1\n", "X1 * t1", "eta").Replace(text)
	module := "module c1 implements m\ndata Xsecret : real[N, Psecret] from secret1, secret2\nparam " +
		"tsecret : real[Psecret] ~ normal(0, 1)\nlet lsecret = Xsecret * tsecret\neta = lsecret\n"
	write(t, filepath.Join(dir, "m.vfl"), text)
	for name, content := range glmFiles(m) {
		if name == "c1.csv" {
			content = strings.Replace(content, "id,c1,c2", "id,"+secret+"1,"+secret+"2", 1)
		}
		write(t, filepath.Join(dir, "m", name), content)
	}
	model, diags := compile.Compile(source.New(filepath.Join(dir, "m.vfl"), text), check.Options{
		Transform: m.Transform, Rho: m.Rho,
		Module: func(client string) (*source.File, error) {
			if client != "c1" {
				return nil, nil
			}
			return source.New(secret+".vfl", strings.ReplaceAll(module, "secret", secret)), nil
		},
	})
	good(t, diags, nil)
	sources, err := data.Locate(filepath.Join(dir, "m.vfl"), model.Parties(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, diags, err := compile.Bind(model, sources, data.Joining{})
	good(t, diags, err)
	if err := b.Verify(); err != nil {
		t.Fatal(err)
	}
	return b
}

// A model with a part in a module has the draws of the same model without a module, bit for bit, in one loop
// and with a goroutine per party.
func TestModuleIsTheModelWrittenOut(t *testing.T) {
	m := testmodel.Linear(9, 30, []int{2, 3}, 0.7)
	m.Rho = 0.8
	for _, m.Transform = range []def.Transform{stdlib.NoTransform, stdlib.Exact, stdlib.Augmented,
		stdlib.Power} {
		open, closed := bindFiles(t, glmText(m), m.Transform, m.Rho, glmFiles(m)), concealed(t, m)
		for _, given := range []map[string]string{{"backend": "nuts", "warmup": "40", "draws": "10"},
			{"backend": "sfvi", "iterations": "60", "draws": "10"}} {
			name := given["backend"]
			settings := map[string]string{}
			for k, v := range given {
				if k != "backend" {
					settings[k] = v
				}
			}
			want := drawsOf(t, open.Plan, session.OneLoop, name, settings)
			one, apart := drawsOf(t, closed.Plan, session.OneLoop, name, settings),
				drawsOf(t, closed.Plan, session.PerParty, name, settings)
			for _, party := range closed.Plan.Names {
				if !sameBits(want[party], one[party]) || !sameBits(one[party], apart[party]) {
					t.Errorf("%s %s: %s draws otherwise", m.Transform, name, party)
				}
			}
		}
	}
}

// The names of a client's module occur in nothing that another party has: no program, no manifest, no
// message, no audit, no view of the server. In the folder of a run, which one process wrote for all parties,
// they are in what belongs to the client and in the joint results.
func TestModuleStaysPrivate(t *testing.T) {
	m := testmodel.Linear(9, 20, []int{2, 3}, 0.7)
	m.Rho = 0.8
	for _, m.Transform = range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
		b := concealed(t, m)
		bundle, diags := b.Bundle()
		good(t, diags, nil)
		files := b.Files()
		if own := files["private/c1.vfl"]; !bytes.Contains(own, []byte(secret)) {
			t.Errorf("the client's own program lacks its module:\n%s", own)
		}
		delete(files, "private/c1.vfl")
		for name, text := range files {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s: %s names what is private:\n%s", m.Transform, name, text)
			}
		}
		for _, a := range Backends() {
			if m.Transform.CutsCross() && a.Name == "soul" {
				continue
			}
			given := variants(a, m.Transform)["default"]
			list, err := Audit(bundle, a, given)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range list {
				if strings.Contains(d.What+d.Learns+strings.Join(d.Shape, " "), secret) {
					t.Errorf("%s %s: the audit lists %+v", m.Transform, a.Name, d)
				}
			}
			crossed := follow(t, b, a, given)
			compare(t, b, list, crossed)
			for message := range crossed {
				if strings.Contains(message, secret) {
					t.Errorf("%s %s: the message %s crosses", m.Transform, a.Name, message)
				}
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "run")
	m.Transform = stdlib.Augmented
	p, diags, err := OpenBound(concealed(t, m),
		Options{Dir: dir, Settings: map[string]string{"chains": "1", "warmup": "20", "draws": "10"}})
	good(t, diags, err)
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range inFolder(t, dir) {
		first, _, _ := strings.Cut(name, "/")
		switch {
		// the client's own
		case name == "programs/private/c1.vfl", name == "modules/c1.module", name == "parties/c1.json":
		// of the simulation, which holds all parties
		case first == "draws", first == "draws.zarr", name == "summary.json", name == "run.json":
		default:
			t.Errorf("%s names what is private", name)
		}
	}
}

// inFolder lists the files of a folder that name what is private.
func inFolder(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if name, _ := filepath.Rel(dir, path); bytes.Contains(text, []byte(secret)) {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
