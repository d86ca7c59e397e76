//go:build rebuild && unix

package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/tests/await"
)

// otherProtocol builds the program with another number of the protocol, from a copy of the one file that has
// it.
var otherProtocol = sync.OnceValues(func() (string, error) {
	const file = "manifest.go"
	text, err := os.ReadFile(filepath.Join("..", "..", "compile", "split", file))
	if err != nil {
		return "", err
	}
	const line = "ProtocolVersion = "
	other := strings.Replace(string(text), line+`"`+split.ProtocolVersion+`"`, line+`"9"`, 1)
	if other == string(text) {
		return "", errors.New(file + " has no line with the protocol")
	}
	dir, err := os.MkdirTemp("", "vflc-protocol-9-")
	if err != nil {
		return "", err
	}
	source, err := filepath.Abs(filepath.Join("..", "..", "compile", "split", file))
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: filepath.Join(dir, file)}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, file), []byte(other), 0o600),
		os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600)); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "vflc")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-overlay",
		filepath.Join(dir, "overlay.json"), "-o", program, ".").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return program, nil
})

// with starts a process of another program, in the folder of the demonstration.
func (s *stage) with(program string, args ...string) *played {
	s.t.Helper()
	p := &played{Cmd: exec.Command(program, args...)}
	p.Dir, p.Stdout, p.Stderr = filepath.Join(s.dir, "demo"), &p.out, &p.out
	if err := p.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// endsWith waits for a process, which must end with a code, and print a text.
func (s *stage) endsWith(p *played, code int, text string) {
	s.t.Helper()
	late := time.AfterFunc(await.Patience, func() { _ = p.Process.Kill() })
	defer late.Stop()
	err := p.Wait()
	if got := p.ProcessState.ExitCode(); got != code || !strings.Contains(p.out.String(), text) {
		s.t.Errorf("%v: %v, want exit code %d and %q\n%s", p.Args, err, code, text, p.out.String())
	}
}

// states are the files of a run that it goes on from, with the results.
func (s *stage) states(party string) map[string]string {
	s.t.Helper()
	out := map[string]string{}
	dir := filepath.Join(s.dir, "demo", "runs", party)
	for _, sub := range []string{"checkpoint", "draws", "parties", "programs"} {
		err := filepath.WalkDir(filepath.Join(dir, sub), func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil // there may be none
			}
			text, err := os.ReadFile(path)
			out[path] = string(text)
			return err
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return out
}

// Processes of two protocols, the server's being either, name both and end; a run that one of them had begun
// is not touched, and the old program goes on with it.
func TestProcessesOfTwoProtocols(t *testing.T) {
	t.Parallel()
	other, err := otherProtocol()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(other)) })
	own, err := exec.LookPath("vflc")
	if err != nil {
		t.Fatal(err)
	}
	protocol := map[string]string{own: "(protocol " + split.ProtocolVersion + ")", other: "(protocol 9)"}

	s := newStage(t)
	s.stopAfter("demo")
	args := s.meet(func(n int) []string {
		return append(oneChain(n), "--checkpoint-interval", "30ms")
	}, func() bool {
		for _, party := range []string{"server", "a", "b"} {
			s.reach(party, 1)
		}
		s.must("demo", "stop", "demo")
		return !strings.Contains(s.must("status", "demo"), node.Complete)
	})
	begun := map[string]map[string]string{}
	for _, p := range s.demo().Processes {
		if begun[p.Party] = s.states(p.Party); len(begun[p.Party]) == 0 {
			t.Fatalf("%s has saved nothing", p.Party)
		}
	}
	compile := exec.Command(other, "compile", "--split-by", "client", "m.vfl", "-o", "demo/other")
	compile.Dir = s.dir
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	// of is a party's process of a run: one of a program reads what that program has compiled.
	of := func(program string, party int) *played {
		args := slices.Clone(s.demo().Processes[party].Args)
		if program == other {
			args[1] = "other"
		}
		return s.with(program, args...)
	}
	untouched := func() {
		t.Helper()
		for party, want := range begun {
			if got := s.states(party); !maps.Equal(got, want) {
				t.Errorf("the run of %s was changed: %d files, and %d before", party, len(got), len(want))
			}
		}
	}
	const named = "error V0679: "

	// A client has the new program, in the folder of its run.
	server, a, b := of(own, 0), of(other, 1), of(own, 2)
	s.endsWith(a, 1, named+"server runs vflc")
	s.endsWith(server, 1, named+"a runs vflc")
	s.endsWith(b, 4, "a has another version of vflc (code version)")
	for _, p := range []*played{server, a} {
		if text := p.out.String(); !strings.Contains(text, protocol[own]) ||
			!strings.Contains(text, protocol[other]) || strings.Contains(text, "a is missing") {
			t.Error(text)
		}
	}
	untouched()
	// It has it, and the programs of the old one.
	a = s.with(other, s.demo().Processes[1].Args...)
	s.endsWith(a, 1, "error V0410")
	// The server has the new program, in the folder of its run: it does not begin.
	s.endsWith(of(other, 0), 1, named)
	untouched()
	// The server has it, and a new folder.
	args0 := slices.Clone(s.demo().Processes[0].Args)
	args0[1], args0[slices.Index(args0, "-o")+1] = "other", "runs/new"
	new2 := slices.Clone(s.demo().Processes[2].Args)
	new2[1], new2[slices.Index(new2, "-o")+1] = "other", "runs/fresh"
	server, a, b = s.with(other, args0...), of(own, 1), s.with(other, new2...)
	s.endsWith(a, 1, named+"server runs vflc")
	s.endsWith(server, 1, named+"a runs vflc")
	s.endsWith(b, 4, "a has another version of vflc (code version)")
	untouched()

	// A preflight and an alignment name both too.
	server = of(own, 0)
	var text string
	if !await.Until(func() bool {
		ask := exec.Command(other, "preflight", "demo/other", "--identity", "demo/parties/a", "--data",
			"m/a.csv", "--data", "shared=m/server.csv")
		ask.Dir = s.dir
		out, _ := ask.CombinedOutput()
		text = string(out)
		return strings.Contains(text, "server runs vflc") && strings.Contains(text, protocol[own]) &&
			strings.Contains(text, protocol[other]) && ask.ProcessState.ExitCode() == 1
	}) {
		t.Fatal(text)
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	for _, programs := range [][]string{{own, other, own}, {other, own, other}} {
		var all []*played
		for k, party := range []string{"server", "a", "b"} {
			all = append(all, s.with(programs[k], "align", "--identity", "parties/"+party, "--data",
				"../m/"+party+".csv", "-o", party+".csv"))
		}
		s.endsWith(all[0], 1, named+"a runs vflc")
		s.endsWith(all[1], 1, named+"server runs vflc")
		s.endsWith(all[2], 4, "a has another version of vflc (code version)")
		if _, err := os.Stat(filepath.Join(s.dir, "demo", "a.csv")); err == nil {
			t.Error("an alignment that could not begin has written a table")
		}
	}
	untouched()

	s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")
	s.must(append([]string{"run", "m.vfl", "-o", "whole", "--secure-sum=on"}, args...)...)
	s.wantWhole("whole")
}
