package kills

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/release"
)

// ReleaseCase is a release of three parties, each in a process of its own.
func ReleaseCase() Case { return Case{Name: "release", Model: "released.vfl"} }

const released = `client a, b
data y : real<lower=-8, upper=8>[N]
data xa : real<lower=-4, upper=4>[N] @ a
data xb : real<lower=-4, upper=4>[N] @ b
param m ~ normal(0, 5)
param ba ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
y ~ normal(m + xa * ba + xb * bb, 1)
transform private(epsilon = 3, delta = 1e-6)
`

// demonstration is what the program writes of the processes that it starts.
type demonstration struct {
	Processes []struct {
		Party   string `json:"party"`
		Process int    `json:"process"`
	} `json:"processes"`
}

// longest is how long a release of this case takes where nobody kills it, about.
const longest = 4 * time.Second

// Release starts a release of three parties, kills some of them at random instants, starts them again, and so
// on, and lets the last end. All parties must then have the same file, each must be charged for one release,
// with the ρ of its terms, and what a party has written before it was killed must stay.
func (l *Lab) Release(Case, *Reference) error {
	l.Counts.Attempts++
	out := fmt.Sprintf("release-%d", l.Counts.Attempts)
	dir := filepath.Join(l.Dir, out)
	defer os.RemoveAll(dir)
	start := []string{"demo", "start", "released.vfl", "-o", out}
	for _, p := range []string{"server", "a", "b"} {
		start = append(start, "--data", p+"=released/"+p+".csv")
	}
	again := []string{"demo", "start", "-o", out}
	if text, err := l.command(start...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %v: %s", out, err, text)
	}
	opened := map[string]string{}
	for range 2 + l.Random.IntN(3) {
		time.Sleep(time.Duration(l.Random.Float64() * float64(longest)))
		l.killSome(dir)
		for path, text := range l.files(dir) {
			if before, was := opened[path]; was && before != text {
				return fmt.Errorf("%s: %s has changed", out, path)
			}
			opened[path] = text
		}
		_ = l.command(again...).Run() // which is refused where all have ended
	}
	for tries := 1; ; tries++ { // one that was killed an instant ago counts as running first
		text, err := l.command(append(again, "--wait")...).CombinedOutput()
		if err == nil || strings.Contains(string(text), "complete") {
			break
		}
		if tries == 3 {
			return fmt.Errorf("%s: %v: %s", out, err, text)
		}
	}
	for path, text := range l.files(dir) {
		if before, was := opened[path]; was && before != text {
			return fmt.Errorf("%s: %s has changed", out, path)
		}
	}
	if err := l.once(dir); err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	l.Counts.Wholes++
	return nil
}

// killSome kills each process of a demonstration with probability ½.
func (l *Lab) killSome(dir string) {
	var d demonstration
	text, err := os.ReadFile(filepath.Join(dir, "demo.json"))
	if err != nil || json.Unmarshal(text, &d) != nil {
		return
	}
	for _, p := range d.Processes {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.Process))
		if l.Random.IntN(2) == 0 || err != nil || !strings.Contains(string(line), "parties/"+p.Party) {
			continue // it is none of ours, or has ended
		}
		if other, err := os.FindProcess(p.Process); err == nil && other.Kill() == nil {
			l.Counts.Kills++
		}
	}
}

// files are the releases that parties have.
func (l *Lab) files(dir string) map[string]string {
	out := map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(dir, "runs", "*", posterior.MomentsFile))
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil {
			out[path] = string(text)
		}
	}
	return out
}

// once reports parties with different releases, and a party that was not charged for one alone.
func (l *Lab) once(dir string) error {
	var first string
	var rho float64
	files := l.files(dir)
	for path, text := range files {
		m, err := release.Parse([]byte(text))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if first == "" {
			first, rho = m.Digest, m.Terms.Rho
		}
		if m.Digest != first {
			return fmt.Errorf("%s is another release", path)
		}
	}
	if len(files) != 3 {
		return fmt.Errorf("%d parties have a release", len(files))
	}
	histories, _ := filepath.Glob(filepath.Join(dir, "parties", "*", "history", "runs.json"))
	for _, path := range histories {
		var rows []struct {
			Rho      float64
			Released map[string]float64
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &rows)
		}
		if err != nil {
			return err
		}
		for _, r := range rows {
			if len(r.Released) != 1 || math.Abs(r.Rho-rho) > 1e-12 {
				return fmt.Errorf("%s is charged %g for %d releases, and one of %g was made", path, r.Rho,
					len(r.Released), rho)
			}
		}
	}
	if len(histories) != 3 {
		return fmt.Errorf("%d parties have a history", len(histories))
	}
	return nil
}
