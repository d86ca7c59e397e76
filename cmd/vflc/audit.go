package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/report"
	"github.com/vflc/vflc/stdlib"
)

func newAudit() *cobra.Command {
	var f modelFlags
	var asJSON, reconstruct, entries bool
	var backend, page, moments string
	cmd := &cobra.Command{
		Use:   "audit DIR|MODEL|RUN",
		Short: "Print what crosses between parties, and what a curious receiver can compute from it",
		Long: `Print what each party learns from another in a run with the backend and settings given: what, from whom, of which
shape and how often, what masks it, and what a curious receiver can compute. The argument is a model, or a folder of
party programs that vflc compile wrote; each of these is loaded as its party would load it, for the run that their
manifest lists: with masked sums over several clients, unless vflc compile was given --secure-sum off. Of a run, it is what crossed in it.

A run across machines has a ledger of every message (RUN/ledger). The audit of such a run begins with what parties can compute in it, as the
manifest says, and checks that no line was changed or taken away and that every
message is one of the session's script; where other parties' ledgers were copied beside its own, or the argument is the folder of a
demonstration, it compares what one party has sent with what the other got, and what the clients should have received alike, and names the
first difference. The audit of the programs says more of what a receiver can compute. --entries prints what the ledgers hold, which is binary in the files.

With --attack the argument is the folder of a run: the clients' contributions are reconstructed from what the server received in that
run, and compared with the true ones. It shows how well, for each of them, and after how many rounds; what one round without noise gives
away; and which private columns of two values, and categories of factors, are found. Sums over clients are reported apart. By the steps of Markov
chains, or the variances and draws of a variational fit, they are separated, masked or not: into directions of one client each, which client
that is, its cut row by row, and columns that are directions themselves. Of a run across machines the argument is the server's folder, of a server that was started with --record; there is no truth to compare with.`,
		Example: `  vflc audit build
  vflc audit logistic.vfl --transform power
  vflc audit build -o audit.html
  vflc audit out --attack
  vflc audit dose.vfl --attack --release out/moments.json
` + example("vflc audit logistic.vfl"),
		Args: oneArgument("a folder, a MODEL or a RUN"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if page != "" {
				return writeAgreement(cmd, args[0], page)
			}
			switch {
			case moments != "" && !reconstruct:
				return usagef("--release is of --attack")
			case moments != "":
				return attackRelease(cmd, args[0], moments, &f)
			case reconstruct:
				return attackRun(cmd, args[0], asJSON)
			}
			ledgers := ledger.Find(args[0])
			if d, err := readDemo(args[0]); err == nil {
				ledgers = d.ledgers()
			}
			switch {
			case entries && len(ledgers) == 0:
				return usagef("--entries prints the ledgers of a run across machines, and %s has none",
					args[0])
			case entries:
				return dumpLedgers(cmd, ledgers)
			case len(ledgers) > 0:
				return auditLedgers(cmd, args[0], ledgers, asJSON)
			case hasReleased(args[0]):
				return printReleased(cmd.OutOrStdout(), args[0], nil)
			}
			typed, err := honourBeside(cmd, args[0], &f)
			if err != nil {
				return err
			}
			a, err := algorithm(backend)
			if err != nil {
				return err
			}
			f.forRun(cmd, a)
			r, err := auditOf(cmd, args[0], &f, a, typed)
			switch {
			case err != nil:
				return err
			case asJSON:
				return posterior.WriteJSON(cmd.OutOrStdout(), r.document())
			}
			return r.print(cmd.OutOrStdout())
		}),
	}
	f.add(cmd)
	addBackend(cmd, &backend)
	cmd.Flags().BoolVar(&reconstruct, "attack", false,
		"reconstruct the clients' contributions from what the server received in a `RUN`")
	cmd.Flags().StringVar(&moments, "release", "",
		"with --attack and a `MODEL` under transform private, whose tables stand beside it: try what the "+
			"release in this file tells of a value to whoever knows all others")
	cmd.Flags().StringVarP(&page, "output", "o", "",
		"write the audit of a folder of programs to this `FILE`, as one HTML document that those who "+
			"answer for the parties' data can sign")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&entries, "entries", false,
		"print every entry of the ledgers of a `RUN` across machines, a JSON document a line")
	return cmd
}

