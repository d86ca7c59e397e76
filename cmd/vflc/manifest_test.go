package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// The manifest is what crosses: nothing that it says of the run or of the transform can be changed beside
// programs of another kind. Every text in it is changed by itself.
func TestManifestIsWhatCrosses(t *testing.T) {
	dir := t.TempDir()
	model, build := filepath.Join(dir, "model.vfl"), filepath.Join(dir, "build")
	write(t, model, twoClinics)
	do(t, "compile", model, "-o", build)
	path := filepath.Join(build, "manifest.json")
	text := read(t, path)
	var whole map[string]any
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	refused := func(what string) {
		changed, err := json.MarshalIndent(whole, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, string(changed))
		var out, errs bytes.Buffer
		if code := execute([]string{"audit", build}, &out, &errs); code != exitInput ||
			!strings.Contains(errs.String(), "error V04") || out.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d\n%s%s", what, code, exitInput, &errs, &out)
		}
	}
	changes := 0
	var walk func(at string, v any, set func(any))
	walk = func(at string, v any, set func(any)) {
		switch v := v.(type) {
		case string:
			for _, other := range []string{v + "!", "", "no"} {
				if other != v {
					set(other)
					refused(fmt.Sprintf("%s: %q in place of %q", at, other, v))
					changes++
				}
			}
			set(v)
		case []any:
			for k := range v {
				walk(fmt.Sprintf("%s[%d]", at, k), v[k], func(x any) { v[k] = x })
			}
			set(append([]any{}, v[:max(0, len(v)-1)]...))
			if len(v) > 0 {
				refused(at + " without its last entry")
			}
			set(v)
		case map[string]any:
			for name := range v {
				walk(at+"."+name, v[name], func(x any) { v[name] = x })
			}
		}
	}
	walk("run", whole["run"], func(x any) { whole["run"] = x })
	for _, transform := range []string{"exact", "power"} {
		whole["transform"] = transform
		refused("transform " + transform)
	}
	whole["transform"] = "augmented"
	delete(whole, "run")
	refused("no run")
	if changes < 50 {
		t.Errorf("only %d texts were changed", changes)
	}
}

// A folder of programs is audited, and served, in the run that it was compiled for.
func TestProgramsAreOfOneRun(t *testing.T) {
	dir := t.TempDir()
	model, build := filepath.Join(dir, "model.vfl"), filepath.Join(dir, "build")
	write(t, model, twoClinics)
	do(t, "compile", model, "--backend", "sfvi", "--secure-sum", "off", "-o", build)
	if out := do(t, "audit", build); !strings.Contains(out, "backend sfvi") ||
		strings.Contains(out, "masks, which") {
		t.Error(out)
	}
	do(t, "audit", build, "--iterations", "77") // nothing else crosses
	for _, args := range [][]string{{"--backend", "nuts"}, {"--secure-sum", "on"}, {"--minibatch", "5"}} {
		var out, errs bytes.Buffer
		if code := execute(append([]string{"audit", build}, args...), &out, &errs); code != exitInput ||
			!strings.Contains(errs.String(), "something else would cross") || out.Len() > 0 {
			t.Errorf("%v: exit code %d\n%s%s", args, code, &errs, &out)
		}
	}
	page := filepath.Join(dir, "audit.html")
	do(t, "audit", build, "-o", page)
	html := read(t, page)
	for _, want := range []string{"SHA-256", "not masked", "z_1, drawn around XN * u", "aux z_1",
		"Signatures", "<th scope=\"row\">south</th>"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the document", want)
		}
	}
}
