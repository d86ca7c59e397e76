package data

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/lang/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each archive of testdata holds cases: CASE/… files, of which these control the case, all optional:
//
//	parties   names, the server first; a star marks a family ("server" if absent)
//	flags     values of --data, one per line
//	key       the value of --key
//	rows      the value of --rows
//	wants     NAME OWNER ELEM RANK [rows=N] [drop] [levels=R] [size=R] [coding=A,B] [lower=L] [upper=U] [from ITEM…], with ITEM *, column, encoder(column) or encoder(column,key=value)
//	apply     a CSV of new rows for the declarations of the first party
//	got       the result: messages, else the values
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	codes := map[string]bool{}
	for _, path := range archives {
		golden(t, path, codes)
	}
	source, err := os.ReadFile("../lang/diag/codes_data.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range regexp.MustCompile(`= "(V05\d\d)"`).FindAllStringSubmatch(string(source), -1) {
		if !codes[code[1]] {
			t.Errorf("no golden case shows %s", code[1])
		}
	}
}

func golden(t *testing.T, path string, codes map[string]bool) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]*goldenCase{}
	var order []string
	for i, f := range archive.Files {
		name, file, _ := strings.Cut(f.Name, "/")
		c := cases[name]
		if c == nil {
			c = &goldenCase{text: map[string]string{}}
			cases[name], order = c, append(order, name)
		}
		c.text[file] = string(f.Data)
		if file == "got" {
			c.got = &archive.Files[i]
		}
	}
	for _, name := range order {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+name, func(t *testing.T) {
			c := cases[name]
			if c.got == nil {
				t.Fatal("the case has no file got")
			}
			got := c.run(t, codes)
			if *update {
				c.got.Data = []byte(got)
			} else if diff := cmp.Diff(c.text["got"], got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type goldenCase struct {
	text map[string]string
	got  *txtar.File
}

func (c *goldenCase) run(t *testing.T, codes map[string]bool) string {
	t.Chdir(t.TempDir())
	for name, text := range c.text {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, values := c.bind(t)
	var out strings.Builder
	for _, d := range list {
		codes[string(d.Code)] = true
		word := ""
		if d.Severity == diag.Warning {
			word = "warning "
		}
		fmt.Fprintf(&out, "%s%s %s: %s\n", word, d.Code, d.Data, d.Message)
		if strings.Contains(d.Message, "\n") || len(d.Message) > 300 {
			t.Errorf("more than a line: %s", d.Message)
		}
	}
	return out.String() + values
}

// bind runs all steps from flags to values, up to the first that fails.
func (c *goldenCase) bind(t *testing.T) (diag.List, string) {
	var refs []PartyRef
	for _, name := range strings.Fields(c.text["parties"]) {
		plain := strings.TrimSuffix(name, "*")
		refs = append(refs, PartyRef{Name: plain, Family: name != plain})
	}
	if refs == nil {
		refs = []PartyRef{{Name: "server"}}
	}
	sources, err := Locate("m.vfl", refs, strings.Fields(c.text["flags"]))
	if err != nil {
		return diag.List(err.(Errors)), ""
	}
	wants := parseWants(t, c.text["wants"])
	set, list := Load(sources, wants, Joining{Key: strings.TrimSpace(c.text["key"]),
		Intersect: strings.TrimSpace(c.text["rows"]) == "intersect"})
	if set == nil {
		return list, ""
	}
	bound, more := set.Bind(wants)
	list = append(list, more...)
	if list.HasErrors() {
		return list, ""
	}
	if rows, ok := c.text["apply"]; ok {
		return append(list, applied(t, bound[refs[0].Name], rows)...), ""
	}
	return list, describe(set, bound)
}

func applied(t *testing.T, bound Bindings, text string) (list diag.List) {
	rows, problems := ReadCSV("new.csv", []byte(text))
	if rows == nil {
		t.Fatal(Errors(problems))
	}
	for _, b := range bound {
		_, problems := b.Apply(View{Table: rows})
		list = append(list, problems...)
	}
	return list
}

func describe(set *Dataset, bound map[string]Bindings) string {
	var out strings.Builder
	for _, line := range set.Joined() {
		out.WriteString(line + "\n")
	}
	for _, h := range set.Parties {
		b := bound[h.Party]
		for _, name := range sorted(b) {
			v := b[name]
			fmt.Fprintf(&out, "%s: %s %s%v = %v", h.Party, name, v.Elem, v.Dims, v.Values)
			for _, part := range []struct {
				name   string
				values []string
			}{{"columns", v.ColumnNames}, {"labels", v.Labels}, {"held by", v.Holders}} {
				if part.values != nil {
					fmt.Fprintf(&out, ", %s %s", part.name, strings.Join(part.values, " "))
				}
			}
			if v.Levels > 0 {
				fmt.Fprintf(&out, ", %d levels", v.Levels)
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

func parseWants(t *testing.T, text string) []Want {
	var out []Want
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if f := strings.Fields(line); len(f) >= 4 {
			out = append(out, parseWant(t, f))
		}
	}
	return out
}

func parseWant(t *testing.T, f []string) Want {
	w := Want{Name: f[0], Owner: f[1], Elem: elemNamed(f[2]), Rank: integer(t, f[3])}
	if w.Rank > 0 {
		w.Rows.Name = "N"
	}
	if !w.Elem.Numeric() {
		w.Level.Name = "R" + w.Name
	}
	for i, item := range f[4:] {
		key, value, _ := strings.Cut(item, "=")
		switch key {
		case "drop":
			w.Drop = true
		case "levels":
			w.Levels = integer(t, value)
		case "rows":
			w.Rows = parseSize(value)
		case "size":
			w.Level = parseSize(value)
		case "coding":
			w.Coding = strings.Split(value, ",")
			w.Levels = len(w.Coding)
		case "lower":
			w.Lower = parseDecimal(t, value)
		case "upper":
			w.Upper = parseDecimal(t, value)
		case "from":
			for _, item := range f[4+i+1:] {
				w.From = append(w.From, parseColumn(item))
			}
			return w
		default:
			t.Fatalf("cannot read %q", item)
		}
	}
	return w
}

// parseSize reads the name of a size, with a star if every member of a family has its own.
func parseSize(text string) Size {
	name := strings.TrimSuffix(text, "*")
	return Size{Name: name, Own: name != text}
}

func parseColumn(item string) FromItem {
	if item == "*" {
		return FromItem{Star: true}
	}
	encoder, args, ok := strings.Cut(strings.TrimSuffix(item, ")"), "(")
	if !ok {
		return FromItem{Columns: []string{item}}
	}
	c := FromItem{Encoder: encoder}
	for _, arg := range strings.Split(args, ",") {
		name, value, option := strings.Cut(arg, "=")
		switch {
		case option:
			c.Options = append(c.Options, Option{name, value})
		case arg == "*":
			c.Star = true
		case furtherOf(encoder, len(c.Columns), strings.Count(args, ",")+1):
			c.Further = append(c.Further, arg)
		default:
			c.Columns = append(c.Columns, arg)
		}
	}
	return c
}

// furtherOf reports whether an argument of an encoder follows its columns.
func furtherOf(encoder string, columns, arguments int) bool {
	e, ok := encoderNamed(encoder)
	return ok && columns >= e.Room(arguments)
}

func integer(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func parseDecimal(t *testing.T, s string) *float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return &v
}
