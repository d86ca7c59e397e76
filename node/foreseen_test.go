package node

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
)

const foreseenModel = `client a, b
data y : binary[N]
data x : real[N] @ a
data Z : real[N, Q] @ b
param c ~ normal(0, 5)
param u ~ normal(0, 1) @ a
param v : real[Q] ~ normal(0, 1) @ b
y ~ bernoulli_logit(c + x * u + Z * v)
transform exact
`

// foreseenStage has the folders of three parties, a of them with a policy that is wide enough and b with one
// that is not, and programs of foreseenModel for a run with encrypted rows.
func foreseenStage(t *testing.T) (dir string, m *compile.Model) {
	dir, of := t.TempDir(), map[string]string{"server": "id,y\n", "a": "id,x\n", "b": "id,z1,z2\n"}
	provisioned(t, dir, "127.0.0.1:0", "server", "a", "b")
	for i := range 3000 {
		of["server"] += fmt.Sprintf("%d,%d\n", i, (i*i+i/3)%2)
		of["a"] += fmt.Sprintf("%d,%d\n", i, i%5)
		of["b"] += fmt.Sprintf("%d,%d,%d\n", i, i%3, i%7)
	}
	files := map[string]string{"a/policy.toml": "policy = \"open\"\nmax_decrypted = 500\n",
		"b/policy.toml": "policy = \"open\"\nmax_decrypted = 80\n"}
	for party, table := range of {
		files[party+".csv"] = table
	}
	m, diags := compile.Compile(source.New("m.vfl", foreseenModel), check.Options{Encrypted: true})
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	algorithm, _ := fit.Encrypting()
	if err := fit.Declare(m, algorithm, backends.EncryptedRows()); err != nil {
		t.Fatal(err)
	}
	for name, text := range m.Files() {
		files[filepath.Join("programs", name)] = string(text)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir, m
}

// A preflight holds what a run with encrypted rows is foreseen to decrypt to the party's policy, or where
// there is none to a 20th of the rows, and counts its bytes. A party that does not know the columns of
// another says so.
func TestPreflightForeseesDecryptions(t *testing.T) {
	t.Parallel()
	dir, m := foreseenStage(t)
	algorithm, _ := fit.Encrypting()
	uses, err := fit.Exchanges(m.Manifest, algorithm, backends.EncryptedRows())
	if err != nil {
		t.Fatal(err)
	}
	opens := protocol.LikelihoodNumbers{Response: true, Binary: true}.Opens(uses)
	often := uses[slices.IndexFunc(uses, func(u density.Use) bool {
		return u.Openings[0].Sums == density.OwnGradients
	})]
	var got strings.Builder
	for k, party := range []string{"server", "a", "b"} {
		p := &preflight{PartyOptions: PartyOptions{Identity: filepath.Join(dir, party),
			Programs: filepath.Join(dir, "programs"), Tables: []string{filepath.Join(dir, party+".csv")}}}
		if !p.certificate() || !p.programs() || !p.table() {
			t.Fatalf("%s: %+v", party, p.checks)
		}
		p.ciphertexts(uses)
		known := []int{1, 1, 1} // columns; b alone knows that it has two
		if party == "b" {
			known[2] = 2
		}
		usual, most := fit.Foreseen(opens, known, k)
		b, err := fit.CiphertextBytes(3, known[k], 3000)
		if err != nil {
			t.Fatal(err)
		}
		shown := strings.NewReplacer("about "+grouped.Digits(usual)+" more", "about USUAL more",
			"at most "+grouped.Digits(most), "at most MOST",
			fmt.Sprintf("usually %d and at most %d: usually %s in all", often.Times, often.MostTimes,
				posterior.Bytes(int64(b.Keys+b.Columns+often.Times*b.Evaluation))), "usually TIMES")
		for _, c := range p.checks {
			if slices.Contains([]string{"decryptions", "policy: max_decrypted", "forecast"}, c.Name) {
				fmt.Fprintf(&got, "%s: %s: %s%s\n", party, c.Name, shown.Replace(c.Found),
					shown.Replace(c.Problem))
			}
		}
	}
	path := filepath.Join("testdata", "preflight-encrypted.txt")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got.String() {
		t.Errorf("%v, want the text of %s (-update writes it):\n%s", err, path, got.String())
	}
}
