//go:build unix

package parties

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/tests/await"
	"github.com/vflc/vflc/tests/proxy"
)

// A Cut is what was seen while the links of a party were cut.
type Cut struct {
	Named map[string]time.Duration // by party: how long after the cut it names the party that it misses
	Back  time.Duration            // how long after the links were mended no party misses another
	// transitions that a client made while the links were cut, after all had named who is missing
	Steps int
}

// ErrEnded says that a run has ended before its links could be cut.
var ErrEnded = errors.New("the run has ended before its links were cut")

// Partition starts the parties, each client by a link of its own, cuts the links of a client, or all where
// the party is the server, for a time, and wants all parties to name who is missing, the run to wait, and the
// draws of a run in one process.
func (l *Lab) Partition(ctx context.Context, c Case, want *Reference, off string, last time.Duration) (*Cut,
	error) {
	l.Counts.Trials++
	defer os.RemoveAll(filepath.Join(l.Dir, "demo"))
	defer l.end()
	if err := l.vflc(ctx, l.start(c)...); err != nil {
		return nil, err
	}
	if err := l.vflc(ctx, "demo", "stop", "demo"); err != nil {
		return nil, err
	}
	links, err := l.reroute()
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, p := range links {
			p.Close()
		}
	}()
	if err := l.vflc(ctx, l.start(c)...); err != nil {
		return nil, err
	}
	if err := l.until(ctx, "a chain is under way", func(s map[string]status) bool {
		return s["a"].steps() > 0 && s["a"].State == "running" || s["a"].State == "complete"
	}); err != nil {
		return nil, err
	}
	each := func(do func(*proxy.Proxy)) {
		for party, p := range links {
			if off == party || off == "server" {
				do(p)
			}
		}
	}
	each((*proxy.Proxy).Cut)
	began, out := time.Now(), &Cut{Named: map[string]time.Duration{}}
	complete := false
	err = l.until(ctx, "every party names who is missing", func(all map[string]status) bool {
		for party, s := range all {
			complete = complete || s.State == "complete"
			for missing := range s.Missing {
				if _, seen := out.Named[party]; !seen && (missing == off || party == off || off == "server") {
					out.Named[party] = time.Since(began)
				}
			}
		}
		return complete || len(out.Named) == len(all)
	})
	if complete {
		return out, ErrEnded
	}
	if err != nil {
		return out, fmt.Errorf("%w: %v", err, out.Named)
	}
	before := l.statuses()["a"].steps()
	select {
	case <-time.After(last - time.Since(began)):
	case <-ctx.Done():
		return out, ctx.Err()
	}
	out.Steps = l.statuses()["a"].steps() - before
	each((*proxy.Proxy).Mend)
	mended := time.Now()
	err = l.until(ctx, "every party is back", func(all map[string]status) bool {
		for _, s := range all {
			if len(s.Missing) > 0 {
				return false
			}
		}
		return true
	})
	if out.Back = time.Since(mended); err != nil {
		return out, err
	}
	if err := l.vflc(ctx, append(l.start(c), "--wait")...); err != nil {
		return out, fmt.Errorf("%w\n%s", err, l.logs())
	}
	if err := l.compare(want); err != nil {
		return out, err
	}
	l.Counts.Wholes++
	return out, nil
}

// reroute gives every client a proxy of its own to the server, by its project file.
func (l *Lab) reroute() (map[string]*proxy.Proxy, error) {
	links := map[string]*proxy.Proxy{}
	for _, party := range []string{"a", "b"} {
		path := filepath.Join(l.Dir, "demo", "parties", party, identity.ProjectFile)
		project, err := identity.ReadProject(path)
		if err != nil {
			return links, err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return links, err
		}
		front, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return links, err
		}
		links[party] = proxy.Serve(front, project.Address, 0)
		if err := os.WriteFile(path,
			[]byte(strings.ReplaceAll(string(text), project.Address, front.Addr().String())),
			0o644); err != nil {
			return links, err
		}
	}
	return links, nil
}

// A status is what a party has written of how its part stands.
type status struct {
	State   string
	Missing map[string]string
	Chains  []struct{ Iteration int }
}

func (s status) steps() (n int) {
	for _, c := range s.Chains {
		n += c.Iteration
	}
	return n
}

func (l *Lab) statuses() map[string]status {
	out := map[string]status{}
	for _, party := range []string{"server", "a", "b"} {
		text, err := os.ReadFile(filepath.Join(l.Dir, "demo", "runs", party, "session", "status.json"))
		var s status
		if err == nil {
			_ = json.Unmarshal(text, &s) // it is just being written: the next one tells
		}
		out[party] = s
	}
	return out
}

// until looks at how all parties stand until something holds.
func (l *Lab) until(ctx context.Context, what string, holds func(map[string]status) bool) error {
	for begin := time.Now(); ; {
		if holds(l.statuses()) {
			return nil
		}
		if time.Since(begin) > await.Patience {
			return fmt.Errorf("%s: not within %v\n%s", what, await.Patience, l.logs())
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
