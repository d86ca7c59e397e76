//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/await"
)

// unit is the command of a unit of examples/deploy, with the values of its file of variables, some of which
// the test sets.
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
	command := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/vflc (.*)$`).FindStringSubmatch(
		read("vflc-" + name + ".service"),
	)
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
	var r *http.Response
	if !await.Until(func() (ok bool) {
		var err error
		r, err = http.Get("http://" + address + path)
		return err == nil
	}) {
		t.Fatalf("nothing answers at %s", address)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// The units of examples/deploy run a coordinator and two clients, provisioned by commands; their metrics and
// health tell how the run stands.
func TestDeployedUnits(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ports := freePorts(t, 4)
	s.provisioned(ports[0])
	parties := []string{"server", "a", "b"}
	processes := map[string]*exec.Cmd{}
	logs := map[string]*strings.Builder{}
	for k, party := range parties {
		name, set := "join", map[string]string{"SHARED": "m/server.csv"}
		if k == 0 {
			name, set = "serve",
				map[string]string{"ARGS": "--backend nuts --chains 1 --warmup 500 --draws 500 --listen " +
					ports[0]}
		}
		for key, value := range map[string]string{"PROGRAMS": "build", "IDENTITY": party,
			"DATA": "m/" + party + ".csv", "RUN": "run_" + party, "METRICS": ports[k+1]} {
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
	s.must("status", "run_server", "--probe")
	var status node.Status
	if err := json.Unmarshal([]byte(text), &status); err != nil || code != http.StatusOK ||
		status.Party != "server" {
		t.Error(code, text, err)
	}
	if err := processes["b"].Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = processes["b"].Process.Kill() })
	wanted := regexp.MustCompile(`vflc_chain_iteration\{chain="1",phase="\w+"\} [1-9]`)
	const running = `vflc_state{model="m",party="a",state="running"} 1`
	var metrics string
	await.Until(func() bool {
		_, metrics = get(t, ports[2], "/metrics")
		return wanted.MatchString(metrics) && strings.Contains(metrics, running)
	})
	for _, want := range []string{running, "vflc_missing_parties 0", `vflc_packets_total{direction="sent"}`,
		"vflc_refused_packets_total 0", "vflc_epoch 1"} {
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
		s.must("status", "run_"+party, "--probe") // whose run is complete
	}
}

// Metrics are shown on the loopback interface alone.
func TestMetricsStayOnTheMachine(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	s.must("demo", "start", "m.vfl", "-o", "demo", "--chains", "1", "--warmup", "20", "--max-depth", "4",
		"--draws", "10")
	s.must("demo", "stop", "demo")
	for address, want := range map[string]string{
		"0.0.0.0:9422": "V0842: --metrics 0.0.0.0:9422: whoever reaches the port sees how the run stands",
		"9422":         "V0829: --metrics 9422: write HOST:PORT",

		"unix:demo/runs/a/m": "V0829: --metrics unix:demo/runs/a/m: the folder of a run holds nothing else: " +
			"write unix:demo/runs/a/session/m",
	} {
		out, err := s.vflc("join", "demo/programs", "--identity", "demo/parties/a", "--data", "m/a.csv", "-o",
			"demo/runs/a", "--metrics", address)
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", address, err, out)
		}
	}
	s.must("status", "demo") // whose processes were stopped before the run was complete
	if out, err := s.vflc("status", "demo", "--probe"); err == nil || !strings.Contains(out, "V0843") {
		t.Errorf("a probe of processes that have ended: %v\n%s", err, out)
	}
}

// A party and the server renew their keys in the course of a run: the run goes on with the old programs, the
// same project and the same draws, its ledgers say what was done, and the key before is not taken after its
// day.
func TestKeysAreRenewedInARun(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	args := []string{"--transform", "exact", "--chains", "1", "--warmup", "50", "--draws", "1000"}
	s.must(append([]string{"demo", "start", "m.vfl", "-o", "demo", "--checkpoint-interval", "50ms"}, args...)...)
	await.Until(func() bool {
		_, err := os.Stat(filepath.Join(s.dir, "demo", "runs", "a", "checkpoint"))
		return err == nil
	})
	s.must("demo", "stop", "demo")
	if state := s.read("demo/runs/a/session/status.json"); !strings.Contains(state, `"state": "stopped"`) {
		t.Fatalf("the run was not in its course: %s", state)
	}
	old, err := identity.Load(filepath.Join(s.dir, "demo", "parties", "a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, party := range []string{"a", "server"} {
		s.must("provision", "renew", "demo/parties/"+party)
		said := s.must("provision", "add", "demo/project", "demo/parties/"+party+"/renewal.csr", "--overlap",
			"0s")
		if !strings.Contains(said, "the key of "+party+" is renewed") {
			t.Error(said)
		}
		s.write("demo/parties/"+party+"/party.crt", s.read("demo/project/bundles/"+party+"/party.crt"))
	}
	for _, party := range []string{"server", "a", "b"} {
		s.write("demo/parties/"+party+"/revoked.crl", s.read("demo/project/revoked.crl"))
	}
	s.must("demo", "start", "-o", "demo", "--wait")
	s.must(append([]string{"run", "m.vfl", "--secure-sum", "on", "-o", "whole", "--quiet"}, args...)...)
	s.wantWhole("whole")
	for _, party := range []string{"a", "server"} {
		if said := s.must("audit", "demo/runs/"+party); !strings.Contains(said, party+" has renewed its key: ") {
			t.Error(said)
		}
	}
	server, err := identity.Load(filepath.Join(s.dir, "demo", "parties", "server"))
	if err != nil {
		t.Fatal(err)
	}
	var refused *identity.RefusedError
	if _, err := server.Verify(old.Cert.Raw); !errors.As(err, &refused) ||
		refused.Why != identity.Superseded {
		t.Errorf("the certificate before the renewal: %v", err)
	}
}

// A demonstration joins rows as vfl.toml says. One that is waited for ends with the error of a party that has
// ended, for which the others would wait for ever.
func TestDemoWaitEndsWithAParty(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	for _, party := range []string{"server", "a", "b"} {
		s.write("m/"+party+".csv", "p"+s.read("m/"+party+".csv")) // the column pid
	}
	s.write("vfl.toml", "[run]\nkey = \"pid\"\nchains = 1\nwarmup = 20\ndraws = 10\n")
	s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")
	for _, lost := range []string{"demo/runs", "demo/parties/a/party.crt"} {
		if err := os.RemoveAll(filepath.Join(s.dir, lost)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := s.vflc("demo", "start", "-o", "demo", "--wait")
	if want := "a: ended with an error before it took part; see demo/a.log"; err == nil ||
		!strings.Contains(out, want) {
		t.Errorf("%v\n%s", err, out)
	}
}

// provisioned makes a project of the model's parties at an address, and the programs in build.
func (s *stage) provisioned(address string) {
	s.t.Helper()
	s.must("compile", "--split-by", "client", "m.vfl", "-o", "build")
	s.must("provision", "init", "heart", "--server", "server", "--address", address, "--party", "a",
		"--party", "b")
	for _, party := range []string{"server", "a", "b"} {
		s.must("provision", "request", party, "--project", "heart", "--party", party)
		s.must("provision", "add", "--server", "heart", party+"/request.csr")
		s.write(party+"/policy.toml", "policy = \"open\"\n")
		for _, file := range []string{"party.crt", "ca.crt", "revoked.crl", "project.toml"} {
			s.write(party+"/"+file, s.read("heart/bundles/"+party+"/"+file))
		}
	}
}

// command runs a program of the system.
func (s *stage) command(name string, args ...string) {
	s.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// The units are such as systemd takes.
func TestUnitsAreValid(t *testing.T) {
	t.Parallel()
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze on this machine")
	}
	program, err := exec.LookPath("vflc")
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t)
	for _, name := range []string{"vflc-serve.service", "vflc-join.service"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", "deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		// a run that is stopped has not failed
		for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
			at := regexp.MustCompile(`(?m)^SuccessExitStatus=.*$`).FindString(string(text))
			fields := strings.FieldsFunc(at, func(r rune) bool { return r == '=' || r == ' ' })
			if !slices.Contains(fields, strconv.Itoa(128+int(signal))) {
				t.Errorf("%s: %s has no %d", name, at, 128+int(signal))
			}
		}
		s.write(name, strings.ReplaceAll(string(text), "/usr/local/bin/vflc", program))
		if out, err := exec.Command(verify, "verify",
			filepath.Join(s.dir, name)).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// Parties in network namespaces of their own, with a link each: nothing listens but the server's one port;
// where a link is down every party names who is missing, and the run goes on when it is up, with the draws of
// a run in one process.
func TestPartiesInNetworkNamespaces(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprint("vflc", os.Getpid())
	if out, err := exec.Command("ip", "netns", "add", mark).CombinedOutput(); err != nil {
		t.Skipf("network namespaces cannot be made here: %v %s", err, out)
	}
	s := newStage(t)
	s.command("ip", "netns", "del", mark)
	hub := mark + "_hub"
	space := func(party string) string { return mark + "_" + party }
	for _, one := range []string{"hub", "server", "a", "b"} {
		s.command("ip", "netns", "add", space(one))
		// what is in it goes with it
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", space(one)).Run() })
	}
	s.command("ip", "-n", hub, "link", "add", "bridge", "type", "bridge")
	s.command("ip", "-n", hub, "link", "set", "bridge", "up")
	for k, party := range []string{"server", "a", "b"} {
		s.command("ip", "-n", hub, "link", "add", "name", party, "type", "veth", "peer", "name", "eth",
			"netns", space(party))
		s.command("ip", "-n", hub, "link", "set", "dev", party, "master", "bridge", "up")
		s.command("ip", "-n", space(party), "address", "add", fmt.Sprintf("10.77.0.%d/24", k+1), "dev", "eth")
		s.command("ip", "-n", space(party), "link", "set", "eth", "up")
	}
	s.provisioned("10.77.0.1:7422")
	processes := map[string]*exec.Cmd{}
	logs := map[string]*strings.Builder{}
	args := []string{"--seed", "7", "--chains", "1", "--warmup", "150", "--draws", "100"}
	for _, party := range []string{"server", "a", "b"} {
		line := []string{"netns", "exec", space(party), "vflc", "join", "build", "--identity", party,
			"--data", "m/" + party + ".csv", "--data", "shared=m/server.csv", "-o", "demo/runs/" + party}
		if party == "server" {
			line = append([]string{"netns", "exec", space(party), "vflc", "serve", "build", "--identity",
				party, "--data", "m/server.csv", "-o", "demo/runs/server", "--checkpoint-interval", "20ms"},
				args...)
		}
		if err := identity.Simulate(filepath.Join(s.dir, party), 7); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("ip", line...)
		logs[party] = &strings.Builder{}
		cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, logs[party], logs[party]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the test failed
		processes[party] = cmd
	}
	away := processes["a"].Process
	// the run waits, and does not end before the link is down
	if !await.Until(func() bool { return s.saved("server") > 0 }) || away.Signal(syscall.SIGSTOP) != nil {
		t.Fatal("no transition is saved")
	}
	s.command("ip", "-n", hub, "link", "set", "dev", "a", "down")
	if err := away.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for party, want := range map[string]int{"server": 1, "a": 0, "b": 0} {
		listening := 0
		for _, table := range []string{"tcp", "tcp6"} {
			out, err := exec.Command("ip", "netns", "exec", space(party), "cat", "/proc/net/"+table).Output()
			if err != nil {
				t.Fatal(err)
			}
			listening += len(regexp.MustCompile(`(?m)^\s*\d+: \S+ \S+ 0A `).FindAllString(string(out), -1))
		}
		if listening != want {
			t.Errorf("%s listens on %d ports, not %d", party, listening, want)
		}
	}
	for party, missing := range map[string]string{"server": "a", "b": "a", "a": "server"} {
		if !s.hasStatus(party, `"`+missing+`": "nothing was heard from it for 6 s"`) {
			t.Errorf("%s: the run was complete before the link was down", party)
		}
	}
	s.command("ip", "-n", hub, "link", "set", "dev", "a", "up")
	for party, cmd := range processes {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", party, err, logs[party])
		}
	}
	s.must(append([]string{"run", "m.vfl", "-o", "whole", "--secure-sum", "on"}, args...)...)
	want := s.draws("whole")
	for party := range processes {
		for key, got := range s.draws("demo/runs/" + party) {
			if got != want[key] {
				t.Errorf("%s: %s differs from that of a run in one process", party, key)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("no party has %v", want)
	}
}

// The recipe makes an image of the program alone, which runs as a user without rights and may write to its
// volume.
func TestContainerImage(t *testing.T) {
	t.Parallel()
	buildah, err := exec.LookPath("buildah")
	if err != nil || os.Getuid() != 0 {
		t.Skip("there is no buildah on this machine, or this is not root, as which it " +
			"needs no more of the machine")
	}
	s := newStage(t)
	recipe, err := os.ReadFile(filepath.Join("..", "..", "examples", "deploy", "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("Containerfile", string(recipe))
	static := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(s.dir, "vflc"), ".")
	static.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := static.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	store := []string{"--root", filepath.Join(s.dir, "store"), "--runroot", filepath.Join(s.dir, "running"),
		"--storage-driver", "vfs"}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(buildah, append(append([]string{}, store...), args...)...)
		cmd.Dir = s.dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("buildah %s: %v", strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(out))
	}
	run("build", "--isolation", "chroot", "-t", "vflc", ".")
	container := run("from", "vflc")
	if out := run("run", "--isolation", "chroot", container, "--", "/vflc", "provision", "request", "a",
		"--project", "heart", "--party", "a"); out != "" {
		t.Error(out)
	}
	if out := run("run", "--isolation", "chroot", container, "--", "/vflc",
		"version"); !strings.HasPrefix(out, "vflc ") {
		t.Error(out)
	}
	mounted := run("mount", container)
	info, err := os.Stat(filepath.Join(mounted, "var/lib/vflc"))
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != 65532 {
		t.Errorf("the volume is not of the image's user: %v %v", info, err)
	}
}

// A party that has no table of its own, such as the server of a model whose responses are shared, gets that
// of the shared data, as in vflc run.
func TestDemoGivesTheSharedTable(t *testing.T) {
	m, diags := compile.Compile(source.New("m.vfl",
		"client a, b\ndata y : real[N] @ shared\ndata x : real[N] @ a\ndata w : real[N] @ b\nparam s ~ "+
			"normal(0, 1) @ a\nparam r ~ normal(0, 1) @ b\ny ~ normal(x * s + w * r, 1)\n"),
		check.Options{Transform: stdlib.Exact})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	sources, err := data.Named(m.Parties(), []string{"a=a.csv", "b=b.csv", "shared=s.csv"})
	if err != nil {
		t.Fatal(err)
	}
	parties, err := (&demo{}).parties(m, sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parties {
		if given := strings.Contains(strings.Join(p.Args, " "), "--data shared="); given != readsShared(m,
			p.Party) {
			t.Errorf("%s: %v", p.Party, p.Args)
		}
	}
	if !readsShared(m, parties[0].Party) {
		t.Errorf("the server reads no shared data: %+v", m.Manifest.SharedData)
	}
}
