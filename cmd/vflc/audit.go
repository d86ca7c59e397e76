package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

func newAudit() *cobra.Command {
	var f modelFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "audit DIR|MODEL",
		Short: "Print who learns what from whom, of which shape and how often",
		Long: `Print who learns what from whom, of which shape and how often: of party programs that
vflc compile has written to a folder (each is compared with the manifest), or of a model.`,
		Example: `  vflc audit build
  vflc audit logistic.vfl --transform power`,
		Args: oneArgument("a folder or a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			m, err := manifestOf(cmd, args[0], &f)
			if err != nil {
				return err
			}
			if asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(), disclosures(m))
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
		_, manifest := m.Split()
		return manifest, nil
	}
	if f.transform != "" || f.rho != "" || f.set != nil {
		return nil, usagef("--transform, --rho and --set change a model; %s holds programs", path)
	}
	return readManifest(path)
}

func readManifest(dir string) (*split.Manifest, error) {
	path := filepath.Join(dir, compile.ManifestFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m split.Manifest
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, p := range m.Parties {
		if p.Program != filepath.Base(p.Program) {
			return nil, fmt.Errorf("%s: the program %q of %s lies outside the folder", path, p.Program, p.Name)
		}
		text, err := os.ReadFile(filepath.Join(dir, p.Program))
		if err != nil {
			return nil, err
		}
		if split.Digest(string(text)) != p.SHA256 {
			return nil, fmt.Errorf("%s is not the program that the manifest describes: its SHA-256 is another", filepath.Join(dir, p.Program))
		}
	}
	return &m, nil
}

// A disclosure is one thing that a party learns from another.
type disclosure struct {
	Party  string   `json:"party"` // who learns
	What   string   `json:"what"`
	From   string   `json:"from"`
	Shape  []string `json:"shape"`
	Often  string   `json:"how_often"`
	Masked string   `json:"masked"` // what hides it
}

const (
	everyRound = "every round"
	once       = "once"
)

// disclosures lists what crosses, as the protocol carries it: the server relays, and sees each client's z by itself.
func disclosures(m *split.Manifest) []disclosure {
	var out []disclosure
	for _, c := range m.Cuts {
		out = append(out, cutDisclosures(m, c)...)
	}
	for _, g := range m.Groups {
		for _, client := range groupClients(m, g) {
			out = append(out, disclosure{client, "adjoint of " + sumName(m, g), m.Server, g.Shape, everyRound, "no"})
		}
	}
	for _, s := range m.Shared {
		for _, to := range s.To {
			out = append(out,
				disclosure{to, "value of " + s.Name, m.Server, s.Shape, everyRound, "no"},
				disclosure{m.Server, "gradient of " + s.Name, to, s.Shape, everyRound, "no"})
		}
	}
	for _, d := range m.SharedData {
		for _, to := range d.To {
			out = append(out, disclosure{to, "data " + d.Name, "whoever holds it", d.Shape, once, "no"})
		}
	}
	return out
}

func cutDisclosures(m *split.Manifest, c split.ManifestCut) []disclosure {
	var out []disclosure
	for _, viewer := range c.SeenBy {
		d := disclosure{viewer, c.Name + " by itself", c.Client, c.Shape, everyRound, "noise of sd " + c.Rho}
		if viewer != m.Server {
			d.What = c.Name + " within the others' sum"
			d.From = m.Server
		}
		out = append(out, d)
	}
	if t, _ := stdlib.New().Transform(m.Transform); t.AtClients {
		out = append(out, disclosure{m.Server, "adjoint of the others' sum", c.Client, c.Shape, everyRound, "no"})
	}
	return out
}

func groupClients(m *split.Manifest, g split.ManifestGroup) []string {
	var out []string
	for _, c := range m.Cuts {
		if slices.Contains(g.Cuts, c.Name) && !slices.Contains(out, c.Client) {
			out = append(out, c.Client)
		}
	}
	return out
}

func sumName(m *split.Manifest, g split.ManifestGroup) string {
	if g.Additive {
		return strings.Join(g.Cuts, " + ")
	}
	return strings.Join(g.Cuts, ", ") + " one by one"
}

func printAudit(w io.Writer, m *split.Manifest) error {
	fmt.Fprintf(w, "model %s, transform %s\n\n", m.Model, m.Transform)
	rows := [][]string{{"party", "learns", "from", "shape", "how often", "masked"}}
	for _, d := range disclosures(m) {
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

// auditNotes are the limits of what the table can promise.
const auditNotes = `
A round is one evaluation of the density; a fit takes thousands. z is its cut plus noise of the standard deviation shown: many draws
average towards the cut, so rho is no differential privacy. An adjoint tells of the response: for a Bernoulli likelihood its sign is the
response itself. Parties are assumed to follow the protocol and to be curious.
`
