package kills

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
)

// EncryptedCase is a run of encrypted rows. It takes ten seconds of CPU, most of them for its keys, and has
// random numbers that nobody can repeat: Encrypted compares it with itself.
func EncryptedCase() Case {
	return Case{"encrypted", "binary.vfl", []string{"--backend", "sfvi", "--transform", "exact", "--wire",
		"encrypted", "--accept", "few-rows", "--correct=false", "--draws", "200"}}
}

const binary = `client a, b
data y : binary[N] @ server
data xa : real[N] @ a
data xb : real[N] @ b missing drop
param m ~ normal(0, 5)
param ba ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
y ~ bernoulli_logit(m + xa * ba + xb * bb)
`

// A prefix is what a journal begins with.
type prefix struct {
	size    int64
	sum     [sha256.Size]byte
	entries int
}

// prefixOf is what a journal holds that a process has left.
func prefixOf(path string) (p prefix, err error) {
	j, err := protocol.OpenJournal(path) // what is not whole goes
	if err != nil {
		return p, err
	}
	p.entries = j.Entries()
	if err := j.Close(); err != nil {
		return p, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	p.size = info.Size()
	p.sum, err = sumOf(path, p.size)
	return p, err
}

func sumOf(path string, size int64) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	hash := sha256.New()
	_, err = io.CopyN(hash, f, size)
	hash.Sum(sum[:0])
	return sum, err
}

// Encrypted starts a run of encrypted rows and kills it, resumes it and kills that with probability ½, and so
// on, and lets the last resume end. Its journal must always begin with what it was; its draws must be those
// of a run with its last journal that nobody killed, bit for bit, and its means within a tenth of a standard
// deviation of the reference.
func (l *Lab) Encrypted(c Case, want *Reference) error {
	l.Counts.Attempts++
	out := fmt.Sprintf("%s-%d", c.Name, l.Counts.Attempts)
	journal := filepath.Join(l.Dir, out, posterior.JournalFile)
	defer os.RemoveAll(filepath.Join(l.Dir, out))
	var last prefix
	cmd := l.run(c, out)
	for resumed := false; ; resumed = true {
		killed := l.killed(cmd, l.instant(want.took, resumed))
		if !killed {
			l.Counts.Late++
		}
		if !l.there(out) {
			cmd = l.run(c, out)
			continue
		}
		if _, err := os.Stat(journal); err == nil {
			if sum, err := sumOf(journal, last.size); last.size > 0 && (err != nil || sum != last.sum) {
				return fmt.Errorf("%s: what was written down has changed: %v", out, err)
			}
			if last, err = prefixOf(journal); err != nil {
				return fmt.Errorf("%s: %w", out, err)
			}
		}
		if killed {
			l.count(out, resumed)
			l.Counts.Entries = append(l.Counts.Entries, last.entries)
		}
		cmd = l.command("resume", out)
		if l.Random.IntN(2) == 0 {
			break
		}
	}
	return l.replayed(out, cmd, last, want)
}

// replayed lets a resume end, and compares it with another of the journal that it leaves.
func (l *Lab) replayed(out string, resume *exec.Cmd, last prefix, want *Reference) error {
	journal, again := filepath.Join(l.Dir, out, posterior.JournalFile), out+"-again"
	defer os.RemoveAll(filepath.Join(l.Dir, again))
	if err := copyFiles(filepath.Join(l.Dir, out), filepath.Join(l.Dir, again)); err != nil {
		return err
	}
	done := make(chan struct{})
	copied := make(chan error, 1)
	go func() { copied <- follow(journal, filepath.Join(l.Dir, again, posterior.JournalFile), done) }()
	text, err := resume.CombinedOutput()
	close(done)
	if err := <-copied; err != nil {
		return err
	}
	if err != nil && strings.Contains(string(text), "this run is complete") {
		l.Counts.Wholes++ // all had been written before the kill
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: resume: %v: %s", out, err, text)
	}
	if _, err := os.Stat(journal); err == nil {
		return fmt.Errorf("%s: the journal is left", out)
	}
	got, err := l.written(out)
	if err == nil {
		err = l.near(want.draws["parameters"], got["parameters"])
	}
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	record, err := posterior.ReadRecord(filepath.Join(l.Dir, out))
	if err != nil {
		return err
	}
	kept := filepath.Join(l.Dir, again, posterior.JournalFile)
	if sum, err := sumOf(kept, last.size); err != nil || last.size > 0 && sum != last.sum {
		return fmt.Errorf("%s: what was written down has changed: %v", out, err)
	}
	j, err := protocol.OpenJournal(kept)
	if err != nil {
		return err
	}
	digest := j.Digest()
	if j.Close(); digest != record.Journal {
		return fmt.Errorf("%s: the copy of the journal is not that of the record", out)
	}
	if text, err := l.command("resume", again).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %v: %s", again, err, text)
	}
	same, err := l.written(again)
	for name := range got {
		if err != nil || same[name] != got[name] {
			return fmt.Errorf("%s: %s is not that of the run of its journal: %v", out, name, err)
		}
	}
	l.Counts.Wholes++
	return nil
}

// near reports parameters whose mean is a tenth of a standard deviation from another's, or whose standard
// deviation differs by as much.
func (l *Lab) near(want, got string) error {
	var rows [2][]struct {
		Name     string
		Mean, SD float64
	}
	for k, text := range []string{want, got} {
		if err := json.Unmarshal([]byte(text), &rows[k]); err != nil {
			return err
		}
	}
	for k, w := range rows[0] {
		g := rows[1][k]
		moved := max(math.Abs(g.Mean-w.Mean), math.Abs(g.SD-w.SD)) / w.SD
		if l.Counts.Moved = max(l.Counts.Moved, moved); !(moved <= .1) {
			return fmt.Errorf("%s is at %.4f ± %.4f, and at %.4f ± %.4f in the reference", w.Name, g.Mean,
				g.SD, w.Mean, w.SD)
		}
	}
	return nil
}

// follow copies a file that grows, from its beginning, until done is closed.
func follow(from, to string, done chan struct{}) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	var in *os.File
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for ended := false; ; {
		if in == nil {
			if in, err = os.Open(from); err == nil {
				defer in.Close()
			}
		}
		if in != nil {
			if _, err := io.Copy(out, in); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		select {
		case <-done:
			ended = true
		case <-tick.C:
		}
	}
}

// copyFiles copies what a folder has at its top but the journal.
func copyFiles(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || e.Name() == posterior.JournalFile {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, e.Name()), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
