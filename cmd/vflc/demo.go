package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
)

// demoFile says in the folder of a demonstration what its processes are.
const demoFile = "demo.json"

// A demo is the parties of a model as processes on this machine.
type demo struct {
	dir       string
	Processes []*demoProcess `json:"processes"`
	// has the port of a server that was not started yet, which nobody else can take meanwhile; nil: none
	held net.Listener
}

// A demoProcess is one party. Its arguments name files relative to the folder of the demonstration, and
// tables by absolute paths.
type demoProcess struct {
	Party   string   `json:"party"`
	Args    []string `json:"args"`
	Process int      `json:"process"`
}

func newDemo() *cobra.Command {
	cmd := &cobra.Command{
		Use: "demo",
		Short: "Run all parties of a model as processes on this machine, as they would run " +
			"on machines of their own",
		Long: `Run all parties of a model as processes on this machine, as they would run on machines of their own: with a project, a certificate
for each party, connections by TLS on the loopback interface, and a folder for each party. Each party has policy = "open" in its
policy.toml, since all of them are yours: across machines each owner confirms a run after vflc preflight, or writes a policy. The draws are those of vflc run with the
same seed and --wire fixed, since the random numbers of all parties follow from the seed: in a deployment each party has its own.`,
		Example: `  vflc demo start logistic.vfl -o demo
  vflc status demo
  vflc demo stop demo`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return usagef("demo needs start or stop") },
	}
	cmd.AddCommand(newDemoStart(), newDemoStop())
	return cmd
}

func newDemoStart() *cobra.Command {
	var f modelFlags
	var tables []string
	var s serving
	var dir string
	var wait bool
	cmd := &cobra.Command{
		Use: "start [MODEL] -o DIR",
		Short: "Start a process for each party; where DIR holds a demonstration, those that are not " +
			"running, with its model and settings",
		Example: `  vflc demo start logistic.vfl -o demo
  vflc demo start logistic.vfl -o demo2 --transform exact --wait
  vflc demo start -o demo`,
		Args: arguments(0, 1, "at most one MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return usagef("name a folder for the demonstration: -o DIR")
			}
			d, err := readDemo(dir)
			switch {
			case err == nil && (len(args) > 0 || slices.ContainsFunc(typedFlags(cmd), func(name string) bool {
				return name != "output" && name != "wait"
			})):
				fmt.Fprintf(cmd.ErrOrStderr(),
					"%s holds a demonstration, which goes on with the model, tables and settings that it "+
						"was begun with; name another folder for a new one\n", dir)
			case errors.Is(err, fs.ErrNotExist) && len(args) == 0:
				return usagef("%s holds no demonstration to go on with: name the MODEL of a new one", dir)
			case errors.Is(err, fs.ErrNotExist):
				d, err = prepareDemo(cmd, args[0], dir, &f, tables, &s)
			}
			if err != nil {
				return err
			}
			if err := d.start(cmd); err != nil {
				return err
			}
			if wait {
				return d.wait(cmd)
			}
			fmt.Fprintf(cmd.ErrOrStderr(),
				"vflc status %s shows how far they are; vflc demo stop %s ends them\n", dir, dir)
			return nil
		}),
	}
	f.add(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&tables, "data", nil, "table of a party: `PARTY=FILE`, as for vflc run; repeatable")
	fs.StringVarP(&dir, "output", "o", "", "`folder` of the demonstration")
	fs.StringVar(&s.key, "key", data.DefaultKey, "`column` on which rows are joined, or none")
	fs.Uint64Var(&s.seed, "seed", 1, "seed of all random numbers")
	fs.DurationVar(&s.every, "checkpoint-interval", 10*time.Second,
		"`time` between two states that all parties save")
	fs.BoolVar(&s.record, recordFlag, false,
		"the server keeps what it receives, for vflc audit DIR/runs/SERVER --attack")
	fs.BoolVar(&wait, "wait", false, "wait until the run is complete, or a party has ended with an error")
	addBackend(cmd, &s.backend)
	return cmd
}

