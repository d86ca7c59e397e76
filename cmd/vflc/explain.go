package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

func newExplain() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Print the page of a diagnostic, with a wrong and a right example, or list them all",
		Example: `  vflc explain V0302
  vflc explain`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return codes(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: action(func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if len(args) == 0 {
				return listCodes(out, asJSON)
			}
			p, ok := diag.Explain(diag.Code(strings.ToUpper(args[0])))
			if !ok {
				return fmt.Errorf("there is no diagnostic %s%s; vflc explain lists them all", args[0],
					didYouMean(strings.ToUpper(args[0]), codes()))
			}
			return showCode(out, p, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// codeRecord is a page as JSON.
type codeRecord struct {
	Code  diag.Code `json:"code"`
	Title string    `json:"title"`
	Text  string    `json:"text"`
	Wrong string    `json:"wrong"`
	Right string    `json:"right"`
}

func codeRecordOf(p diag.Page) codeRecord {
	return codeRecord{p.Code, p.Title, p.Text, p.Wrong, p.Right}
}

// showCode prints the page of a diagnostic.
func showCode(w io.Writer, p diag.Page, asJSON bool) error {
	if asJSON {
		return posterior.WriteJSON(w, codeRecordOf(p))
	}
	return p.Write(w)
}

func codes() []string {
	var out []string
	for _, p := range diag.Pages {
		out = append(out, string(p.Code))
	}
	return out
}

func listCodes(w io.Writer, asJSON bool) error {
	if asJSON {
		records := []codeRecord{}
		for _, p := range diag.Pages {
			records = append(records, codeRecordOf(p))
		}
		return posterior.WriteJSON(w, records)
	}
	for _, p := range diag.Pages {
		fmt.Fprintf(w, "%s  %s\n", p.Code, p.Title)
	}
	return nil
}
