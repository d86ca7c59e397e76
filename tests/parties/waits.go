//go:build unix

package parties

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/tests/proxy"
)

// A Wait is how long a run across processes took.
type Wait struct {
	Took  time.Duration // from the start of the processes, handshakes counted, until the last has ended
	CPU   time.Duration // of all processes, those that set the project up left out
	Trips int64         // rounds one after another, as the run counts them
	Bytes int64         // of messages, as the run counts them
}

// A Deployment is a run across processes that commands have provisioned.
type Deployment struct {
	Model, Server string
	Clients       []string
	Table         func(party string) string
	Shared        string // the table of shared data
	Compile       []string
	Serve         []string // further arguments of vflc serve
}

// Deployed runs a model across processes, with a delay of every byte in each direction between the clients
// and the server; without a proxy between them where it is negative.
func (l *Lab) Deployed(ctx context.Context, d Deployment, delay time.Duration) (*Wait, error) {
	dir, err := os.MkdirTemp(l.Dir, "deployed")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	back, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	listen := back.Addr().String()
	back.Close()
	address := listen
	if delay >= 0 {
		front, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		address = front.Addr().String()
		link := proxy.Serve(front, listen, delay)
		defer link.Close()
	}
	if err := l.provision(ctx, d, dir, address); err != nil {
		return nil, err
	}
	w, err := l.join(ctx, d, dir, listen)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "run_"+d.Server, "summary.json"))
	if err != nil {
		return nil, err
	}
	var summary struct {
		Work struct {
			Trips int64 `json:"sequential_rounds"`
			Bytes int64
		}
	}
	err = json.Unmarshal(text, &summary)
	w.Trips, w.Bytes = summary.Work.Trips, summary.Work.Bytes
	return w, err
}

// provision compiles the model, and makes a project with an identity of each party.
func (l *Lab) provision(ctx context.Context, d Deployment, dir, address string) error {
	in := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	if err := l.vflc(ctx, append([]string{"compile", "--split-by", "client", d.Model, "-o",
		in("build")}, d.Compile...)...); err != nil {
		return err
	}
	project := []string{"provision", "init", in("heart"), "--server", d.Server, "--address", address}
	for _, c := range d.Clients {
		project = append(project, "--party", c)
	}
	if err := l.vflc(ctx, project...); err != nil {
		return err
	}
	for _, party := range d.parties() {
		if err := l.vflc(ctx, "provision", "request", in(party), "--project", "heart", "--party",
			party); err != nil {
			return err
		}
		if err := l.vflc(ctx, "provision", "add", "--server", in("heart"),
			in(party, "request.csr")); err != nil {
			return err
		}
		// all of them are this program's
		if err := os.WriteFile(in(party, "policy.toml"), []byte("policy = \"open\"\n"), 0o600); err != nil {
			return err
		}
		if err := os.CopyFS(in(party), os.DirFS(in("heart", "bundles", ledger.FileOf(party)))); err != nil {
			return err
		}
	}
	return nil
}

func (d *Deployment) parties() []string { return append([]string{d.Server}, d.Clients...) }

// join runs a process of each party.
func (l *Lab) join(ctx context.Context, d Deployment, dir, listen string) (*Wait, error) {
	began, w := time.Now(), &Wait{}
	type end struct {
		cpu time.Duration
		err error
	}
	ended := make(chan end, len(d.Clients)+1)
	for _, party := range d.parties() {
		in := func(name string) string { return filepath.Join(dir, name) }
		command := []string{"join", in("build"), "--identity", in(party), "--data", d.Table(party), "--data",
			"shared=" + d.Shared, "-o", in("run_" + party), "--quiet"}
		if party == d.Server {
			command[0] = "serve"
			command = append(append(command, "--listen", listen), d.Serve...)
		}
		cmd := exec.CommandContext(ctx, l.Program, command...)
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				ended <- end{err: fmt.Errorf("%s: %w\n%s", party, err, out)}
				return
			}
			ended <- end{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
		}()
	}
	for range cap(ended) {
		e := <-ended
		if e.err != nil {
			return nil, e.err
		}
		w.CPU += e.cpu
	}
	w.Took = time.Since(began)
	return w, nil
}

// One is the processor time of the run of a deployment in one process, with masks or without.
func (l *Lab) One(ctx context.Context, d Deployment, masks string) (time.Duration, error) {
	args := append(append([]string{"run", d.Model, "-o", "one", "--overwrite", "--quiet", "--secure-sum", masks},
		d.Compile...), d.Serve...)
	cmd := exec.CommandContext(ctx, l.Program, args...)
	cmd.Dir = l.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("vflc %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}
