package split_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/compiletest"
	"github.com/vflc/vflc/tests/diagtest"
)

// owners runs the phases up to the split.
func owners(f *source.File) diag.List {
	m, diags := compile.Compile(f, check.Options{})
	if diags.HasErrors() {
		return diags
	}
	return append(diags, m.MaySplit()...)
}

// compiled splits a model that must be right.
func compiled(t *testing.T, text string, options check.Options) (map[string]string, *split.Manifest) {
	t.Helper()
	m := compiletest.Compile(t, text, options)
	out := map[string]string{}
	for _, q := range m.Programs {
		out[q.Party] = q.Text
	}
	return out, m.Manifest
}

const oneClient = `client a
data y : real[N] @ shared
data X : real[N, P] @ a
param beta : real[P] ~ normal(0, 1) @ a
param b ~ normal(0, 1)
y ~ normal(b + X * beta, 1)
transform augmented(rho = 1)
`

// stranger reads a program for the client of oneClient: what is wrong with it, else whether it has the
// manifest's digest.
func stranger(t *testing.T) func(*source.File) diag.List {
	_, manifest := compiled(t, oneClient, check.Options{})
	for _, page := range diag.Pages {
		if page.Code == diag.WrongDigest {
			manifest.Parties[1].SHA256 = split.Digest(page.Right)
		}
	}
	return func(f *source.File) diag.List {
		if strings.HasPrefix(f.Text, "{") {
			_, diags := split.ParseManifest(f, stdlib.New())
			return diags
		}
		_, diags := split.Examine(manifest, "a", f.Name, f.Text, stdlib.New())
		if !diags.HasErrors() {
			_, diags = split.Load(manifest, "a", f.Name, f.Text, stdlib.New())
		}
		return diags
	}
}

func TestOwnerPages(t *testing.T)  { diagtest.Pages(t, "V03", owners) }
func TestLoaderPages(t *testing.T) { diagtest.Pages(t, "V04", stranger(t)) }

