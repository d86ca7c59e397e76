package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

func newAudit() *cobra.Command {
	var f modelFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "audit DIR|MODEL",
		Short: "Print what each party learns, from whom, in which shape and how often",
		Long: `Print what each party learns, from whom, in which shape and how often. DIR is a folder of party programs
that vflc compile has written: each is compared with the manifest. MODEL is a .vfl file.`,
		Example: `  vflc audit build
  vflc audit logistic.vfl --transform power`,
		Args: oneArgument("a folder or a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			m, err := manifestOf(cmd, args[0], &f)
			if err != nil {
				return err
			}
			if asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(), m.Disclosures())
			}
			return printAudit(cmd.OutOrStdout(), m)
		}),
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// manifestOf reads the manifest of a folder and compares the programs with it, or compiles a model.
func manifestOf(cmd *cobra.Command, path string, f *modelFlags) (*split.Manifest, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		m, err := compileWhole(cmd, path, f)
		if err != nil {
			return nil, err
		}
		_, manifest := split.Split(m.Parts, m.Name)
		return manifest, nil
	}
	if err := f.refuse(path + " holds programs"); err != nil {
		return nil, err
	}
	m, _, diags, err := split.ReadPrograms(path, stdlib.New())
	if err != nil {
		return nil, err
	}
	return m, settle(cmd, diags)
}

func printAudit(w io.Writer, m *split.Manifest) error {
	fmt.Fprintf(w, "model %s, transform %s\n\n", m.Model, m.Transform)
	rows := [][]string{{"party", "learns", "from", "shape", "how often", "masked"}}
	for _, d := range m.Disclosures() {
		rows = append(rows, []string{d.Party, d.What, d.From, "[" + strings.Join(d.Shape, ", ") + "]", d.Often, d.Masked})
	}
	if len(rows) == 1 {
		_, err := fmt.Fprintln(w, "Nothing crosses between parties.")
		return err
	}
	if _, err := io.WriteString(w, posterior.AlignLeft(rows)); err != nil {
		return err
	}
	_, err := io.WriteString(w, auditNotes)
	return err
}

// auditNotes explains what the table does not guarantee.
const auditNotes = `
A round is one evaluation of the density; a fit takes thousands. z is its cut plus noise of the standard deviation shown: many draws
average towards the cut, so rho does not give differential privacy. An adjoint reveals the response: for a Bernoulli likelihood its sign is
the response itself. Parties are assumed to be honest but curious.
`
