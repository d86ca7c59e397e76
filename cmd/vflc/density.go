package main

import (
	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// densityFlags are those of density.
type densityFlags struct {
	modelFlags
	joinFlags
	data  []string
	serve bool
	at    string
}

func newDensity() *cobra.Command {
	var f densityFlags
	cmd := &cobra.Command{
		Use:   "density MODEL",
		Short: "Evaluate the log density of a model with its data",
		Long: `Evaluate the joint log density of a model and its data, and its gradient, by the unconstrained parameters of all parties, in this
process. Under a transform with noise the auxiliary variables follow the parameters, as they are: --transform exact gives the true model.

--at reads values of the parameters from a Stan-JSON document, as vflc run --inits does. --serve answers requests from standard input, a line of JSON each, until it
ends: docs/python.md describes them. All constants of the densities are counted.`,
		Example: `  vflc density logistic.vfl --transform exact --at point.json
  vflc density logistic.vfl --transform exact --serve`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error { return runDensity(cmd, args[0], &f) }),
	}
	f.add(cmd)
	cmd.Flags().StringArrayVar(&f.data, "data", nil,
		"table of a party, as in vflc run: `PARTY=FILE`; of a model without clients: FILE; repeatable")
	f.addJoins(cmd.Flags())
	cmd.Flags().BoolVar(&f.serve, "serve", false, "answer requests from standard input")
	cmd.Flags().StringVar(&f.at, "at", "", "print the density and its gradient at the values in this `file`")
	return cmd
}

func runDensity(cmd *cobra.Command, path string, f *densityFlags) error {
	if f.serve == (f.at != "") {
		return usagef("give --at FILE or --serve")
	}
	if _, err := f.honour(cmd, path); err != nil {
		return err
	}
	m, err := compileAloud(cmd, path, &f.modelFlags, true)
	if err != nil {
		return err
	}
	d, err := f.bind(cmd, m, path)
	if err != nil {
		return err
	}
	s := newDensityServer(cmd.Context(), d)
	if f.serve {
		return s.serve(cmd.InOrStdin(), cmd.OutOrStdout())
	}
	return s.evaluateFile(cmd, f.at)
}

// bind is the density of a model with its tables.
func (f *densityFlags) bind(cmd *cobra.Command, m *compile.Model, path string) (*fit.JointDensity, error) {
	if m.Checked.Transform.Kind.Released() {
		var l diag.List
		l.Errorf(diag.NoRowDensity, nil, source.Span{}, "under transform private no density of rows is "+
			"evaluated: choose another with --transform, as none")
		return nil, data.Errors(l)
	}
	joining, err := f.joining()
	if err != nil {
		return nil, err
	}
	sources, err := data.Locate(path, m.Parties(), f.data)
	if err != nil {
		return nil, err
	}
	b, diags, err := compile.Bind(m, sources, joining)
	if err := settleQuietly(cmd, diags, true); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return fit.NewJointDensity(b)
}

// evaluateFile prints the density at the values of a file.
func (s *densityServer) evaluateFile(cmd *cobra.Command, path string) error {
	text, err := safefile.Read(path, safefile.MaxText)
	if err != nil {
		return err
	}
	entries, wrong := data.Entries(path, text)
	if wrong.HasErrors() {
		return data.Errors(wrong)
	}
	x, wrong := s.pointOf(entries)
	if wrong.HasErrors() {
		return data.Errors(wrong)
	}
	a, err := s.evaluate(&densityRequest{X: x})
	if err != nil {
		return err
	}
	return posterior.WriteJSON(cmd.OutOrStdout(), struct {
		densityGreeting
		densityAnswer
	}{s.names, densityAnswer{Value: a.Value, Gradient: a.Gradient, X: x, Cause: a.Cause}})
}
