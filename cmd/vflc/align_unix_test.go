//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/vflc/vflc/tests/await"
)

// align starts the process of a party that aligns its table of the model in a folder; the result goes to
// aligned/.
func (s *stage) align(party string, args ...string) *played {
	s.t.Helper()
	a := &played{Cmd: exec.Command("vflc",
		append([]string{"align", "--identity", "demo/parties/" + party, "--data", "m/" + party + ".csv", "-o",
			"aligned/" + party + ".csv"}, args...)...)}
	a.Dir, a.Stdout, a.Stderr = s.dir, &a.out, &a.out
	if err := a.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { a.Process.Kill() })
	return a
}

// ids are the identifiers of a table, in its order.
func (s *stage) ids(file string) (out []string) {
	for k, line := range strings.Split(strings.TrimSpace(s.read(file)), "\n") {
		if id, _, _ := strings.Cut(line, ","); k > 0 {
			out = append(out, id)
		}
	}
	return out
}

// Three processes align their rows over mutual TLS; a run takes the aligned tables, and refuses one that was
// changed since, by preflight and when it joins.
func TestAlignmentOfProcesses(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	s.must("demo", "start", "m.vfl", "-o", "demo", "--backend", "sfvi", "--draws", "10", "--wait")
	if err := os.Mkdir(filepath.Join(s.dir, "aligned"), 0o700); err != nil {
		t.Fatal(err)
	}
	without := func(file string, n ...int) {
		text := s.read(file)
		for _, id := range n {
			lines := strings.SplitAfter(text, "\n")
			text = ""
			for _, line := range lines {
				if !strings.HasPrefix(line, fmt.Sprint(id, ",")) {
					text += line
				}
			}
		}
		s.write(file, text)
	}
	without("m/a.csv", 3, 17)
	without("m/b.csv", 17, 20, 39)
	all := []*played{s.align("server"), s.align("a"), s.align("b")}
	for _, a := range all {
		if err := a.Wait(); err != nil {
			t.Fatalf("%v: %s", err, a.out.String())
		}
	}
	ids := strings.Join(s.ids("aligned/server.csv"), " ")
	if len(s.ids("aligned/server.csv")) != 36 || ids != strings.Join(s.ids("aligned/a.csv"), " ") ||
		ids != strings.Join(s.ids("aligned/b.csv"), " ") {
		t.Errorf("%s\n%s\n%s", ids, s.read("aligned/a.csv"), s.read("aligned/b.csv"))
	}
	if out := all[1].out.String(); !strings.Contains(out, "in common: 36 rows") ||
		strings.Contains(out, " 20") {
		t.Error(out)
	}
	for _, p := range []string{"server", "a", "b"} {
		for _, end := range []string{"", ".align.json"} {
			s.write("m/"+p+".csv"+end, s.read("aligned/"+p+".csv"+end))
		}
	}
	again := func() {
		t.Helper()
		s.must("demo", "stop", "demo")
		for _, p := range s.demo().Processes {
			if err := os.RemoveAll(filepath.Join(s.dir, "demo", "runs", p.Party)); err != nil {
				t.Fatal(err)
			}
		}
	}
	again()
	s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")
	again()
	lines := strings.SplitAfter(s.read("m/a.csv"), "\n")
	lines[1], lines[2] = lines[2], lines[1]
	s.write("m/a.csv", strings.Join(lines, ""))
	if out, err := s.vflc("preflight", "demo/programs", "--identity", "demo/parties/a", "--data",
		"m/a.csv"); err == nil || !strings.Contains(out, "not as its alignment left it") {
		t.Error(out)
	}
	s.must("demo", "start", "m.vfl", "-o", "demo")
	if log := s.ended("a"); !strings.Contains(log, "[V0636]") {
		t.Error(log)
	}
	if log := s.ended("server"); !strings.Contains(log,
		"a found an error in its own data, which its own log shows (code data)") ||
		strings.Contains(log, "V0636") {
		t.Error(log)
	}
}

// Over a NATS server of an organisation, where nothing of vflc listens, processes find the same rows.
func TestAlignmentOverNATS(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	nats, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true,
		NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	nats.Start()
	t.Cleanup(nats.Shutdown)
	if !nats.ReadyForConnections(await.Patience) {
		t.Fatal("the NATS server does not start")
	}
	s.must("provision", "init", "demo/heart", "--server", "server", "--address", "127.0.0.1:1", "--party",
		"a")
	for _, p := range []string{"server", "a"} {
		s.must("provision", "request", "demo/parties/"+p, "--project", "heart", "--party", p)
		s.must("provision", "add", "--server", "demo/heart", "demo/parties/"+p+"/request.csr")
		for _, file := range []string{"party.crt", "ca.crt", "revoked.crl", "project.toml"} {
			s.write("demo/parties/"+p+"/"+file, s.read("demo/heart/bundles/"+p+"/"+file))
		}
	}
	s.write("m/a.csv", strings.Replace(s.read("m/a.csv"), "\n7,", "\n77,", 1))
	url := "nats://" + nats.Addr().String()
	all := []*played{s.align("server", "--nats", url), s.align("a", "--nats", url)}
	for _, a := range all {
		if err := a.Wait(); err != nil || !strings.Contains(a.out.String(), "in common: 39 rows") ||
			strings.Contains(a.out.String(), "V08") {
			t.Errorf("%v: %s", err, a.out.String())
		}
	}
	if ids := s.ids("aligned/a.csv"); len(ids) != 39 ||
		strings.Join(ids, " ") != strings.Join(s.ids("aligned/server.csv"), " ") {
		t.Error(ids)
	}
	if wrong := s.align("a", "--nats", "http://x"); wrong.Wait() == nil ||
		!strings.Contains(wrong.out.String(), "V0829: --nats: write nats://HOST:PORT") {
		t.Error(wrong.out.String())
	}
}

// A party of an alignment that is killed and started again has lost its secret: the others end, by its name,
// and write nothing.
func TestKilledPartyEndsAnAlignment(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	s.must("demo", "start", "m.vfl", "-o", "demo", "--backend", "sfvi", "--draws", "10", "--wait")
	if err := os.Mkdir(filepath.Join(s.dir, "aligned"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"server", "a", "b"} { // enough rows to be killed among them
		var table strings.Builder
		table.WriteString("id,x\n")
		for k := range 6000 {
			fmt.Fprintf(&table, "p%d,1\n", k)
		}
		s.write("m/"+p+".csv", table.String())
	}
	server := s.align("server")
	killed, b := s.align("a"), s.align("b")
	if !await.Until(func() bool {
		return strings.Contains(server.out.String(), "b has joined") && strings.Contains(server.out.String(),
			"a has joined")
	}) {
		t.Fatal(server.out.String())
	}
	killed.Process.Kill()
	killed.Wait()
	next := s.align("a")
	for _, p := range []*played{server, b} {
		err := p.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitPeer ||
			!strings.Contains(p.out.String(), "a met an error") {
			t.Errorf("%v: %s", err, p.out.String())
		}
	}
	next.Process.Kill()
	next.Wait()
	if found, _ := filepath.Glob(filepath.Join(s.dir, "aligned", "*")); len(found) > 0 {
		t.Errorf("%v was written", found)
	}
}
