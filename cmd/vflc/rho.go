package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/noise"
	"github.com/vflc/vflc/internal/inputfile"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
)

// rhoFlags are those of rho that are not settings of a backend.
type rhoFlags struct {
	modelFlags
	joinFlags
	data    []string
	backend string
	seed    uint64
	quiet   bool
	asJSON  bool
	link    linkFlags
}

func newRho() *cobra.Command {
	var f rhoFlags
	cmd := &cobra.Command{
		Use:   "rho MODEL",
		Short: "Compare values of rho: what each does to the answer, costs, and hides",
		Long: `Make a short fit at each of several rho, side by side, and print for each by how much it stretches coefficients and widens standard
deviations, the leapfrogs of a draw, the rounds of a chain, and what the server is expected to know of a client's contribution after a run.
Without --rho, rho√J is 0.1, 0.2, 0.35, 0.7, 1 and 2, J the number of clients, times half the standard deviation that a row leaves to its
predictor where that is less than 1: half the residual standard deviation of a normal likelihood, which a short fit finds. Lengths and chains that are given are those of the run that
rounds and correlation are about; the short fits have their own.`,
		Example: `  vflc rho logistic.vfl
  vflc rho logistic.vfl --rho 0.1,0.25,1 --transform power --json`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error { return compareRhos(cmd, args[0], &f) }),
	}
	f.add(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&f.data, "data", nil, "table of a party: `PARTY=FILE`, as in vflc run; repeatable")
	f.addJoins(fs)
	f.addAccount(fs)
	fs.StringVar(&f.backend, "backend", fit.Backends()[0].Name,
		"inference `algorithm`: "+strings.Join(algorithmNames(), ", "))
	fs.Uint64Var(&f.seed, "seed", 1, "seed of all random numbers")
	fs.BoolVar(&f.quiet, "quiet", false, quietDoc)
	fs.BoolVar(&f.asJSON, "json", false, "print as JSON")
	fs.Lookup("rho").Usage = "values of rho to compare: `R,R,…`"
	f.link.add(cmd)
	addSettings(cmd)
	return cmd
}

func compareRhos(cmd *cobra.Command, path string, f *rhoFlags) error {
	over, asked, err := f.link.link(cmd)
	if err != nil {
		return err
	}
	typed, err := f.honour(cmd, path)
	if err != nil {
		return err
	}
	a, err := algorithm(f.backend)
	if err != nil {
		return err
	}
	if err := refuseForeign(typed, a); err != nil {
		return err
	}
	if f.rhoOfFile {
		f.rho = "" // that of a run
	}
	rhos, err := rhoList(f.rho)
	if err != nil {
		return err
	}
	f.rho = ""
	m, err := compileAloud(cmd, path, &f.modelFlags, f.quiet)
	if err != nil {
		return err
	}
	if err := noise.Suits(m, a); err != nil {
		return err
	}
	sources, err := data.Locate(path, m.Parties(), f.data)
	if err != nil {
		return err
	}
	sources.Limit(inputfile.MaxBytes)
	joining, err := f.joining()
	if err != nil {
		return err
	}
	given := settingsFor(cmd, a, m, typed)
	o := fit.Options{Algorithm: a, Settings: given, Joining: joining, Seed: f.seed,
		Progress: terminal.NewScreen(cmd.ErrOrStderr(), f.quiet)}
	ctx, stop := interrupted(cmd.Context())
	defer stop()
	c, diags, err := noise.Explore(ctx, m, sources, rhos, o)
	if err := settleQuietly(cmd, diags, f.quiet); err != nil {
		return err
	}
	if err != nil {
		if by := interruption(ctx); by != nil {
			return by
		}
		return err
	}
	if f.asJSON {
		return posterior.WriteJSON(cmd.OutOrStdout(), c)
	}
	var link *posterior.Connection
	if asked {
		link = &over
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), c.Table(link))
	return err
}