// dumpLedgers prints every entry of ledgers that nobody has changed.
func dumpLedgers(cmd *cobra.Command, paths []string) error {
	for _, path := range paths {
		f, diags, err := ledger.Read(path)
		if err := settled(cmd, diags, err); err != nil {
			return err
		}
		if err := f.Dump(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	return nil
}

// writeAgreement writes the audit of a folder of programs as a document.
func writeAgreement(cmd *cobra.Command, dir, page string) error {
	if err := refuseBeside(cmd, "output"); err != nil {
		return err
	}
	bundle, diags, err := compile.ReadBundle(dir)
	if err := settled(cmd, diags, err); err != nil {
		return err
	}
	if err := settle(cmd, fit.Undeclared(bundle)); err != nil {
		return err
	}
	if err := safefile.Write(page, 0o644, func(w io.Writer) error {
		return report.WriteAgreement(w, dir, bundle)
	}); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(),
		"wrote %s: what crosses between the parties of %s, with a line to sign for each\n", page, dir)
	return nil
}

// auditLedgers compares ledgers with one another and with the script of the session. The manifest in the
// folder says what parties can compute in such a run.
func auditLedgers(cmd *cobra.Command, dir string, paths []string, asJSON bool) error {
	report, diags, err := ledger.Reconcile(paths)
	if err := settled(cmd, diags, err); err != nil {
		return err
	}
	path := filepath.Join(dir, posterior.ProgramsDir, split.ManifestFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || report.Run == "": // of a run that has not begun
	case err != nil:
		return err
	default:
		if err := settle(cmd, report.Under(path, text)); err != nil {
			return err
		}
		m, diags := split.ParseManifest(source.New(path, string(text)), stdlib.New())
		if diags.HasErrors() {
			return settle(cmd, diags)
		}
		if m.Run != nil {
			report.Verdict = m.Run.Verdict
		}
	}
	if asJSON {
		return posterior.WriteJSON(cmd.OutOrStdout(), report)
	}
	if err := report.Print(cmd.OutOrStdout()); err != nil {
		return err
	}
	return printReleased(cmd.OutOrStdout(), dir, report.Parties)
}

// ledgers lists those of all parties of a demonstration.
func (d *demo) ledgers() (out []string) {
	for _, p := range d.Processes {
		out = append(out, ledger.Find(d.runDir(p.Party))...)
	}
	return out
}

// honourBeside applies the vfl.toml beside a model; a folder has its settings in itself.
func honourBeside(cmd *cobra.Command, path string, f *modelFlags) ([]string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return typedFlags(cmd), nil
	}
	return f.honour(cmd, path)
}

// An auditReport is a table with what it is of.
type auditReport struct {
	model, transform, backend string
	pooled                    bool
	accepted                  diag.Accepted
	verdict                   []compile.Verdict
	rows                      []compile.Disclosure
	forecasts                 []*attack.Outlook // by row; nil: none
	encrypted                 bool              // rows stay encrypted
	known                     string            // of them, in a run; "": not a run, or they were not
}

// An auditRow is a row in JSON.
type auditRow struct {
	compile.Disclosure
	Forecast *attack.Outlook `json:"forecast,omitempty"`
}

// An auditDocument is what --json prints.
type auditDocument struct {
	Verdict   []compile.Verdict `json:"verdict"`
	Crossings []auditRow        `json:"crossings"`
}

func (r *auditReport) document() auditDocument {
	out := []auditRow{}
	for k, d := range r.rows {
		row := auditRow{Disclosure: d}
		if r.forecasts != nil {
			row.Forecast = r.forecasts[k]
		}
		out = append(out, row)
	}
	return auditDocument{append([]compile.Verdict{}, r.verdict...), out}
}

