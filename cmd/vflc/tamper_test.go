package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/split"
)

const twoClinics = `server registry
client north, south
data y : binary[N] @ shared
data XN : real[N, P] @ north
data XS : real[N, Q] @ south
param a ~ normal(0, 1)
param u : real[P] ~ normal(0, 1) @ north
param v : real[Q] ~ normal(0, 1) @ south
y ~ bernoulli_logit(a + XN * u + XS * v)
transform augmented(rho = 1)
`

// Whoever changes a program can put its new digest into the manifest: audit and check refuse by what the
// program does, with its place.
func TestTamperedProgramsAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ file, old, new, want string }{
		"less noise": {"north.vfl", "u, 1)", "u, 0.001)",
			"north.vfl:4:36: error V0407: the noise of z_1 has sd 0.001 here, but the manifest lists 1"},
		"a gradient": {"north.vfl", "send z_1 to registry\n",
			"send z_1 to registry\nreceive mu : real[N] from registry\nXN[:, 1] ~ normal(mu, 1)\n",
			"north.vfl:6:1: error V0407"},
		"unknown": {"manifest.json", `"transform": "augmented"`, `"transform": "masked"`,
			"manifest.json:"},
		"another protocol": {"manifest.json", `"protocol": "` + split.ProtocolVersion + `"`, `"protocol": "1"`,
			`error V0410: the protocol of this manifest has version "1", and this vflc has ` + split.ProtocolVersion},
		"no manifest": {"manifest.json", "{", "", "error V0410: this is no manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			model := filepath.Join(dir, "model.vfl")
			write(t, model, twoClinics)
			build := filepath.Join(dir, "build")
			do(t, "compile", model, "-o", build)
			path := filepath.Join(build, test.file)
			text := read(t, path)
			changed := strings.Replace(text, test.old, test.new, 1)
			if changed == text {
				t.Fatalf("nothing to change in\n%s", text)
			}
			write(t, path, changed)
			manifest := filepath.Join(build, "manifest.json")
			write(t, manifest, strings.ReplaceAll(read(t, manifest), split.Digest(text),
				split.Digest(changed)))
			for _, args := range [][]string{{"audit", build}, {"check", filepath.Join(build, "north.vfl"),
				"--manifest", manifest}} {
				var out, errs bytes.Buffer
				if code := execute(args, &out, &errs); code != exitInput ||
					!strings.Contains(errs.String(), test.want) || out.Len() > 0 {
					t.Errorf("%s: exit code %d, want %d, and %q in\n%s%s", args[0], code, exitInput,
						test.want, &errs, &out)
				}
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
