package report

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

// A frame is the page around the sections.
type frame struct {
	Title    string
	Kind     string // of document, in the title of the window
	Kicker   string // the same, above the heading
	Footer   string
	Style    markup
	Policy   string
	Facts    []fact
	Sections []part
}

// A part is a section as HTML.
type part struct {
	ID, Title string
	Body      markup
}

// A content is what the template of a section, page/ID.html, shows.
type content struct {
	id, title string
	shown     any
}

// write writes the page with these sections.
func (f frame) write(w io.Writer, parts []content) error {
	all, err := readTemplates()
	if err != nil {
		return err
	}
	style, err := pages.ReadFile("page/style.css")
	if err != nil {
		return err
	}
	f.Style, f.Policy = markup(style), policy(style)
	for _, c := range parts {
		var b strings.Builder
		all.write(&b, c.id+".html", reflect.ValueOf(c.shown))
		f.Sections = append(f.Sections, part{c.id, c.title, markup(b.String())})
	}
	var b strings.Builder
	all.write(&b, "frame.html", reflect.ValueOf(f))
	_, err = io.WriteString(w, b.String())
	return err
}

// A fact is a line of a list of facts.
type fact struct{ Name, Value string }

// policy is the content security policy of the page: nothing is loaded, no script runs, and the one style is
// that with this text.
func policy(style []byte) string {
	sum := sha256.Sum256(style)
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; img-src data:; base-uri "+
		"'none'; form-action 'none'", base64.StdEncoding.EncodeToString(sum[:]))
}

// facts is the run at a glance.
func (r *Report) facts() []fact {
	record := r.run.Record
	out := []fact{
		{"Backend", record.Backend},
		{"Transform", r.transformText()},
		{"Draws", r.drawsText()},
	}
	for _, j := range record.Joins {
		out = append(out, fact{"Rows", joinText(j)})
	}
	return append(out, fact{"Verdict", r.verdict()},
		fact{"Run", "began " + record.Created + ", vflc " + record.Version})
}

// transformText is the transform with its rho.
func (r *Report) transformText() string {
	switch rho := r.run.Document.Rho.(type) {
	case float64:
		return fmt.Sprintf("%s, rho = %.4g", r.transform, rho)
	case map[string]any:
		by := map[string]float64{}
		for client, v := range rho {
			if v, ok := v.(float64); ok {
				by[client] = v
			}
		}
		return fmt.Sprintf("%s, rho = %s", r.transform, compile.RhoText(by))
	}
	return r.transform.Name
}

func (r *Report) drawsText() string {
	d := r.run.Draws
	if d.Independent() {
		return fmt.Sprintf("%d independent draws", d.Len(0))
	}
	return count(d.Chains(), "chain") + " of " + count(d.Len(0), "draw")
}

// mostNamed is the largest number of tables of a join that are named.
const mostNamed = 4

// joinText says how the rows of some tables were joined, in the words of a run.
func joinText(j posterior.Join) string {
	join := data.Join{Parties: j.Parties, Key: j.Key, Rows: j.Rows, Held: j.Held}
	if len(j.Parties) > mostNamed {
		return fmt.Sprintf("%s, of %d tables", join, len(j.Parties))
	}
	return fmt.Sprintf("%s: %s", join, strings.Join(j.Parties, ", "))
}

// verdict counts the findings.
func (r *Report) verdict() string {
	n := len(fit.Diagnose(r.run))
	if n == 0 {
		return "no problem found"
	}
	return count(n, "finding") + " (see below)"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