// auditOf loads the programs of a folder, or compiles a model, and audits them.
func auditOf(cmd *cobra.Command, path string, f *modelFlags, a backends.Algorithm,
	typed []string) (*auditReport, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, posterior.RecordFile)); err == nil {
			return auditFolder(cmd, path, f)
		}
		return auditPrograms(cmd, path, f, func(m *split.Manifest) (backends.Algorithm, map[string]string,
			error) {
			return declared(cmd, m, a)
		})
	}
	if err := refuseForeign(typed, a); err != nil {
		return nil, err
	}
	m, err := compileWhole(cmd, path, f)
	if err != nil {
		return nil, err
	}
	if !m.Pooled() {
		say(cmd, m.Assumed())
	}
	return auditModel(m, a, settingsFor(cmd, a, m, typed), tablesBeside(m))
}

// tablesBeside looks into the tables of a model that vflc run would find; nil where they are not there.
func tablesBeside(m *compile.Model) *compile.Tables {
	sources, err := data.Locate(m.Source.Name, m.Parties(), nil)
	settings, _, unread := data.RunSettings(m.Source.Name)
	if m.Pooled() || err != nil || unread != nil {
		return nil
	}
	joining := data.Joining{Key: data.DefaultKey, Intersect: settings["rows"] == rowsIntersect}
	if key, ok := settings["key"].(string); ok {
		joining.Key = key
	}
	return m.Tables(sources, joining)
}

// auditModel audits a compiled model.
func auditModel(m *compile.Model, a backends.Algorithm, given map[string]string,
	tables *compile.Tables) (*auditReport, error) {
	if m.Pooled() {
		return &auditReport{model: m.Name, transform: m.Checked.Transform.Kind.Name, pooled: true,
			verdict: m.AllPooled(), rows: m.AuditPooled()}, nil
	}
	if diags := fit.Unestimated(a, m); diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	bundle, diags := m.Bundle() // its warnings are those of the model
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	return auditBundle(bundle, a, given, tables)
}

// auditPrograms loads the programs of a folder and audits them, in the run that in names.
func auditPrograms(cmd *cobra.Command, path string, f *modelFlags,
	in func(*split.Manifest) (backends.Algorithm, map[string]string, error)) (*auditReport, error) {
	if err := f.refuse(path + " holds programs"); err != nil {
		return nil, err
	}
	bundle, diags, err := compile.ReadBundle(path)
	if err := settled(cmd, diags, err); err != nil {
		return nil, err
	}
	if err := settle(cmd, fit.Undeclared(bundle)); err != nil {
		return nil, err
	}
	a, given, err := in(bundle.Manifest)
	if err != nil {
		return nil, err
	}
	return auditBundle(bundle, a, given, nil)
}

func auditBundle(p *compile.Bundle, a backends.Algorithm, given map[string]string,
	tables *compile.Tables) (*auditReport, error) {
	verdict, err := fit.Verdict(p, a, given, tables)
	if err != nil {
		return nil, err
	}
	rows, err := fit.Audit(p, a, given)
	if err != nil {
		return nil, err
	}
	if len(p.Manifest.Predicted) > 0 {
		return &auditReport{model: p.Manifest.Model, transform: "of a prediction",
			accepted: p.Manifest.Accepted, verdict: verdict, rows: rows}, nil
	}
	forecasts, err := fit.ForecastAttack(rows, p, a, given)
	return &auditReport{model: p.Manifest.Model, transform: p.Manifest.Transform, backend: a.Name,
		accepted: p.Manifest.Accepted, verdict: verdict, rows: rows, forecasts: forecasts,
		encrypted: backends.Encrypted(given)}, err
}

