package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
)

// wideAndTall are the sizes of the logistic regressions that are compared with JAX.
var wideAndTall = [][2]int{{1000, 10}, {10_000, 10}, {100_000, 10}, {1_000_000, 10}, {10_000, 100}, {10_000, 500}, {10_000, 2000}}

// printPeers prints the table against JAX, with X in either order, whichever is faster.
func printPeers(venv string) error {
	var peers []*reference
	for _, layout := range []string{"rows", "columns"} {
		p, err := start(layout, exec.Command(filepath.Join(venv, "bin", "python"), filepath.Join("bench", "peers", "logistic_jax.py"), layout))
		if err != nil {
			return err
		}
		peers = append(peers, p)
	}
	printHead("JAX")
	for _, size := range wideAndTall {
		n, p := size[0], size[1]
		r := row{fmt.Sprintf("Bernoulli-logit %d×%d", n, p), logistic, func() tables { return regression(n, p) }, "logistic", n, p}
		if err := r.printWanted(peers); err != nil {
			return err
		}
	}
	return nil
}

// start starts a program that runs one request at a time.
func start(name string, cmd *exec.Cmd) (*reference, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &reference{name: name, in: in, out: bufio.NewReader(out)}, cmd.Start()
}
