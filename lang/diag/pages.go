package diag

import (
	"embed"
	"path"
	"slices"
	"strings"
)

// A Page explains a code: what is wrong, why vflc refuses it, a program that produces the diagnostic, and a
// corrected program.
type Page struct {
	Code    Code
	Title   string // a few words, without a full stop
	Text    string // whole sentences; an empty line stands between paragraphs
	Wrong   string // an input that produces the code
	Right   string // the same input, corrected
	Meaning bool   // a warning about what a result means: it is shown where a command is quiet, too
}

// A file in pages is the page of the code that it is named after. Its first line is the title, the second may
// be the words of meaning; the text, wrapped, and both inputs follow.
//
//go:embed pages
var pageFiles embed.FS

const meaning = "changes what a result means"

// Pages lists the page of every code, in the order of codes.
var Pages = readPages()

func readPages() []Page {
	files, err := pageFiles.ReadDir("pages")
	if err != nil {
		panic(err)
	}
	pages := make([]Page, len(files))
	for i, f := range files {
		text, err := pageFiles.ReadFile(path.Join("pages", f.Name()))
		if err != nil {
			panic(err)
		}
		pages[i] = parsePage(Code(strings.TrimSuffix(f.Name(), ".txt")), string(text))
	}
	return pages
}

func parsePage(code Code, file string) Page {
	p := Page{Code: code}
	head, inputs, _ := strings.Cut(file, "\n\n=== wrong\n")
	p.Wrong, p.Right, _ = strings.Cut(inputs, "\n=== right\n")
	title, text, _ := strings.Cut(head, "\n\n")
	p.Title, p.Meaning = strings.CutSuffix(title, "\n"+meaning)
	paragraphs := strings.Split(text, "\n\n")
	for i, lines := range paragraphs {
		paragraphs[i] = strings.ReplaceAll(lines, "\n", " ")
	}
	p.Text = strings.Join(paragraphs, "\n\n")
	return p
}

// Loud returns the diagnostics that a command shows where it is quiet: errors, and what changes the meaning
// of a result.
func (l List) Loud() (out List) {
	for _, d := range l {
		if p, _ := Explain(d.Code); d.Severity == Error || d.Severity == Warning && p.Meaning {
			out = append(out, d)
		}
	}
	return out
}

// Explain returns the page of a code, and whether the code has one.
func Explain(code Code) (Page, bool) {
	i := slices.IndexFunc(Pages, func(p Page) bool { return p.Code == code })
	if i < 0 {
		return Page{}, false
	}
	return Pages[i], true
}
