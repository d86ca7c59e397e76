package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// manifestFile is the manifest's name beside the party programs.
const manifestFile = "manifest.json"

func newCompile() *cobra.Command {
	var f modelFlags
	var by, dir, dump string
	cmd := &cobra.Command{
		Use:   "compile --split-by client MODEL -o DIR",
		Short: "Write one program per party, and the manifest of what crosses between them",
		Example: `  vflc compile --split-by client logistic.vfl -o build
  vflc compile logistic.vfl --dump cut`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			switch {
			case by != "client":
				return usagef("--split-by %s: a model is split by client", by)
			case dump == "" && dir == "":
				return usagef("say where the programs go (-o DIR), or which stage to print (--dump %s)", strings.Join(stageNames(), "|"))
			}
			c, err := compileWhole(cmd, args[0], &f)
			if err != nil {
				return err
			}
			if dump != "" {
				return c.dump(cmd, &f, dump)
			}
			return c.writePrograms(cmd, dir)
		}),
	}
	f.add(cmd)
	cmd.Flags().StringVar(&by, "split-by", "client", "the unit that gets a program of its own")
	cmd.Flags().StringVarP(&dir, "output", "o", "", "`folder` for the programs and the manifest")
	cmd.Flags().StringVar(&dump, "dump", "", "print a `stage` and stop: "+strings.Join(stageNames(), ", "))
	return cmd
}

func (c *compiled) writePrograms(cmd *cobra.Command, dir string) error {
	if c.pooled() {
		return fmt.Errorf("%s: transform none keeps all data in one place, so there is nothing to split", c.source.Name)
	}
	files := c.files()
	for name, text := range files {
		if err := writeFile(dir, name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %d programs and %s to %s\n", len(files)-1, manifestFile, filepath.Clean(dir))
	return nil
}
