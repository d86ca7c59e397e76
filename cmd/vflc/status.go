package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
)

// statuses say how a run stands, or each party's part of a demonstration. A process of a demonstration that
// has only just begun has not written how its part stands.
func statuses(dir string) (all []*node.Status, err error) {
	d, err := readDemo(dir)
	if err != nil {
		s, err := node.ReadStatus(taskFolder(dir))
		return []*node.Status{s}, err
	}
	for _, p := range d.Processes {
		s, err := node.ReadStatus(d.runDir(p.Party))
		if errors.Is(err, fs.ErrNotExist) {
			s, err = &node.Status{Party: p.Party, Process: p.Process, State: node.Starting}, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func newStatus() *cobra.Command {
	var asJSON, probed bool
	cmd := &cobra.Command{
		Use:   "status DIR",
		Short: "Show how a party's part of a run stands, and whom the run waits for",
		Example: `  vflc status run
  vflc status run --probe
  vflc status demo --json`,
		Args: oneArgument("the folder DIR of a run of vflc serve or vflc join, or of a demonstration"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			all, err := statuses(args[0])
			if err != nil {
				return err
			}
			if probed {
				return probe(args[0], all)
			}
			if asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(), all)
			}
			return writeStatus(cmd.OutOrStdout(), all)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&probed, "probe", false, "print nothing, and exit with 1 where a part has failed, its "+
		"process has ended before the run is complete, or hangs, which shows within 70 s")
	return cmd
}

// probe is an error where a part of a run does not stand well.
func probe(dir string, all []*node.Status) error {
	var found data.Errors
	for _, s := range all {
		why := s.Unwell(node.Overdue)
		if why == "" && s.State != node.Complete && !alive(s.Process) {
			why = fmt.Sprintf("has ended: there is no process %d", s.Process)
		}
		if why != "" {
			found = append(found, data.Coded(diag.NotWell, "%s %s; vflc logs prints its log", s.Party, why).At(dir)...)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

func writeStatus(w io.Writer, all []*node.Status) error {
	rows := [][]string{{"party", "state", "process", "chains", "waits for"}}
	for _, s := range all {
		process := fmt.Sprint(s.Process)
		if !alive(s.Process) {
			process += " (ended)"
		}
		var chains, missing []string
		for _, c := range s.Chains {
			text := fmt.Sprintf("%s %d", c.Phase, c.Iteration)
			if c.Of > 0 {
				text += fmt.Sprintf("/%d", c.Of)
			}
			chains = append(chains, text)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Missing)) {
			missing = append(missing, name+" ("+s.Missing[name]+")")
		}
		state := s.State
		if s.Why != "" {
			state += ": " + s.Why
		}
		rows = append(rows, []string{s.Party, state, process, strings.Join(chains, ", "),
			strings.Join(missing, ", ")})
	}
	text := posterior.AlignLeft(rows)
	for k, s := range all {
		if k == 0 && s.Authority != "" {
			text += fmt.Sprintf("\nauthority: %s\n", s.Authority)
		}
		if s.Key != "" {
			text += fmt.Sprintf("key of %s: %s\n", s.Party, s.Key)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

func newStop() *cobra.Command {
	return &cobra.Command{
		Use: "stop DIR",
		Short: "End a process of vflc serve or vflc join in good order; the same " +
			"command goes on with the run",
		Example: `  vflc stop run`,
		Args:    oneArgument("the folder DIR of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			dir := taskFolder(args[0])
			s, err := node.ReadStatus(dir)
			if err != nil {
				return err
			}
			if !alive(s.Process) {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s is not running\n", s.Party)
				return nil
			}
			if err := node.AskToStop(dir, s.Process); err != nil {
				return err
			}
			for alive(s.Process) {
				select {
				case <-cmd.Context().Done():
					return cmd.Context().Err()
				case <-time.After(50 * time.Millisecond):
				}
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s has ended\n", s.Party)
			return nil
		}),
	}
}

func newLogs() *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:     "logs DIR",
		Short:   "Print the log of a party's part of a run, a JSON document a line",
		Example: `  vflc logs run`,
		Args:    oneArgument("the folder DIR of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(filepath.Join(taskFolder(args[0]), posterior.SessionDir, node.LogFile))
			if err != nil {
				return err
			}
			defer f.Close()
			for {
				if _, err := io.Copy(cmd.OutOrStdout(), f); err != nil || !follow {
					return err
				}
				select {
				case <-cmd.Context().Done():
					return nil
				case <-time.After(200 * time.Millisecond):
				}
			}
		}),
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as the log grows")
	return cmd
}
