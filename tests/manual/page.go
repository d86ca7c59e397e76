// Package manual reads pages of documentation for tests: their blocks of code, the commands and links in
// their text, and the comparison of what a command prints with what a page shows.
package manual

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Block is a fenced block of a page.
type Block struct {
	Lang string // the word after the fence
	Text string
	Line int    // of its first line
	File string // the file that the line above the block names, as in "Save it as `model.vfl`:"; "": none
}

// A Page is one Markdown file.
type Page struct {
	Path   string
	lines  []string
	Blocks []Block
	prose  []string // the lines outside blocks
}

var (
	named  = regexp.MustCompile("`([A-Za-z0-9_/.-]+\\.(?:vfl|csv|toml|json))`[^`]*:$")
	code   = regexp.MustCompile("`([^`]+)`")
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	target = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

const fence = "```"

// Read reads a page.
func Read(file string) (*Page, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &Page{Path: file, lines: strings.Split(string(text), "\n")}
	for i := 0; i < len(p.lines); i++ {
		lang, ok := strings.CutPrefix(p.lines[i], fence)
		if !ok {
			p.prose = append(p.prose, p.lines[i])
			continue
		}
		b := Block{Lang: lang, Line: i + 2, File: p.fileAbove(i)}
		for i++; i < len(p.lines) && p.lines[i] != fence; i++ {
			b.Text += p.lines[i] + "\n"
		}
		p.Blocks = append(p.Blocks, b)
	}
	return p, nil
}

// fileAbove is the file that the last line of text above a line names.
func (p *Page) fileAbove(line int) string {
	for line--; line >= 0 && strings.TrimSpace(p.lines[line]) == ""; line-- {
	}
	if line < 0 {
		return ""
	}
	if m := named.FindStringSubmatch(p.lines[line]); m != nil {
		return m[1]
	}
	return ""
}

// Spans returns the pieces of code in the text, as `this`.
func (p *Page) Spans() []string {
	var out []string
	for _, m := range code.FindAllStringSubmatch(strings.Join(p.prose, "\n"), -1) {
		out = append(out, strings.ReplaceAll(m[1], `\|`, "|"))
	}
	return out
}

// BrokenLinks returns the links of the page to files and headings that are not there. Links to other hosts
// are not followed.
func (p *Page) BrokenLinks() []string {
	var out []string
	for _, m := range link.FindAllStringSubmatch(strings.Join(p.prose, "\n"), -1) {
		file, heading, _ := strings.Cut(m[1], "#")
		switch {
		case strings.Contains(file, "://"):
			continue
		case file == "":
			file = p.Path
		default:
			file = filepath.Join(filepath.Dir(p.Path), filepath.FromSlash(file))
		}
		if !Holds(file + "#" + heading) {
			out = append(out, m[1])
		}
	}
	return out
}

// Holds reports whether a file exists, and has the heading that may stand behind a #.
func Holds(place string) bool {
	file, anchor, _ := strings.Cut(place, "#")
	text, err := os.ReadFile(file)
	if info, statErr := os.Stat(file); statErr == nil && info.IsDir() {
		return anchor == ""
	}
	if err != nil {
		return false
	}
	return anchor == "" || path.Ext(file) == ".md" && slices.Contains(anchors(string(text)), anchor)
}

// anchors are the names under which the headings of a page are linked.
func anchors(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		title := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		out = append(out, strings.ReplaceAll(target.ReplaceAllString(title, ""), " ", "-"))
	}
	return out
}

// Replace returns the text of the page with other texts for some of its blocks, by their lines.
func (p *Page) Replace(texts map[int]string) string {
	var out []string
	for i := 0; i < len(p.lines); i++ {
		out = append(out, p.lines[i])
		if text, ok := texts[i+2]; ok && strings.HasPrefix(p.lines[i], fence) {
			out = append(out, strings.TrimSuffix(text, "\n"))
			for p.lines[i+1] != fence {
				i++
			}
		}
	}
	return strings.Join(out, "\n")
}
