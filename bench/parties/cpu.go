//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vflc/vflc/tests/parties"
)

// logistic is a logistic regression of examples/ with two clients, or ten and more, transform exact; of two,
// each with so many columns, where that is not 0. The eleventh client has the columns of the first again, and
// so on. What it needs beside the examples is written to dir.
func logistic(dir string, clients, columns int) (d parties.Deployment, err error) {
	examples, err := filepath.Abs("examples")
	if err != nil {
		return d, err
	}
	name := "logistic"
	d.Compile, d.Server, d.Clients = []string{"--transform", "exact"}, "registry",
		[]string{"hospital_a", "hospital_b"}
	if clients >= 10 {
		name, d.Server, d.Clients = "logistic_family", "server", nil
		for k := range clients {
			d.Clients = append(d.Clients, fmt.Sprintf("lab[%d]", k+1))
		}
	} else if clients != 2 {
		return d, fmt.Errorf("the examples have 2 clients, or 10 and more")
	}
	text, err := os.ReadFile(filepath.Join(examples, name+".vfl"))
	if err != nil {
		return d, err
	}
	d.Model = filepath.Join(dir, name+".vfl")
	model := strings.Replace(string(text), "client lab[J]", fmt.Sprintf("client lab[%d]", clients), 1)
	if err := os.WriteFile(d.Model, []byte(model), 0o600); err != nil {
		return d, err
	}
	tables := filepath.Join(dir, name)
	d.Table = func(party string) string {
		family, member, found := strings.Cut(strings.TrimSuffix(party, "]"), "[")
		if found {
			return filepath.Join(tables, family, family+member+".csv")
		}
		return filepath.Join(tables, party+".csv")
	}
	d.Shared = d.Table(d.Server)
	if err := os.CopyFS(tables, os.DirFS(filepath.Join(examples, name))); err != nil {
		return d, err
	}
	for k := 10; k < clients; k++ {
		text, err := os.ReadFile(d.Table(d.Clients[k%10]))
		if err == nil {
			err = os.WriteFile(d.Table(d.Clients[k]), text, 0o600)
		}
		if err != nil {
			return d, err
		}
	}
	if columns == 0 {
		return d, nil
	}
	for _, c := range d.Clients {
		if err := narrow(d.Table(c), 1+columns); err != nil {
			return d, err
		}
	}
	return d, nil
}

// narrow leaves the first columns of a table.
func narrow(path string, columns int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		out.WriteString(strings.Join(cells[:min(columns, len(cells))], ",") + "\n")
	}
	return os.WriteFile(path, []byte(out.String()), 0o600)
}

// costs measures runs across processes and in one process in turn, a seed each, of so many iterations of
// warm-up and as many draws.
func costs(program string, clients, columns, runs, iterations int) error {
	l, err := lab(program, 1)
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.Dir)
	d, err := logistic(l.Dir, clients, columns)
	if err != nil {
		return err
	}
	var took [3][]float64 // seconds
	for k := range runs {
		n := strconv.Itoa(iterations)
		d.Serve = []string{"--backend", "nuts", "--seed", strconv.Itoa(k + 1), "--warmup", n, "--draws", n}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Hour)
		defer cancel()
		w, err := l.Deployed(ctx, d, -1)
		if err != nil {
			return err
		}
		took[0] = append(took[0], w.CPU.Seconds())
		for i, masks := range []string{"on", "off"} {
			one, err := l.One(ctx, d, masks)
			if err != nil {
				return err
			}
			took[1+i] = append(took[1+i], one.Seconds())
		}
		fmt.Printf("seed %d: %.2f s of all processes (%d rounds, %.0f MB, %v by the clock), %.2f s of one "+
			"process with masks, %.2f s without\n", k+1, w.CPU.Seconds(), w.Trips, float64(w.Bytes)/1e6,
			w.Took.Round(time.Second), took[1][k], took[2][k])
	}
	ratios := func(of []float64) string {
		var out []float64
		for k := range of {
			out = append(out, took[0][k]/of[k])
		}
		slices.Sort(out)
		return fmt.Sprintf("%.1f (%.1f-%.1f)", out[len(out)/2], out[0], out[len(out)-1])
	}
	fmt.Printf("all processes take %s times the processor time of one with masks, %s times that of one "+
		"without: medians and ranges of %d runs\n", ratios(took[1]), ratios(took[2]), runs)
	return nil
}