func TestGoldens(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/owners/*.txtar", owners)
	for code := range diagtest.Goldens(t, "testdata/loader/*.txtar", stranger(t)) {
		covered[code] = true
	}
	for _, page := range diag.Pages {
		if page.Code > "V03" && page.Code < "V05" && !covered[page.Code] {
			t.Errorf("no golden shows %s, %s", page.Code, page.Title)
		}
	}
}

const twoHospitals = `server registry
client hospital_a, hospital_b
data y  : binary[N]   @ shared
data XA : real[N, PA] @ hospital_a from zscore(age), onehot(sex)
data XB : real[N, PB] @ hospital_b from zscore(max_hr)
param alpha                ~ normal(0, 1)
param beta_a : real[PA] ~ normal(0, 1) @ hospital_a
param beta_b : real[PB] ~ normal(0, 1) @ hospital_b
y ~ bernoulli_logit(alpha + XA * beta_a + XB * beta_b)
`

// TestOnlyItsOwn: a client's program names nothing of another client, and under augmented nothing of the
// server.
func TestOnlyItsOwn(t *testing.T) {
	programs, _ := compiled(t, twoHospitals, check.Options{Transform: stdlib.Augmented})
	for _, foreign := range []string{"hospital_b", "XB", "beta_b", "PB", "max_hr", "alpha", "z_2"} {
		if strings.Contains(programs["hospital_a"], foreign) {
			t.Errorf("hospital_a's program mentions %s:\n%s", foreign, programs["hospital_a"])
		}
	}
	programs, _ = compiled(t, twoHospitals, check.Options{Transform: stdlib.Power})
	for _, foreign := range []string{"hospital_b", "XB", "beta_b", "PB", "max_hr", "z_2"} {
		if strings.Contains(programs["hospital_a"], foreign) {
			t.Errorf("hospital_a's program mentions %s:\n%s", foreign, programs["hospital_a"])
		}
	}
}

// TestPermutation: the order in which clients are declared does not change what each of them runs, up to the
// numbers of z.
func TestPermutation(t *testing.T) {
	swapped := strings.Replace(twoHospitals, "hospital_a, hospital_b", "hospital_b, hospital_a", 1)
	one, _ := compiled(t, twoHospitals, check.Options{Transform: stdlib.Augmented})
	two, _ := compiled(t, swapped, check.Options{Transform: stdlib.Augmented})
	body := func(s string) string { return s[strings.Index(s, "\n"):] }
	if got, want := strings.ReplaceAll(body(two["hospital_a"]), "z_2", "z_1"),
		body(one["hospital_a"]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTampering: whatever is changed in a client's program, the loader refuses it; most changes also without
// the digest.
func TestTampering(t *testing.T) {
	programs, manifest := compiled(t, twoHospitals, check.Options{Transform: stdlib.Augmented, Rho: 1})
	text := programs["hospital_a"]
	for name, test := range map[string]struct {
		old, new string
		want     diag.Code
	}{
		"an extra send": {"send z_1 to registry", "send z_1 to registry\nsend beta_a to registry",
			diag.WrongRole},
		"data sent": {"send z_1 to registry", "send z_1 to registry\nsend XA to registry",
			diag.BadSend},
		"another party's data": {"param beta_a", "data XB : real[N, PB] @ hospital_b\nparam beta_a",
			diag.Misplaced},
		"a changed shape": {"aux z_1 : real[N] ~ normal(XA * beta_a, 1)",
			"aux z_1 : real[PA] ~ normal(beta_a, 1)", diag.ChannelShape},
		"less noise":         {"beta_a, 1)\nsend", "beta_a, 0.001)\nsend", diag.UnlistedChannel},
		"another peer":       {"send z_1 to registry", "send z_1 to hospital_b", diag.WrongPeer},
		"bare data as a cut": {"normal(XA * beta_a, 1)", "normal(XA[:, 1], 1)", diag.ClientData},
		"another's program":  {"for hospital_a", "for hospital_b", diag.NotParty},
		"a gradient that is data": {"send z_1 to registry",
			"send z_1 to registry\nreceive mu : real[N] from registry\nXA[:, 1] ~ normal(mu, 1)",
			diag.UnlistedChannel},
		"data that are shared": {"data XA : real[N, PA]", "data XA : real[N, PA] @ shared",
			diag.UnlistedChannel},
		"a power": {"send z_1 to registry",
			"send z_1 to registry\nXA[:, 1] ~ normal(beta_a[1], 1) ^ (2)", diag.UnlistedChannel},
	} {
		changed := strings.Replace(text, test.old, test.new, 1)
		if changed == text {
			t.Fatalf("%s: nothing to change in\n%s", name, text)
		}
		_, diags := split.Examine(manifest, "hospital_a", "hospital_a.vfl", changed, stdlib.New())
		if !diags.HasErrors() || diags.Shown()[0].Code != test.want {
			t.Errorf("%s: want %s, got %v", name, test.want, codes(diags))
		}
		if _, diags = split.Load(manifest, "hospital_a", "hospital_a.vfl", changed,
			stdlib.New()); !diags.HasErrors() {
			t.Errorf("%s: loaded", name)
		}
	}
	if _, diags := split.Load(manifest, "hospital_a", "hospital_a.vfl", text, stdlib.New()); len(diags) > 0 {
		t.Errorf("the untouched program: %v", codes(diags))
	}
}

// TestTamperingExact: under exact a client sends its cuts and nothing else, and what it sends is a real
// function of a parameter of the manifest's shape.
func TestTamperingExact(t *testing.T) {
	programs, manifest := compiled(t, twoHospitals, check.Options{Transform: stdlib.Exact})
	text := programs["hospital_a"]
	const send = "send z_1 = XA * beta_a to registry"
	for name, test := range map[string]struct {
		new  string
		want diag.Code
	}{
		"data":           {"send z_1 = XA[:, 1] to registry", diag.ClientData},
		"data beside it": {send + "\nsend z_2 = XA[:, 1] to registry", diag.ClientData},
		"a second cut":   {send + "\nsend z_9 = XA * beta_a to registry", diag.UnlistedChannel},
		"the cut twice":  {send + "\n" + send, diag.DeclaredTwice},
		"another's cut":  {strings.Replace(send, "z_1", "z_2", 1), diag.UnlistedChannel},
		"a parameter":    {send + "\nsend beta_a to registry", diag.WrongRole},
		"another shape":  {"send z_1 = beta_a to registry", diag.ChannelShape},
		"another peer":   {strings.Replace(send, "registry", "hospital_b", 1), diag.WrongPeer},
		"noise of its own": {"aux z_1 : real[N] ~ normal(XA * beta_a, 1)\nsend z_1 to registry",
			diag.BareCut},
		"nothing": {"", diag.MissingChannel},
		"a gradient of its data": {send + "\nreceive mu : real[N] from registry\nXA[:, 1] ~ normal(mu, 1)",
			diag.UnlistedChannel},
	} {
		changed := strings.Replace(text, send, test.new, 1)
		if changed == text {
			t.Fatalf("%s: nothing to change in\n%s", name, text)
		}
		_, diags := split.Examine(manifest, "hospital_a", "hospital_a.vfl", changed, stdlib.New())
		if !diags.HasErrors() || diags.Shown()[0].Code != test.want {
			t.Errorf("%s: want %s, got %v", name, test.want, codes(diags))
		}
	}
	if _, diags := split.Load(manifest, "hospital_a", "hospital_a.vfl", text, stdlib.New()); len(diags) > 0 {
		t.Errorf("the untouched program: %v", codes(diags))
	}
}

// TestManifestOfExact: noise and its absence follow from the manifest's transform, and no program is held to
// both.
func TestManifestOfExact(t *testing.T) {
	for _, kind := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
		_, manifest := compiled(t, twoHospitals, check.Options{Transform: kind})
		for name, change := range map[string]func(*split.Manifest){
			"the other transform": func(m *split.Manifest) {
				m.Transform = map[bool]string{true: "augmented", false: "exact"}[kind.CutsCross()]
			},
			"one cut with another noise": func(m *split.Manifest) {
				m.Cuts[0].Rho = map[bool]string{true: "1", false: ""}[kind.CutsCross()]
			},
			"one rho more or less": func(m *split.Manifest) {
				if kind.CutsCross() {
					m.Rho["hospital_a"] = "1"
				} else {
					delete(m.Rho, "hospital_a")
				}
			},
		} {
			var m split.Manifest
			if err := json.Unmarshal(manifest.JSON(), &m); err != nil {
				t.Fatal(err)
			}
			change(&m)
			if _, diags := split.ParseManifest(source.New("manifest.json", string(m.JSON())),
				stdlib.New()); !diags.HasErrors() {
				t.Errorf("%s, %s: the manifest is read", kind, name)
			}
		}
	}
}

// TestTamperingPower: under power the server learns the adjoint of the others' sum, which a changed
// likelihood could make the client's data.
func TestTamperingPower(t *testing.T) {
	programs, manifest := compiled(t, twoHospitals, check.Options{Transform: stdlib.Power})
	text := programs["hospital_a"]
	for name, test := range map[string]struct {
		old, new string
		want     diag.Code
	}{
		"another element type": {"receive alpha : real", "receive alpha : count", diag.ChannelShape},
		"another exponent":     {"^ (1/2)", "^ (1/3)", diag.UnlistedChannel},
		"no exponent":          {"^ (1/2)", "", diag.UnlistedChannel},
		"another response":     {"y ~ bernoulli", "XA[:, 1] ~ bernoulli", diag.WrongElement},
		"its data as response": {"y ~ bernoulli_logit(alpha + o_1 + XA * beta_a)",
			"XA[:, 1] ~ normal(o_1, 1)", diag.UnlistedChannel},
		"a second likelihood": {"send z_1 to registry",
			"send z_1 to registry\nXA[:, 1] ~ normal(o_1, 1)", diag.UnlistedChannel},
		"bare data in its place": {"XA * beta_a) ^", "XA[:, 1]) ^", diag.ClientData},
		"bare data beside it":    {"XA * beta_a) ^", "XA * beta_a + XA[:, 1]) ^", diag.ClientData},
		"another sign":           {"+ XA * beta_a) ^", "- XA * beta_a) ^", diag.ClientData},
		"a factor of the sum": {"o_1 + XA * beta_a) ^", "XA[:, 1] .* o_1 + XA * beta_a) ^",
			diag.ClientData},
		"a weight": {"beta_a) ^ (1/2)", "beta_a) weights XA[:, 1] ^ (1/2)",
			diag.ClientData},
		"a prior that reads the sum": {"send z_1 to registry",
			"send z_1 to registry\nparam q : real[N] ~ normal(o_1, 1)\nXA[:, 1] ~ normal(q, 1e-3)",
			diag.UnlistedChannel},
		"a cut that reads the sum": {"aux z_1 : real[N] ~ normal(XA * beta_a",
			"aux z_1 : real[N] ~ normal(o_1 + XA * beta_a", diag.UnlistedChannel},
		"a sum that is not heard": {"receive o_1 : real[N] from registry\n", "data o_1 : real[N]\n",
			diag.ClientData},
	} {
		changed := strings.Replace(text, test.old, test.new, 1)
		if changed == text {
			t.Fatalf("%s: nothing to change in\n%s", name, text)
		}
		_, diags := split.Examine(manifest, "hospital_a", "hospital_a.vfl", changed, stdlib.New())
		if !diags.HasErrors() || diags.Shown()[0].Code != test.want {
			t.Errorf("%s: want %s, got %v", name, test.want, codes(diags))
		}
	}
	for name, test := range map[string]struct{ old, new string }{
		"another's z":    {"send o_1   = z_2 to hospital_a", "send o_1   = z_1 to hospital_a"},
		"a sum twice":    {"send o_1   = z_2 to hospital_a", "send o_1   = z_2 + z_2 to hospital_a"},
		"a sum not sent": {"send o_1   = z_2 to hospital_a\n", ""},
	} {
		changed := strings.Replace(programs["registry"], test.old, test.new, 1)
		if changed == programs["registry"] {
			t.Fatalf("%s: nothing to change in\n%s", name, changed)
		}
		if _, diags := split.Examine(manifest, "registry", "registry.vfl", changed,
			stdlib.New()); !diags.HasErrors() {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestManifestTampering: a manifest that no vflc of this version writes is refused whatever the program
// holds.
func TestManifestTampering(t *testing.T) {
	programs, manifest := compiled(t, twoHospitals, check.Options{Transform: stdlib.Augmented})
	for name, change := range map[string]func(*split.Manifest){
		"an unknown transform":        func(m *split.Manifest) { m.Transform = "masked" },
		"no transform":                func(m *split.Manifest) { m.Transform = "" },
		"pooled data":                 func(m *split.Manifest) { m.Transform = "none" },
		"another language":            func(m *split.Manifest) { m.Language = "1" },
		"another protocol":            func(m *split.Manifest) { m.Protocol = "0" },
		"another schema":              func(m *split.Manifest) { m.Schema = 1 },
		"a second server":             func(m *split.Manifest) { m.Parties[1].Role = "server" },
		"another server":              func(m *split.Manifest) { m.Server = "hospital_b" },
		"noise that is not the sum's": func(m *split.Manifest) { m.Rho["hospital_a"] = "2" },
		"a group of another":          func(m *split.Manifest) { m.Cuts[0].Group = 2 },
		"a likelihood at the client": func(m *split.Manifest) {
			m.Powers = append(m.Powers, split.ManifestPower{Party: "hospital_a", Response: "y",
				Distribution: "normal", Exponent: "1"})
		},
	} {
		var m split.Manifest
		if err := json.Unmarshal(manifest.JSON(), &m); err != nil {
			t.Fatal(err)
		}
		change(&m)
		_, diags := split.Load(&m, "hospital_a", "hospital_a.vfl", programs["hospital_a"], stdlib.New())
		if !diags.HasErrors() || diags.Shown()[0].Code != diag.BadManifest {
			t.Errorf("%s: got %v", name, codes(diags))
		}
		if _, diags = split.ParseManifest(source.New("manifest.json", string(m.JSON())),
			stdlib.New()); !diags.HasErrors() {
			t.Errorf("%s: the manifest is read", name)
		}
	}
	if _, diags := split.ParseManifest(source.New("manifest.json", string(manifest.JSON())+"{}"),
		stdlib.New()); !diags.HasErrors() {
		t.Error("a manifest with a second one behind it is read")
	}
	if _, diags := split.ParseManifest(source.New("manifest.json", string(manifest.JSON())),
		stdlib.New()); len(diags) > 0 {
		t.Errorf("the untouched manifest: %v", codes(diags))
	}
}

func codes(l diag.List) (out []diag.Code) {
	for _, d := range l {
		out = append(out, d.Code)
	}
	return out
}

var update = flag.Lookup("update")

// TestPrograms: what the parties of each model run, to the letter. Every program is loaded again, and
// printing what was loaded changes nothing.
func TestPrograms(t *testing.T) {
	paths, err := filepath.Glob("testdata/programs/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives (%v)", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { program(t, path) })
	}
}

func program(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, diags := compiletest.Try(t, source.New("m.vfl", string(archive.Files[0].Data)), check.Options{})
	if diags.HasErrors() {
		t.Fatalf("%s %s", diags[0].Code, diags[0].Message)
	}
	got := &txtar.Archive{Files: archive.Files[:1:1]}
	for _, q := range m.Programs {
		if _, diags := split.Load(m.Manifest, q.Party, q.File, q.Text, stdlib.New()); len(diags) > 0 {
			t.Errorf("%s: %s %s\n%s", q.File, diags[0].Code, diags[0].Message, q.Text)
		}
		tree, _ := parser.Parse(source.New(q.File, q.Text))
		if again := format.Format(tree); again != q.Text {
			t.Errorf("%s is not as the formatter prints it:\n%s", q.File, cmp.Diff(q.Text, again))
		}
		text := strings.Replace(q.Text, m.Manifest.ModelSHA256, "…", 1)
		got.Files = append(got.Files, txtar.File{Name: q.File, Data: []byte(text)})
	}
	if update.Value.String() == "true" {
		if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
		t.Errorf("programs differ (-want +got); if they are right, run with -update:\n%s", diff)
	}
}
