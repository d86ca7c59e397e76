package fit

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// onWire is a copy of settings, on a kind of wire.
func onWire(given map[string]string, wire string) map[string]string {
	out := maps.Clone(given)
	switch wire {
	case "plain", "fixed":
		maps.Copy(out, map[string]string{"wire": wire, "secure-sum": "off"})
	case "masked":
		out["secure-sum"] = "on"
	}
	return out
}

// briefRun is the folder of a short run.
func briefRun(t *testing.T, b *compile.BoundModel) *posterior.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	given := map[string]string{"chains": "1", "warmup": "5", "draws": "5"}
	p, diags, err := OpenBound(b, Options{Algorithm: backend(t, "nuts"), Settings: given, Seed: 2, Dir: dir})
	good(t, diags, err)
	r, err := p.Sample(t.Context(), nil)
	good(t, nil, err)
	good(t, nil, r.Save(dir))
	run, err := posterior.OpenRun(dir)
	good(t, nil, err)
	return run
}

// recordOf makes the record of a folder that of a run by another algorithm.
func recordOf(t *testing.T, run *posterior.Run, a backends.Algorithm, on def.Transform,
	given map[string]string) *posterior.Run {
	t.Helper()
	s, err := a.Resolve(on, given)
	good(t, nil, err)
	of, record := *run, *run.Record
	record.Backend, record.Settings = a.Name, s.All()
	of.Record = &record
	return &of
}

// inReport compares the verdict of a report.
func inReport(t *testing.T, name, audit string, run *posterior.Run, b *compile.BoundModel,
	a backends.Algorithm) {
	t.Helper()
	bundle, diags := b.Bundle()
	good(t, diags, nil)
	report, err := RunVerdict(run, bundle, a)
	good(t, nil, err)
	if diff := cmp.Diff(audit, compile.VerdictText(report)); diff != "" {
		t.Errorf("%s: the audit (-), the report (+)\n%s", name, diff)
	}
}

// The verdict of a run is the same words in all places, whatever the backend, transform and wire: what the
// audit of a model says without tables is what its manifest says, which preflight shows and parties agree to;
// and what it says with tables is what the report of a run says from the settings that its record has, unless
// the tables have changed since.
func TestVerdictIsTheSameEverywhere(t *testing.T) {
	compared, unlike := 0, 0
	for _, clients := range []int{1, 2, 3} {
		path := hospitals(t, clients)
		for _, on := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
			if clients == 1 && on.AtClients() {
				continue
			}
			b := bindPath(t, path, on, 0.05)
			m, sources := compiled(t, path, check.Options{Transform: on, Rho: 0.05})
			tables, folder := m.Tables(sources, data.Joining{}), briefRun(t, b)
			if tables == nil {
				t.Fatal("the tables cannot be read")
			}
			for _, a := range Backends() {
				for way, given := range waysOf(a.Name) {
					for _, wire := range []string{"plain", "fixed", "masked"} {
						settings := onWire(given, wire)
						if _, err := a.Resolve(on, settings); err != nil || given["estimator"] == "fixed" &&
							on != stdlib.Exact {
							continue // no such run
						}
						name := fmt.Sprintf("%d clients, %s, %s%s, %s", clients, on, a.Name, way, wire)
						without, with := compile.VerdictText(verdictOf(t, b, a.Name, settings, nil)),
							compile.VerdictText(verdictOf(t, b, a.Name, settings, tables))
						good(t, nil, Declare(m, a, settings))
						if diff := cmp.Diff(without, strings.Join(m.Manifest.Run.Verdict, "\n")+
							"\n"); diff != "" {
							t.Errorf("%s: the audit without tables (-), the manifest (+)\n%s", name, diff)
						}
						run := recordOf(t, folder, a, on, settings)
						inReport(t, name, with, run, b, a)
						run.Record.Salt = "00" // the digests of the tables are others then
						inReport(t, name+", tables that have changed", without, run, b, a)
						compared++
						if with != without {
							unlike++
						}
					}
				}
			}
		}
	}
	if compared < 60 || unlike == 0 {
		t.Errorf("%d combinations were compared, in %d of which the tables tell more", compared, unlike)
	}
}
