package node

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

// What a party shows to the tools of its operator: GET /metrics in the form of Prometheus, and GET /health,
// on the loopback interface, on a socket of this user, or elsewhere to whoever has a token. There are no
// values of the run in it: only what vflc status shows, and what passes the network.

// stuckAfter is when a party counts as unhealthy whose loop has not come round.
const stuckAfter = 10 * time.Second

// counts are of packets and their bytes.
type counts struct{ sent, sentBytes, got, gotBytes, refused atomic.Uint64 }

// A counted conveyor counts what it sends.
type counted struct {
	conveyor
	counts *counts
}

func (c counted) Publish(to string, packet []byte) error {
	c.counts.sent.Add(1)
	c.counts.sentBytes.Add(uint64(len(packet)))
	return c.conveyor.Publish(to, packet)
}

// leastToken is how many characters a token has at least: nobody guesses as many random ones.
const leastToken = 32

// socketOf begins the address of a socket of this machine.
const socketOf = "unix:"

// show listens where the operator's tools ask. Other machines reach only what wants a token.
func (n *node) show() error {
	if n.Metrics == "" {
		return nil
	}
	token, err := readToken(n.MetricsToken)
	if err != nil {
		return err
	}
	if file, ok := strings.CutPrefix(n.Metrics, socketOf); ok && filepath.Dir(file) == filepath.Clean(n.Dir) {
		return coded(diag.BadAddress, "--metrics %s: the folder of a run holds nothing else: write %s%s",
			n.Metrics, socketOf, filepath.Join(n.Dir, posterior.SessionDir, filepath.Base(file)))
	}
	l, err := listenFor(n.Metrics, token != "")
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(&collector{n}); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /health", n.health)
	n.web = &http.Server{Handler: withToken(token, mux), ReadHeaderTimeout: 5 * time.Second}
	n.note("metrics and health at %s", l.Addr())
	go func() {
		if err := n.web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			n.note("metrics: %v", err)
		}
	}()
	return nil
}

// readToken reads the token of a file; "" for no file.
func readToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	token := strings.TrimSpace(string(text))
	if err == nil && len(token) < leastToken {
		return "", coded(diag.ExposedMetrics, "--metrics-token %s: the token has %d characters, and %d are "+
			"the least: write one with openssl rand -hex 32", path, len(token), leastToken)
	}
	return token, err
}

// listenFor listens at the address of --metrics.
func listenFor(address string, token bool) (net.Listener, error) {
	fails := func(err error) error { return coded(diag.BadAddress, "--metrics %s: %v", address, err) }
	if path, ok := strings.CutPrefix(address, socketOf); ok {
		l, err := listenSocket(path)
		if err != nil {
			return nil, fails(err)
		}
		return l, nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, coded(diag.BadAddress, "--metrics %s: write HOST:PORT, such as 127.0.0.1:9422, or "+
			"unix:FILE for a socket of this user", address)
	}
	if ip := net.ParseIP(host); !token && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, coded(diag.ExposedMetrics, "--metrics %s: whoever reaches the port sees how the run "+
			"stands: name a HOST of the loopback interface, such as 127.0.0.1, or with --metrics-token a "+
			"file with the token that other machines must show", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fails(err)
	}
	return l, nil
}

// listenSocket listens on a socket that this user alone can open. One that a killed process has left is
// taken.
func listenSocket(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		if other, err := net.Dial("unix", path); err == nil {
			other.Close()
			return nil, errors.New("another process listens there")
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	return l, os.Chmod(path, 0o600)
}

// withToken lets those alone ask who show a token, if there is one.
func withToken(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(shown[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "show the token of --metrics-token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hide ends what show began.
func (n *node) hide() {
	if n.web != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = n.web.Shutdown(ctx) // the process ends
	}
}

func (n *node) snapshot() Status {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	s := n.status
	s.Chains = append([]ChainStatus(nil), s.Chains...)
	return s
}

// health answers 200 while the party does its part or waits for others, and 503 when it has failed or does
// not come round.
func (n *node) health(w http.ResponseWriter, _ *http.Request) {
	s := n.snapshot()
	w.Header().Set("Content-Type", "application/json")
	if s.Unwell(stuckAfter) != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(s) // the client has gone
}

// A collector makes metrics of how the party stands when it is asked.
type collector struct{ n *node }

func description(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("vflc_"+name, help, labels, nil)
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, to) }

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	s := c.n.snapshot()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	count := func(d *prometheus.Desc, v uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	state := description("state", "1 for the state of this party's part of the run", "party", "model",
		"state")
	for _, one := range States() {
		v := 0.0
		if one == s.State {
			v = 1
		}
		gauge(state, v, s.Party, s.Model, one)
	}
	gauge(description("epoch", "how often the run was begun, or gone on with"), float64(s.Epoch))
	gauge(description("missing_parties", "parties that the run waits for"), float64(len(s.Missing)))
	missing := description("party_missing", "1 for a party that the run waits for", "party")
	for party := range s.Missing {
		gauge(missing, 1, party)
	}
	iteration, draws := description("chain_iteration", "transitions of a chain", "chain", "phase"),
		description("chain_draws", "draws that a chain has kept", "chain")
	for k, one := range s.Chains {
		gauge(iteration, float64(one.Iteration), strconv.Itoa(k+1), one.Phase)
		gauge(draws, float64(one.Draws), strconv.Itoa(k+1))
	}
	packets, bytes := description("packets_total", "packets of this process", "direction"),
		description("bytes_total", "bytes of packets of this process", "direction")
	t := &c.n.counts
	count(packets, t.sent.Load(), "sent")
	count(packets, t.got.Load(), "received")
	count(bytes, t.sentBytes.Load(), "sent")
	count(bytes, t.gotBytes.Load(), "received")
	count(description("refused_packets_total", "packets that were forged, altered, repeated or of nobody"),
		t.refused.Load())
}
