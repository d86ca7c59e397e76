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

	"github.com/vflc/vflc/tests/proxy"
)

// A Wait is how long a run across processes took.
type Wait struct {
	Took  time.Duration // from the start of the processes, handshakes counted, until the last has ended
	Trips int64         // rounds one after another, as the run counts them
}

// Deployed runs a model across processes that commands have provisioned, with a delay of every byte in each
// direction between the clients and the server. The model has the tables of its parties in the folder of its
// name; shared is the table of shared data. args are those of vflc serve.
func (l *Lab) Deployed(ctx context.Context, model, server string, clients []string, shared string, compile,
	args []string, delay time.Duration) (*Wait, error) {
	dir, err := os.MkdirTemp(l.Dir, "deployed")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	back, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	listen := back.Addr().String()
	back.Close()
	link := proxy.Serve(front, listen, delay)
	defer link.Close()
	in := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	if err := l.vflc(ctx, append([]string{"compile", "--split-by", "client", model, "-o", in("build")},
		compile...)...); err != nil {
		return nil, err
	}
	project := []string{"provision", "init", in("heart"), "--server", server, "--address",
		front.Addr().String()}
	for _, c := range clients {
		project = append(project, "--party", c)
	}
	if err := l.vflc(ctx, project...); err != nil {
		return nil, err
	}
	parties := append([]string{server}, clients...)
	for _, party := range parties {
		if err := l.vflc(ctx, "provision", "request", in(party), "--project", "heart", "--party",
			party); err != nil {
			return nil, err
		}
		if err := l.vflc(ctx, "provision", "add", "--server", in("heart"),
			in(party, "request.csr")); err != nil {
			return nil, err
		}
		// all of them are this program's
		if err := os.WriteFile(in(party, "policy.toml"), []byte("policy = \"open\"\n"), 0o600); err != nil {
			return nil, err
		}
		if err := os.CopyFS(in(party), os.DirFS(in("heart", "bundles", party))); err != nil {
			return nil, err
		}
	}
	tables := strings.TrimSuffix(model, filepath.Ext(model))
	began, ended := time.Now(), make(chan error, len(parties))
	for _, party := range parties {
		command := []string{"join", in("build"), "--identity", in(party), "--data",
			filepath.Join(tables, party+".csv"), "--data", "shared=" + shared, "-o", in("run_" + party),
			"--quiet"}
		if party == server {
			command = append([]string{"serve", in("build"), "--identity", in(party), "--data",
				filepath.Join(tables, party+".csv"), "--listen", listen, "-o", in("run_" + party), "--quiet"},
				args...)
		}
		cmd := exec.CommandContext(ctx, l.Program, command...)
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%s: %w\n%s", party, err, out)
			}
			ended <- err
		}()
	}
	for range parties {
		if err := <-ended; err != nil {
			return nil, err
		}
	}
	w := &Wait{Took: time.Since(began)}
	text, err := os.ReadFile(in("run_"+server, "summary.json"))
	if err != nil {
		return nil, err
	}
	var summary struct {
		Work struct {
			Trips int64 `json:"sequential_rounds"`
		}
	}
	err = json.Unmarshal(text, &summary)
	w.Trips = summary.Work.Trips
	return w, err
}
