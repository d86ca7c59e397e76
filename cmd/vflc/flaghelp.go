package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
)

// Help of a command with more than mostFlags flags shows fewFlags of them, and --help-all the rest.
const (
	mostFlags = 15
	fewFlags  = 10
	helpAll   = "help-all"
)

// flagGroups are the titles under which flags stand, in their order, with the flags below each, the most
// needed first. A setting of one algorithm stands below its name, and what is in no group with other
// settings.
func flagGroups() []flagGroup {
	return []flagGroup{
		{"Data", strings.Fields("data key rows identity max-bytes memory by stratify folds")},
		{"Model", strings.Fields("split-by transform rho set module accept prior-only secure-sum")},
		{"Fit", strings.Fields("backend chains warmup draws seed iterations inits from jobs")},
		{"Output", strings.Fields("output json quiet attack entries overwrite log-lik save-aux checkpoint-interval")},
		{"Other machines", strings.Fields("listen state program release authority nats nats-ca nats-credentials nats-cert " +
			"nats-key policy record metrics detach task resume")},
	}
}

// A flagGroup is flags below one title.
type flagGroup struct {
	title string
	names []string
}

// firstFlags are those that help shows first, as far as a command has them. A simulation seldom has the keys
// of a party.
func firstFlags(c *cobra.Command) []string {
	out := strings.Fields("data key attack folds by listen identity split-by backend transform rho draws chains seed output " +
		"json quiet warmup rows set")
	if c.Flags().Lookup("transform") != nil {
		out = slices.DeleteFunc(out, func(name string) bool { return name == "identity" })
	}
	return out
}

// groupOf is the title of the group of a flag.
func groupOf(name string) string {
	for _, g := range flagGroups() {
		if slices.Contains(g.names, name) {
			return g.title
		}
	}
	var owners []string
	for _, a := range fit.Backends() {
		for _, s := range a.Settings {
			if s.Name == name {
				owners = append(owners, a.Name)
			}
		}
	}
	switch len(owners) {
	case 0:
		return "More"
	case 1:
		return "Algorithm " + owners[0]
	}
	return "Fit"
}

// visible lists the flags of a command that help shows.
func visible(cmd *cobra.Command) (out []*pflag.Flag) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			out = append(out, f)
		}
	})
	return out
}

// foldFlags folds the flags in the usage of commands at a width. A template of cobra's would do it, but a
// program that runs templates keeps every method of every type; see report/template.go.
func foldFlags(root *cobra.Command, width int) {
	usual := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error {
		out := c.OutOrStderr()
		var b bytes.Buffer
		c.SetOut(&b)
		defer c.SetOut(out)
		err := usual(c)
		text := b.String()
		for _, flags := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
			text = strings.Replace(text, strings.TrimSpace(flags.FlagUsages()),
				strings.TrimSpace(flags.FlagUsagesWrapped(width)), 1)
		}
		fmt.Fprint(out, text)
		return err
	})
}

// shortHelp gives a command with many flags a help that shows few, and --help-all.
func shortHelp(cmd *cobra.Command) {
	if len(visible(cmd)) <= mostFlags {
		return
	}
	all := new(allFlags)
	cmd.Flags().Var(all, helpAll, "print all flags, or a list of them for programs: --help-all=json")
	cmd.Flags().Lookup(helpAll).NoOptDefVal = "text"
	usual := cmd.HelpFunc()
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		if *all != "json" {
			usual(c, args)
			return
		}
		if err := posterior.WriteJSON(c.OutOrStdout(), listed(c)); err != nil {
			c.PrintErrln(err)
		}
	})
	cmd.SetUsageFunc(func(c *cobra.Command) error { return writeUsage(c, *all != "") })
}

// allFlags is the flag --help-all: text or json.
type allFlags string

// String implements pflag.Value.
func (a *allFlags) String() string { return string(*a) }

// Type implements pflag.Value.
func (a *allFlags) Type() string { return "form" }

// Set implements pflag.Value. Its error asks for help, whatever else the command line has.
func (a *allFlags) Set(form string) error {
	if form != "text" && form != "json" {
		return errors.New("write --help-all, or --help-all=json")
	}
	*a = allFlags(form)
	return pflag.ErrHelp
}

// writeUsage prints the usage of a command: all flags below their groups, or the first.
func writeUsage(c *cobra.Command, all bool) error {
	out := c.OutOrStdout()
	shown := visible(c)
	rest := 0
	if !all {
		order := firstFlags(c)
		shown = slices.DeleteFunc(shown, func(f *pflag.Flag) bool { return !slices.Contains(order, f.Name) })
		slices.SortStableFunc(shown, func(f, g *pflag.Flag) int {
			return slices.Index(order, f.Name) - slices.Index(order, g.Name)
		})
		shown = shown[:min(fewFlags, len(shown))]
		rest = len(visible(c)) - len(shown)
	}
	fmt.Fprintf(out, "Usage:\n  %s\n", c.UseLine())
	if c.HasExample() {
		fmt.Fprintf(out, "\nExamples:\n%s\n", strings.TrimRight(c.Example, "\n"))
	}
	for _, g := range groupsOf(shown) {
		fmt.Fprintf(out, "\n%s:\n%s", g.Name(), g.FlagUsagesWrapped(terminal.TableWidth(out)))
	}
	if rest > 0 {
		_, err := io.WriteString(out, fmt.Sprintf("\n%s --help-all prints %s more.\n", c.CommandPath(),
			grouped.Count(rest, "flag")))
		return err
	}
	return nil
}

// groupsOf sorts flags into their groups, which come as they are listed, and then those of algorithms.
func groupsOf(flags []*pflag.Flag) (out []*pflag.FlagSet) {
	var titles []string
	for _, g := range flagGroups() {
		titles = append(titles, g.title)
	}
	for _, a := range fit.Backends() {
		titles = append(titles, "Algorithm "+a.Name)
	}
	for _, title := range append(titles, "More") {
		set := pflag.NewFlagSet(title, pflag.ContinueOnError)
		for _, f := range flags {
			if groupOf(f.Name) == title {
				set.AddFlag(f)
			}
		}
		if set.HasFlags() {
			out = append(out, set)
		}
	}
	return out
}

// A listedFlag is a flag for programs that call vflc.
type listedFlag struct {
	Name      string `json:"name"`
	Shorthand string `json:"shorthand,omitempty"`
	Group     string `json:"group"`
	Value     string `json:"value"`    // what its value is called, "" of a switch
	Repeated  bool   `json:"repeated"` // it may be given several times
	Default   string `json:"default,omitempty"`
	Doc       string `json:"doc"`
}

// listed lists the flags of a command.
func listed(c *cobra.Command) (out []listedFlag) {
	for _, f := range visible(c) {
		value, doc := pflag.UnquoteUsage(f)
		_, repeated := f.Value.(pflag.SliceValue)
		out = append(out, listedFlag{f.Name, f.Shorthand, groupOf(f.Name), value, repeated, f.DefValue, doc})
	}
	return out
}
