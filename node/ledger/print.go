package ledger

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
)

// total adds up what crossed over the epochs.
func (p *Reconciliation) total() (out []Traffic, epochs []int) {
	for _, c := range p.Crossed {
		at := slices.IndexFunc(out, func(o Traffic) bool {
			return o.From == c.From && o.To == c.To && o.Kind == c.Kind && o.Channel == c.Channel
		})
		if at < 0 {
			at, out, epochs = len(out),
				append(out, Traffic{From: c.From, To: c.To, Kind: c.Kind, Channel: c.Channel,
					Masked: c.Masked}), append(epochs, 0)
		}
		epochs[at]++
		out[at].Messages, out[at].Numbers, out[at].Bytes = out[at].Messages+c.Messages,
			out[at].Numbers+c.Numbers, out[at].Bytes+c.Bytes
	}
	return out, epochs
}

// Print writes the report: what crossed, over all epochs, and what the ledgers agree on.
func (p *Reconciliation) Print(w io.Writer) error {
	var b strings.Builder
	rows := [][]string{{"from", "to", "message", "channel", "messages", "numbers", "bytes", "masked"}}
	total, epochs := p.total()
	several := p.Epochs > 1
	if several {
		rows[0] = append(rows[0], "epochs")
	}
	for k, c := range total {
		masked := "no"
		if c.Masked {
			masked = "yes"
		}
		rows = append(rows, []string{c.From, c.To, c.Kind, c.Channel, grouped.Digits(c.Messages),
			grouped.Digits(int(c.Numbers)), grouped.Digits(int(c.Bytes)), masked})
		if several {
			rows[k+1] = append(rows[k+1], fmt.Sprint(epochs[k]))
		}
	}
	for k, line := range p.Verdict {
		b.WriteString(line + "\n")
		if k == len(p.Verdict)-1 {
			b.WriteString("\n")
		}
	}
	if p.Run == "" {
		b.WriteString("No run has begun: the ledgers are empty.\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "Run %s. Ledgers of %s.\n\n", p.Run, strings.Join(p.Parties, ", "))
	if len(total) == 0 {
		b.WriteString("Nothing crossed.\n")
	} else {
		p.printCompared(&b, rows)
	}
	p.printTold(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// printCompared writes what crossed, and how much of it ledgers agree on.
func (p *Reconciliation) printCompared(b *strings.Builder, rows [][]string) {
	b.WriteString(posterior.AlignLeft(rows))
	fmt.Fprintf(b, "\n%s with %s bytes of numbers, in %s, all as the script of the session has them.\n",
		counted(p.Messages, "message"), grouped.Digits(int(p.Bytes)), counted(p.Epochs, "epoch"))
	switch {
	case p.Both == p.Messages:
		b.WriteString("Each stands alike in the ledgers of sender and receiver.\n")
	case p.Both > 0:
		fmt.Fprintf(b, "%s of them stand alike in the ledgers of sender and receiver.\n",
			grouped.Digits(p.Both))
	default:
		b.WriteString("None was compared with the ledger of its other end.\n")
	}
	switch {
	case len(p.Parties)+len(p.Missing) < 3: // one client
	case p.Alike == 0:
		b.WriteString("Nothing was compared that several clients should have received alike: it takes the " +
			"ledgers of two, or the server's.\n")
	case len(p.ByServer) > 0:
		fmt.Fprintf(b,
			"%s that several clients should have received alike were sent alike; of what %s received the "+
				"ledger of the server alone tells.\n", counted(p.Alike, "array"),
			strings.Join(p.ByServer, ", "))
	default:
		fmt.Fprintf(b, "%s that several clients should have received alike were alike at each of them.\n",
			counted(p.Alike, "array"))
	}
}

// printTold writes what is missing, what parties have told of their rows, and what it has cost them.
func (p *Reconciliation) printTold(b *strings.Builder) {
	if len(p.Missing) > 0 {
		fmt.Fprintf(b,
			"No ledger was given of %s: copy theirs, with the signature beside it, into the "+
				"folder %s of the run.\n", strings.Join(p.Missing, ", "), posterior.LedgerDir)
	}
	if p.Lost > 0 {
		fmt.Fprintf(b, "%s of those sent did not arrive, in epochs that were broken off.\n",
			grouped.Digits(p.Lost))
	}
	if len(p.Unclosed) > 0 {
		fmt.Fprintf(b, "The run is not complete at %s.\n", strings.Join(p.Unclosed, ", "))
	}
	said := map[string]bool{}
	for _, t := range p.Told {
		line := fmt.Sprintf("%s told %s %s.\n", t.Party, t.To, t.What)
		switch {
		case t.What == Folds:
			line = fmt.Sprintf("%s told %s %s (%s).\n", t.Party, t.To, t.What, grouped.Count(t.Rows, "row"))
		case t.Size != "":
			line = fmt.Sprintf("%s told %s %s: %s of %s (%s).\n", t.Party, t.To, t.What,
				grouped.Digits(t.Left), grouped.Digits(t.Rows), t.Size)
		}
		if !said[line] {
			b.WriteString(line)
		}
		said[line] = true
	}
	for _, party := range slices.Sorted(maps.Keys(p.Renewed)) {
		for _, k := range p.Renewed[party] {
			fmt.Fprintf(b, "%s has renewed its key: %s before, %s since.\n", party, k.Before, k.Now)
		}
	}
	for _, party := range slices.Sorted(maps.Keys(p.Charged)) {
		for _, c := range p.Charged[party] {
			b.WriteString(Costs(party, c) + ".\n")
		}
	}
	for _, party := range slices.Sorted(maps.Keys(p.Decrypted)) {
		fmt.Fprintf(b, "Of the encrypted rows of %s one other party learned %s that depend on them.\n",
			party, counted(p.Decrypted[party], "number"))
	}
	for _, u := range p.Published {
		fmt.Fprintf(b, "%s published %s of %s on %s, in a file of %s bytes with SHA-256 %s.\n", u.Party,
			u.What, strings.Join(u.Parameters, ", "), u.At.Format(time.DateOnly), grouped.Digits(u.Bytes),
			u.SHA256)
	}
}

// counted is a number with what it counts.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped.Digits(n) + " " + what + "s"
}
