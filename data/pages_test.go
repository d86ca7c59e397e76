package data

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/lang/diag"
)

// The wrong example of a page has only its diagnostic, the right one has none.
func TestPagesTellTheTruth(t *testing.T) {
	for _, page := range diag.Pages {
		if page.Code < diag.Unreadable || page.Code > "V0540" {
			continue
		}
		t.Run(string(page.Code), func(t *testing.T) {
			wrong := tryPage(t, page.Wrong)
			if len(wrong) != 1 || wrong[0].Code != page.Code {
				t.Errorf("the wrong example: %v", Errors(wrong))
			}
			if right := tryPage(t, page.Right); len(right) > 0 {
				t.Errorf("the right example: %v", Errors(right))
			}
		})
	}
}

// tryPage writes the files, and binds the declarations of m.vfl with the command line above them.
func tryPage(t *testing.T, text string) diag.List {
	archive := txtar.Parse([]byte(text))
	t.Chdir(t.TempDir())
	c := goldenCase{text: map[string]string{}}
	for _, f := range archive.Files {
		c.text[f.Name] = string(f.Data)
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := strings.Fields(string(archive.Comment))
	if i := slices.Index(command, "--data"); i > 0 {
		c.text["flags"] = command[i+1]
	}
	if i := slices.Index(command, "--key"); i > 0 {
		c.text["key"] = command[i+1]
	}
	if rows, ok := c.text["new.csv"]; ok {
		c.text["apply"] = rows
	}
	coding := ""
	for _, line := range strings.Split(strings.TrimSpace(c.text["m.vfl"]), "\n") {
		if client, ok := strings.CutPrefix(line, "client "); ok {
			c.text["parties"] = "server " + client
		} else if list, ok := strings.CutPrefix(line, "levels R = "); ok {
			coding = " coding=" + strings.NewReplacer(`"`, "", ", ", ",").Replace(list)
		} else {
			line = regexp.MustCompile(`level\((\w+)\)`).ReplaceAllString(line, "level<size=$1"+coding+">")
			c.text["wants"] += wantLine(t, line) + "\n"
		}
	}
	list, _ := c.bind(t)
	return list
}

var declaration = regexp.MustCompile(
	`^data (\w+) : (\w+)(?:<(.*)>)?(\[.*\])?(?: @ (\w+))?(?: from (.*?))?( missing drop)?$`,
)

// wantLine writes a declaration as parseWants reads it.
func wantLine(t *testing.T, line string) string {
	m := declaration.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("cannot read %q", line)
	}
	owner := "server"
	if m[5] != "" {
		owner = m[5]
	}
	rank := "0"
	if m[4] != "" {
		rank = string(rune('1' + strings.Count(m[4], ",")))
	}
	out := strings.Join([]string{m[1], owner, m[2], rank, m[3]}, " ") + strings.Replace(m[7], "missing ", "",
		1)
	if m[6] != "" {
		out += " from " + regexp.MustCompile(`, (\d|drop)`).ReplaceAllString(m[6], ",$1")
		out = strings.ReplaceAll(out, ", ", " ")
	}
	return out
}
