//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vflc/vflc/node"
)

// unit is the command of a unit of examples/deploy, with the values of its file of variables, some of which the test sets.
func unit(t *testing.T, name string, set map[string]string) []string {
	t.Helper()
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", "deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	values := map[string]string{}
	for line := range strings.Lines(read(name + ".env")) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			values[key] = value
		}
	}
	for key, value := range set {
		if _, ok := values[key]; !ok {
			t.Fatalf("%s.env has no %s", name, key)
		}
		values[key] = value
	}
	command := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/vflc (.*)$`).FindStringSubmatch(read("vflc-" + name + ".service"))
	if command == nil {
		t.Fatal("the unit has no ExecStart")
	}
	return strings.Fields(os.Expand(command[1], func(key string) string { return values[key] }))
}

func freePorts(t *testing.T, n int) (out []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		out = append(out, l.Addr().String())
	}
	return out
}

// get asks a party's port for its operator's tools until it answers.
func get(t *testing.T, address, path string) (int, string) {
	t.Helper()
	for range 200 {
		r, err := http.Get("http://" + address + path)
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}
	t.Fatalf("nothing answers at %s", address)
	return 0, ""
}

// The units of examples/deploy run a coordinator and two clients, provisioned by commands; their metrics and health tell how the run stands.
func TestDeployedUnits(t *testing.T) {
	s := newStage(t)
	ports := freePorts(t, 4)
	s.must("compile", "--split-by", "client", "m.vfl", "-o", "build")
	s.must("provision", "init", "heart", "--server", "server", "--address", ports[0], "--party", "a", "--party", "b")
	parties := []string{"server", "a", "b"}
	processes := map[string]*exec.Cmd{}
	logs := map[string]*strings.Builder{}
	for k, party := range parties {
		s.must("provision", "request", party, "--project", "heart", "--party", party)
		s.must("provision", "add", "heart", party+"/request.csr")
		if err := os.CopyFS(filepath.Join(s.dir, party+"-all"), os.DirFS(filepath.Join(s.dir, "heart", "bundles", party))); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"party.crt", "ca.crt", "revoked.crl", "project.toml"} {
			s.write(party+"/"+file, s.read(party+"-all/"+file))
		}
		name, set := "join", map[string]string{"SHARED": "m/server.csv"}
		if k == 0 {
			name, set = "serve", map[string]string{"ARGS": "--backend nuts --chains 2 --warmup 1000 --draws 1000 --listen " + ports[0]}
		}
		for key, value := range map[string]string{"PROGRAMS": "build", "IDENTITY": party, "DATA": "m/" + party + ".csv", "RUN": "run_" + party, "METRICS": ports[k+1]} {
			set[key] = value
		}
		cmd := exec.Command("vflc", unit(t, name, set)...)
		logs[party] = &strings.Builder{}
		cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, logs[party], logs[party]
		processes[party] = cmd
		if party == "b" {
			break // later
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the test failed
	}
	code, text := get(t, ports[1], "/health")
	var status node.Status
	if err := json.Unmarshal([]byte(text), &status); err != nil || code != http.StatusOK || status.Party != "server" {
		t.Error(code, text, err)
	}
	if err := processes["b"].Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = processes["b"].Process.Kill() })
	wanted := regexp.MustCompile(`vflc_chain_iteration\{chain="1",phase="\w+"\} [1-9]`)
	const running = `vflc_state{model="m",party="a",state="running"} 1`
	var metrics string
	for range 400 {
		if _, metrics = get(t, ports[2], "/metrics"); wanted.MatchString(metrics) && strings.Contains(metrics, running) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, want := range []string{running, "vflc_missing_parties 0", `vflc_packets_total{direction="sent"}`, "vflc_refused_packets_total 0", "vflc_epoch 1"} {
		if !wanted.MatchString(metrics) || !strings.Contains(metrics, want) {
			t.Errorf("no %s in\n%s", want, metrics)
		}
	}
	for _, party := range parties {
		if err := processes[party].Wait(); err != nil {
			t.Errorf("%s: %v\n%s", party, err, logs[party])
		}
		if !strings.Contains(s.read("run_"+party+"/session/status.json"), `"state": "complete"`) {
			t.Errorf("%s: %s", party, s.read("run_"+party+"/session/status.json"))
		}
	}
}

// Metrics are shown on the loopback interface alone.
func TestMetricsStayOnTheMachine(t *testing.T) {
	s := newStage(t)
	s.stopAfter("demo")
	s.must("demo", "start", "m.vfl", "-o", "demo", "--chains", "1", "--warmup", "20", "--draws", "10")
	s.must("demo", "stop", "demo")
	for _, address := range []string{"0.0.0.0:9422", ":9422", "example.org:80", "9422"} {
		out, err := s.vflc("join", "demo/programs", "--identity", "demo/parties/a", "--data", "m/a.csv", "-o", "demo/runs/a", "--metrics", address)
		if want := fmt.Sprintf("V0829: --metrics %s: write HOST:PORT with a HOST of the loopback interface", address); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", address, err, out)
		}
	}
}