// print prints the table, then once each what a receiver can compute: the last column holds its number.
func (r *auditReport) print(w io.Writer) error {
	var b strings.Builder
	b.WriteString(compile.VerdictText(r.verdict))
	if len(r.verdict) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "model %s, transform %s", r.model, r.transform)
	if r.backend != "" {
		fmt.Fprintf(&b, ", backend %s", r.backend)
	}
	b.WriteString("\n")
	for _, d := range diag.Acceptances() {
		if slices.Contains(r.accepted, d.Name) {
			fmt.Fprintf(&b, "accepted (%s): %s\n", d.Name, d.Doc)
		}
	}
	b.WriteString("\n")
	var learns []string
	table := [][]string{{"what", "from", "to", "shape", "how often", "masked", "receiver computes"}}
	for _, d := range r.rows {
		at := slices.Index(learns, d.Learns)
		if at < 0 {
			at, learns = len(learns), append(learns, d.Learns)
		}
		table = append(table, []string{d.What, d.From, d.To, "[" + strings.Join(d.Shape, ", ") + "]", d.Often,
			d.Masked, fmt.Sprintf("(%d)", at+1)})
	}
	switch {
	case len(r.rows) == 0 && r.pooled:
		b.WriteString("The model has no clients: one party holds all data, and nothing crosses.\n")
	case len(r.rows) == 0:
		b.WriteString("No client contributes to another party's computation: nothing crosses.\n")
	default:
		b.WriteString(foldedTable(w, table))
		b.WriteString("\nWhat a curious receiver can compute:\n")
	}
	for i, text := range learns {
		fmt.Fprintf(&b, "(%d) %s\n", i+1, text)
	}
	b.WriteString(r.expected(w))
	switch {
	case r.transform == stdlib.Private.Name:
		b.WriteString(releasedNote)
	case r.pooled && len(r.rows) > 0:
		b.WriteString(pooledNote)
	case r.encrypted:
		b.WriteString(encryptedNotes)
		if r.known != "" {
			b.WriteString("\n" + r.known + "\n")
		}
	case len(r.rows) > 0:
		b.WriteString(auditNotes)
	}
	_, err := io.WriteString(w, foldedText(w, b.String()))
	return err
}

// expected is the forecast as a table.
func (r *auditReport) expected(w io.Writer) string {
	lines := [][]string{{"what", "from", "to", "draws of the noise", "correlation", "residual sd"}}
	for k, f := range r.forecasts {
		if d := r.rows[k]; f != nil {
			lines = append(lines, []string{d.What, d.From, d.To, fit.DrawsOfNoise(d, f),
				fmt.Sprintf("%.5f", f.Correlation), fmt.Sprintf("%.2g", f.ResidualSD)})
		}
	}
	if len(lines) == 1 {
		return ""
	}
	return "\nExpected after such a run, for a cut whose sd over the rows is 1 (vflc audit RUN " +
		"--attack measures it):\n" + foldedTable(w, lines)
}

// pooledNote is printed where there are no party programs.
const pooledNote = `
All data are pooled in one process. This transform is for simulation only: it protects nothing, and has no party programs.
`

// releasedNote is printed under transform private.
const releasedNote = `
This is a simulation: one process has all data, and draws the noise of every party. What leaves it is the release in moments.json of vflc run -o, and what is computed
from it. A release is of these columns; another run without --release makes another one, and the budgets add up: --identity DIR keeps account of
them, in the history of the party whose keys are in the folder.
`

// encryptedNotes are those of encrypted rows.
const encryptedNotes = `
An evaluation is one computation of the density with its gradient. Nobody can decrypt a number of a row unless all parties give shares of their keys for it,
and a party gives one for a sum that it has derived itself. D is how many numbers that depend on others' rows a party, or several together, have learned: to
first order they explain at most D/n of the variance of a column that they do not know, beyond regression on what they know. A run ends before one party
learns more than a 20th of the rows, unless somebody accepts that of a simulation (--accept few-rows). Not caught: a client that lies about its data, or whose contribution saturates all rows
but few, so that its own gradient shows these rows; a response that is not of the form that the likelihood has, unless it is binary, which is proved to all. Nothing here is differentially private.
vflc run simulates all parties in one process, which holds all of this anyway.
`

// auditNotes are the limits of what the table can promise.
const auditNotes = `
An evaluation is one computation of the density with its gradient; a fit takes thousands. One is not wanted where the totals of its scalars
end a trajectory. Nothing here is differentially private. Parties are assumed to follow the protocol and to be curious. vflc run simulates all
parties in one process, which holds all of this anyway.
`
