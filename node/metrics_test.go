package node

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

func diagnosed(err error) diag.Code {
	var list data.Errors
	if errors.As(err, &list) {
		return list[0].Code
	}
	return ""
}

// What other machines reach is refused without a token, and a token that could be guessed.
func TestMetricsElsewhereNeedAToken(t *testing.T) {
	for address, want := range map[string]diag.Code{"0.0.0.0:0": diag.ExposedMetrics, ":0": diag.ExposedMetrics,
		"[::]:0": diag.ExposedMetrics, "example.org:80": diag.ExposedMetrics, "9422": diag.BadAddress} {
		if l, err := listenFor(address, false); diagnosed(err) != want {
			t.Errorf("%s: %v, %v", address, l, err)
		}
	}
	for _, token := range []bool{false, true} {
		l, err := listenFor(map[bool]string{false: "127.0.0.1:0", true: ":0"}[token], token)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	file := filepath.Join(t.TempDir(), "token")
	for text, want := range map[string]diag.Code{strings.Repeat("x", 31) + "\n": diag.ExposedMetrics,
		strings.Repeat("x", 32) + "\n": ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		token, err := readToken(file)
		if diagnosed(err) != want || err == nil && token != strings.TrimSpace(text) {
			t.Errorf("%q: %q, %v", text, token, err)
		}
	}
}

// A stranger without the whole token gets nothing but a refusal.
func TestMetricsAreShownToTheTokenAlone(t *testing.T) {
	token := strings.Repeat("ab", 16)
	show := withToken(token, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "metrics") // a recorder fails never
	}))
	for _, header := range []string{"", token, "Bearer ", "Bearer " + token[1:], "Bearer " + token + "a",
		"bearer " + token, "Basic " + token, "Bearer  " + token} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Header.Set("Authorization", header)
		w := httptest.NewRecorder()
		if show.ServeHTTP(w, r); w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "metrics\n") ||
			w.Body.String() == "metrics" {
			t.Errorf("%q: %d %s", header, w.Code, w.Body)
		}
	}
	r := httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	if show.ServeHTTP(w, r); w.Code != http.StatusOK || w.Body.String() != "metrics" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Only the user opens the socket; one that a killed process left is taken, one that is in use is not, and no
// file is removed that is none.
func TestSocketForMetrics(t *testing.T) {
	dir, err := os.MkdirTemp("", "vflc") // systems take short paths of sockets alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "m.sock")
	l, err := listenFor("unix:"+path, false)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Error(info, err)
	}
	if _, err := listenFor("unix:"+path, false); diagnosed(err) != diag.BadAddress {
		t.Errorf("a socket in use: %v", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // as a kill does
	l.Close()
	if l, err = listenFor("unix:"+path, false); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := os.WriteFile(path, []byte("results"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := listenFor("unix:"+path, false); diagnosed(err) != diag.BadAddress {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "results" {
		t.Error("a file that is no socket was removed")
	}
}

// A metric says how the run stands and what passes the network. Its labels name parties, the model, states
// and chains: nothing of parameters, rows or data.
func TestMetricsHoldNoData(t *testing.T) {
	n := &node{status: Status{Party: "a", Model: "m", State: Running, Missing: map[string]string{"b": "away"},
		Chains: []ChainStatus{{"sampling", 3, 9, 1}}, Why: "a secret"}}
	registry := prometheus.NewRegistry()
	if err := registry.Register(&collector{n}); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range families {
		names = append(names, strings.TrimPrefix(f.GetName(), "vflc_"))
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if !slices.Contains([]string{"party", "model", "state", "chain", "phase", "direction"}, l.GetName()) ||
					strings.Contains(l.GetValue(), "secret") {
					t.Errorf("%s has the label %s", f.GetName(), l)
				}
			}
		}
	}
	want := []string{"bytes_total", "chain_draws", "chain_iteration", "epoch", "missing_parties", "packets_total",
		"party_missing", "refused_packets_total", "state"}
	if !slices.Equal(names, want) {
		t.Errorf("metrics %v, want %v", names, want)
	}
}

// A probe finds what has failed or hangs, and leaves alone what waits, or is at its end.
func TestUnwell(t *testing.T) {
	for state, want := range map[string][2]bool{Starting: {}, Waiting: {false, true}, Running: {false, true},
		Saved: {false, true}, Complete: {}, Stopped: {}, Failed: {true, true}} {
		for k, age := range []time.Duration{0, time.Hour} {
			s := Status{State: state, At: time.Now().Add(-age)}
			if why := s.Unwell(time.Minute); (why != "") != want[k] {
				t.Errorf("%s for %s: %q", state, age, why)
			}
		}
	}
}
