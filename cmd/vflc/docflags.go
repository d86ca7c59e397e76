package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/stdlib"
)

// flagPages returns the pages of a flag, one for each meaning that it has in some commands.
func flagPages(root *cobra.Command, name string) []stdlib.Page {
	name = strings.TrimLeft(name, "-")
	var out []stdlib.Page
	for _, c := range root.Commands() {
		f := c.Flags().Lookup(name)
		if f == nil || f.Hidden || c.Hidden {
			continue
		}
		value, doc := pflag.UnquoteUsage(f)
		usage := strings.TrimSpace("--" + name + " " + value)
		at := slices.IndexFunc(out, func(p stdlib.Page) bool { return p.Doc == doc && p.Usage == usage })
		if at < 0 {
			p := stdlib.Page{Kind: "flag", Name: "--" + name, Usage: usage, Doc: doc}
			if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" {
				p.Properties = []stdlib.Entry{{Name: "default", Doc: f.DefValue}}
			}
			p.Properties = append(p.Properties, stdlib.Entry{Name: "commands", Doc: c.Name()})
			out = append(out, p)
			continue
		}
		used := &out[at].Properties[len(out[at].Properties)-1]
		used.Doc += ", " + c.Name()
	}
	return out
}
