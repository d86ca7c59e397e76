package node

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/source"
)

// markedModel has an encoder of a factor at each client.
const markedModel = `client a, b
data y : real[N] @ shared
data XA : real[N, PA] @ a from zscore(age), onehot(ward)
data xb : real[N] @ b
param m ~ normal(0, 5)
param ba : real[PA] ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
y ~ normal(m + XA * ba + xb * bb, 1)
transform exact
`

// marks are what only client a has: names of folders, columns and categories, texts in cells, and an
// identifier that nobody else has.
var marks = []string{"Zanzibar", "Quetzal", "Xylophon", "Yggdrasil", "Walhalla"}

// markedTable is a's table, with an extra column.
const markedTable = "id,age,ward,Quetzal\n0,50,Xylophon,Walhalla\n1,40,s,w\n2,61,Xylophon,w\n3,55,n,w\n4,39,s,w\n5,42,n,w\n6,58,s,w\n7,47,Xylophon,w\n8,52,n,w\n9,45,s,w\n10,66,n,w\n11,33,Xylophon,w\n"

// Nothing that the server receives has a path, a column, a category or a cell of a client, whatever becomes
// of the run: what a client says of its error stays there.
func TestServerHearsNoTextsOfClients(t *testing.T) {
	for name, c := range map[string]struct {
		table  string // of a
		change func(dir string, o *PartyOptions) error
		says   string // a mark in a's own message; "": the run is complete
	}{
		"complete": {table: markedTable},
		"no number": {table: strings.Replace(markedTable, "1,40,", "1,Yggdrasil,", 1),
			says: "Yggdrasil"},
		"no column": {table: strings.Replace(markedTable, "age", "alter", 1), says: "Zanzibar"},
		"no table": {table: markedTable, change: func(dir string, o *PartyOptions) error {
			return os.Remove(strings.TrimPrefix(o.Tables[0], "a="))
		}, says: "Zanzibar"},
		"other rows": {table: strings.Replace(markedTable, "\n4,", "\nYggdrasil,", 1), says: "server"},
		"repeated row": {table: strings.NewReplacer("\n4,", "\nYggdrasil,", "\n5,",
			"\nYggdrasil,").Replace(markedTable), says: "Yggdrasil"},
		"missing cell": {table: strings.Replace(markedTable, "3,55,n", "3,,n", 1), says: "Zanzibar"},
		"one category": {table: strings.NewReplacer(",s,", ",Xylophon,", ",n,",
			",Xylophon,").Replace(markedTable)},
		"starting values": {table: markedTable, change: startWith(`{"Yggdrasil": 3}`), says: "Yggdrasil"},
		"starting text":   {table: markedTable, change: startWith(`{"ba": ["Yggdrasil"]}`), says: "Zanzibar"},
		"policy": {table: markedTable, change: func(dir string, o *PartyOptions) error {
			return safefile.WriteBytes(filepath.Join(o.Identity, "policy.toml"), 0o600,
				[]byte("key = \"Yggdrasil\"\n"))
		}, says: "Yggdrasil"},
		"small cell": {table: markedTable, change: func(dir string, o *PartyOptions) error {
			return safefile.WriteBytes(filepath.Join(o.Identity, "policy.toml"), 0o600,
				[]byte("min_contributors = 2\nmin_cell = 9\n"))
		}, says: "every category"},
		"another key": {table: markedTable, change: func(dir string, o *PartyOptions) error {
			o.Key = "Quetzal"
			return nil
		}, says: "Quetzal"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newTrio(t)
				m, diags := compile.Compile(source.New("m.vfl", markedModel), check.Options{})
				if diags.HasErrors() {
					t.Fatal(diags[0].Message)
				}
				declare(t, m)
				folder := filepath.Join(d.dir, "Zanzibar")
				err := errors.Join(os.MkdirAll(folder, 0o755),
					safefile.WriteBytes(filepath.Join(folder, "a.csv"), 0o644, []byte(c.table)))
				for file, text := range m.Files() {
					path := filepath.Join(d.dir, "programs", file)
					err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755),
						safefile.WriteBytes(path, 0o644, text))
				}
				if err != nil {
					t.Fatal(err)
				}
				var mutex sync.Mutex
				var heard bytes.Buffer
				d.alter = func(party string, o *PartyOptions) {
					switch party {
					case "server":
						o.overhears = func(text []byte) {
							mutex.Lock()
							defer mutex.Unlock()
							heard.Write(text)
							heard.WriteByte('\n')
						}
					case "a":
						o.Tables[0] = "a=" + filepath.Join(folder, "a.csv")
						o.Dir = filepath.Join(d.dir, "Zanzibar", "run")
						if c.change != nil {
							if err := c.change(d.dir, o); err != nil {
								t.Error(err)
							}
						}
					}
				}
				errs := d.play(nil)
				mutex.Lock()
				defer mutex.Unlock()
				told := ""
				for _, line := range d.said["a"] {
					told += line.text + "\n"
				}
				if err := errs["a"]; err != nil {
					told += err.Error()
				}
				if (errs["server"] == nil) != (c.says == "") || !strings.Contains(told, c.says) {
					t.Fatalf("the server ended with %v; a says\n%s", errs["server"], told)
				}
				if c.says != "" && errs["b"] == nil {
					t.Error("b does not know that the run has ended")
				}
				if heard.Len() == 0 || !bytes.Contains(heard.Bytes(), []byte("incarnation")) {
					t.Fatal("nothing was heard")
				}
				for _, mark := range marks {
					if bytes.Contains(bytes.ToLower(heard.Bytes()), bytes.ToLower([]byte(mark))) {
						at := bytes.Index(bytes.ToLower(heard.Bytes()), bytes.ToLower([]byte(mark)))
						t.Errorf("the server has heard %q: …%s", mark,
							heard.Bytes()[max(0, at-100):min(heard.Len(), at+100)])
					}
				}
				if c.says == "" && heard.Len() < 10_000 {
					t.Errorf("%d bytes were heard", heard.Len())
				}
			})
		})
	}
}

// startWith gives a party a file of starting values.
func startWith(text string) func(string, *PartyOptions) error {
	return func(dir string, o *PartyOptions) error {
		file := filepath.Join(dir, "Zanzibar", "Walhalla.json")
		o.Inits = []string{file}
		return safefile.WriteBytes(file, 0o600, []byte(text))
	}
}