// serving is what the server of a demonstration is started with.
type serving struct {
	backend, key string
	seed         uint64
	every        time.Duration
	record       bool
}

func newDemoStop() *cobra.Command {
	return &cobra.Command{
		Use: "stop DIR",
		Short: "End the processes of a demonstration when they have saved the run; vflc " +
			"demo start goes on with it",
		Example: `  vflc demo stop demo`,
		Args:    oneArgument("the folder DIR of a demonstration"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			d, err := readDemo(args[0])
			if err != nil {
				return err
			}
			return d.stop(cmd)
		}),
	}
}

func readDemo(dir string) (*demo, error) {
	d := &demo{dir: dir}
	there, err := safefile.ReadJSON(filepath.Join(dir, demoFile), d)
	if !there {
		return nil, fmt.Errorf("%s holds no demonstration: %w", dir, fs.ErrNotExist)
	}
	return d, err
}

func (d *demo) write() error {
	return safefile.WriteJSON(filepath.Join(d.dir, demoFile), d)
}

// runDir is the folder of a party's run.
func (d *demo) runDir(party string) string { return filepath.Join(d.dir, "runs", fileOf(party)) }

func fileOf(party string) string { return strings.NewReplacer("[", "_", "]", "").Replace(party) }

// prepareDemo compiles the model, and makes the project and the folders of its parties.
func prepareDemo(cmd *cobra.Command, model, dir string, f *modelFlags, tables []string, s *serving) (*demo,
	error) {
	typed, a, err := f.honourWith(cmd, model, &s.backend)
	if err != nil {
		return nil, err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s has files but no %s; name another folder, or empty it", dir, demoFile)
	}
	m, err := compileWhole(cmd, model, f)
	if err != nil {
		return nil, err
	}
	given := settingsFor(cmd, a, m, typed)
	if m.Design != nil {
		a, given = fit.Releasing(), nil
	}
	sources, err := data.Locate(model, m.Parties(), tables)
	if err != nil {
		return nil, err
	}
	if err := writePrograms(cmd, m, filepath.Join(dir, "programs"), a, masked(a, given)); err != nil {
		return nil, err
	}
	d := &demo{dir: dir}
	parties, err := d.parties(m, sources)
	if err != nil {
		return nil, err
	}
	if d.held, err = listenAgain(); err != nil {
		return nil, err
	}
	address := d.held.Addr().String()
	parties[0].Args = append(parties[0].Args, serveArgs(a, s, masked(a, given), address)...)
	if err := d.provision(parties, address, s.seed); err != nil {
		return nil, err
	}
	d.Processes = parties
	fmt.Fprintf(cmd.ErrOrStderr(),
		"all parties are on this machine: each has policy = %q, and is asked nothing\n", "open")
	return d, d.write()
}

// provision makes the project of the parties, the first of them the server, and lets each in.
func (d *demo) provision(parties []*demoProcess, address string, seed uint64) error {
	project := filepath.Join(d.dir, "project")
	var names []string
	for _, p := range parties {
		names = append(names, p.Party)
	}
	if err := identity.Init(project, identity.Project{Name: "demo", Server: names[0], Address: address,
		Parties: names}); err != nil {
		return err
	}
	for _, p := range parties {
		if err := d.admit(project, p, seed); err != nil {
			return err
		}
	}
	return nil
}

// demoPolicy is that of each party of a demonstration.
const demoPolicy = `# All parties of a demonstration are on one machine, whose owner has started it: nothing is asked of them.
policy = "open"
`

// admit makes the keys and the certificate of a party. Its random numbers follow from the seed of the
// demonstration.
func (d *demo) admit(project string, p *demoProcess, seed uint64) error {
	own := filepath.Join(d.dir, "parties", fileOf(p.Party))
	if err := identity.Request(own, "demo", p.Party); err != nil {
		return err
	}
	issued, err := identity.Add(project, filepath.Join(own, identity.RequestFile),
		identity.Admission{Server: true})
	if err != nil {
		return err
	}
	cert, err := os.ReadFile(filepath.Join(issued.Bundle, identity.CertFile))
	if err != nil {
		return err
	}
	return errors.Join(safefile.WriteBytes(filepath.Join(own, policy.FileName), 0o600, []byte(demoPolicy)),
		safefile.WriteBytes(filepath.Join(own, identity.CertFile), 0o644, cert),
		identity.Copy(issued.Bundle, own), identity.Simulate(own, seed))
}

