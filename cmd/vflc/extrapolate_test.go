package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// An extrapolation that is killed while its fits run, and resumed by the name of its folder, has the table of
// one that nobody killed.
func TestKilledExtrapolationIsResumed(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("vflc") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "linear"), os.DirFS("../../examples/linear")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../examples/linear.vfl")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "linear.vfl"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	vflc := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		return cmd
	}
	// The fits are made longer until one can be killed.
	for draws := 300; ; draws *= 4 {
		run := func(out string) *exec.Cmd {
			return vflc("run", "linear.vfl", "--extrapolate", "--chains", "2", "--warmup", "100", "--draws",
				strconv.Itoa(draws), "--quiet", "--checkpoint-interval", "1ms", "-o", out)
		}
		killed := fmt.Sprint("killed", draws)
		cmd, under := run(killed), underWay(filepath.Join(dir, killed, "rho-*", "checkpoint", "chain-*"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if !under(ended) {
			if draws > 400_000 {
				t.Fatalf("fits of %d draws ended before they could be killed", draws)
			}
			continue
		}
		cmd.Process.Kill()
		<-ended
		got, err := vflc("resume", killed).Output()
		if err != nil {
			t.Fatal(err)
		}
		want, err := run("whole").Output()
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("resumed it prints\n%s\nand never killed\n%s", got, want)
		}
		return
	}
}