func serveArgs(a backends.Algorithm, s *serving, given map[string]string, address string) []string {
	args := []string{"--backend", a.Name, "--listen", address, "--key", s.key, "--seed", fmt.Sprint(s.seed),
		"--checkpoint-interval", s.every.String()}
	if s.record {
		args = append(args, "--"+recordFlag)
	}
	for _, d := range a.Settings {
		if v, ok := given[d.Name]; ok {
			args = append(args, "--"+d.Name+"="+v)
		}
	}
	return args
}

// parties lists the parties with the arguments of their processes. Shared data are read from every table, as
// vflc run does: a party whose own table does not have them gets the server's, or the one that is named for
// all.
func (d *demo) parties(m *compile.Model, sources data.Sources) ([]*demoProcess, error) {
	var out []*demoProcess
	var shared string
	for _, s := range sources {
		if s.Name == data.OwnerShared && len(s.Files) > 0 {
			shared = s.Files[0]
		}
	}
	if shared == "" && len(sources[0].Files) > 0 {
		shared = sources[0].Files[0]
	}
	for i, s := range sources {
		if s.Name == data.OwnerShared {
			continue
		}
		names := []string{s.Name}
		if s.Family {
			names = nil
			for k := range s.Files {
				names = append(names, fmt.Sprintf("%s[%d]", s.Name, k+1))
			}
		}
		for k, name := range names {
			verb := "join"
			if i == 0 {
				verb = "serve"
			}
			p := &demoProcess{Party: name, Args: []string{verb, "programs", "--identity",
				"parties/" + fileOf(name), "-o", "runs/" + fileOf(name)}}
			own := ""
			if k < len(s.Files) {
				own = s.Files[k]
				path, err := data.Absolute(own)
				if err != nil {
					return nil, err
				}
				p.Args = append(p.Args, "--data", path)
			}
			if shared != "" && shared != own && readsShared(m, s.Name) {
				path, err := data.Absolute(shared)
				if err != nil {
					return nil, err
				}
				p.Args = append(p.Args, "--data", data.OwnerShared+"="+path)
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// readsShared reports whether a party's program reads shared data.
func readsShared(m *compile.Model, party string) bool {
	if m.Manifest == nil { // of a release the server has them alone
		return false
	}
	for _, s := range m.Manifest.SharedData {
		if slices.Contains(s.To, party) {
			return true
		}
	}
	return false
}

// start starts the processes that are not running. One whose part of the run is complete finds so, and ends.
func (d *demo) start(cmd *cobra.Command) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	for _, p := range d.Processes {
		if p.Process != 0 && alive(p.Process) {
			continue
		}
		log, err := os.OpenFile(filepath.Join(d.dir, fileOf(p.Party)+".log"),
			os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		c := exec.Command(program, p.Args...)
		c.Dir, c.Stdout, c.Stderr = d.dir, log, log
		detach(c)
		if d.held != nil { // the server is the first
			d.held.Close()
			d.held = nil
		}
		err = c.Start()
		log.Close()
		if err != nil {
			return err
		}
		p.Process = c.Process.Pid
		go func() { _ = c.Wait() }() // so that an ended process is gone while this one waits
		fmt.Fprintf(cmd.ErrOrStderr(), "started %s, process %d, whose output is %s\n", p.Party, p.Process,
			filepath.Join(d.dir, fileOf(p.Party)+".log"))
	}
	return d.write()
}

// wait waits until the part of every party is complete. A process that has ended before is an error at once:
// the others may wait for it for ever.
func (d *demo) wait(cmd *cobra.Command) error {
	for {
		running := 0
		for _, p := range d.Processes {
			cause := d.cause(p)
			if alive(p.Process) || alive(cause.Process) {
				running++
				continue
			}
			for _, p := range []*demoProcess{cause, p} {
				if err := d.unfinished(p); err != nil {
					return err
				}
			}
		}
		if running == 0 {
			server := d.runDir(d.Processes[0].Party)
			next := "vflc summary " + server + " shows the results of a party"
			if hasReleased(server) {
				next = "vflc run MODEL --release " + filepath.Join(server, posterior.MomentsFile) +
					" fits a posterior to the release"
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "the run is complete; "+next)
			return nil
		}
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// cause is the process of the party that has ended the run of a process, else that itself.
func (d *demo) cause(p *demoProcess) *demoProcess {
	s, err := node.ReadStatus(d.runDir(p.Party))
	if k := slices.IndexFunc(d.Processes, func(q *demoProcess) bool {
		return err == nil && s.State == node.Failed && s.Process == p.Process && q.Party == s.EndedBy
	}); k >= 0 {
		return d.Processes[k]
	}
	return p
}

// unfinished is the error of a process that has ended before its part of the run was complete; nil where that
// was complete.
func (d *demo) unfinished(p *demoProcess) error {
	how := "ended with an error before it took part"
	switch s, err := node.ReadStatus(d.runDir(p.Party)); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil || s.State != node.Complete && s.Process != p.Process: // what an earlier process has left
	case s.State == node.Complete:
		return nil
	case s.Why == "":
		how = "ended while it was " + s.State
	default:
		how = s.State + ": " + s.Why
	}
	return &failure{exitPeer,
		fmt.Errorf("%s: %s; see %s; vflc demo stop %s ends the others, and vflc demo start -o %s goes on",
			p.Party, how, filepath.Join(d.dir, fileOf(p.Party)+".log"), d.dir, d.dir)}
}

// stop asks all processes to end: the server first, which lets all parties save the run, and the clients when
// it has ended.
func (d *demo) stop(cmd *cobra.Command) error {
	gone := slices.ContainsFunc(d.Processes, func(p *demoProcess) bool { return !p.runs() })
	first := min(1, len(d.Processes))
	for _, together := range [][]*demoProcess{d.Processes[:first], d.Processes[first:]} {
		var asked []*demoProcess
		for _, p := range together {
			if !p.runs() {
				continue
			}
			if err := node.AskToStop(d.runDir(p.Party), p.Process); err != nil {
				return err
			}
			asked = append(asked, p)
		}
		for _, p := range asked {
			if err := p.await(cmd, gone); err != nil {
				return err
			}
		}
	}
	return nil
}

// patienceToStop is how long a party that waits for one that is gone may take to end its step. It is killed
// then, which loses what it has not saved, and the run makes that again.
const patienceToStop = 5 * time.Second

func (p *demoProcess) runs() bool { return p.Process != 0 && alive(p.Process) }

// await returns when a process has ended that was asked to.
func (p *demoProcess) await(cmd *cobra.Command, gone bool) error {
	how, impatient := "has ended", (<-chan time.Time)(nil)
	if gone {
		impatient = time.After(patienceToStop)
	}
	for p.runs() {
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-impatient:
			how = "waited for a party that is gone, and was killed; what it had saved is there"
			if process, err := os.FindProcess(p.Process); err == nil {
				_ = process.Kill() // it may have ended in the meantime
			}
		case <-time.After(50 * time.Millisecond):
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s %s\n", p.Party, how)
	return nil
}

// listenAgain listens at a port below those that systems give to connections that begin here, so that nobody
// is likely to have it when the server of a demo starts again; at any port where none of them is free.
func listenAgain() (net.Listener, error) {
	const first, ports, tries = 20_000, 12_000, 100
	for k := range tries {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+(7*os.Getpid()+k)%ports)); err ==
			nil {
			return l, nil
		}
	}
	return net.Listen("tcp", "127.0.0.1:0")
}
