package node

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

// A party with another version of the program ends the run before anything is agreed on: it and the server
// name both versions, the others get its name and a code.
func TestOtherVersionsAreRefused(t *testing.T) {
	for name, other := range map[string]program{"version": {"9.9.9", split.ProtocolVersion},
		"protocol": {ownProgram().version, "9"}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newTrio(t)
				d.programs = map[string]*program{"b": &other}
				all := d.play(nil)
				for party, texts := range map[string][]string{"server": {"b runs " + other.String() +
					", this party " + ownProgram().String()},
					"b": {"server runs " + ownProgram().String() + ", this party " + other.String()}} {
					var list data.Errors
					if err := all[party]; !errors.As(err, &list) || list[0].Code != diag.OtherVersion ||
						!strings.Contains(err.Error(), texts[0]) ||
						!strings.Contains(err.Error(), "install the same version at all parties") {
						t.Errorf("%s: %v", party, err)
					}
				}
				var ended *EndedError
				if !errors.As(all["a"], &ended) || ended.Party != "b" || ended.Code != CodeVersion {
					t.Error("a:", all["a"])
				}
			})
		})
	}
}

// A process that asks and has another program finds so from the answer; one that is older than the server's
// process changes nothing.
func TestVersionsInHellos(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := parties(t, "registry", "a")
		registry, a := newSecrets(all[0]), newSecrets(all[1])
		a.program = program{"0.0.1", "2"}
		asked, err := registry.take("a", a.hello(kindAsk, "registry", nil))
		if err != nil || asked.asking != nil || asked.other != nil || asked.answer == nil {
			t.Fatal(asked, err)
		}
		if told, err := a.take("registry", asked.answer); err != nil || told.other == nil ||
			*told.other != ownProgram() {
			t.Error(told, err)
		}
		time.Sleep(time.Second)
		// anybody may repeat it
		if old, err := registry.take("a", a.hello(kindHello, "registry", nil)); err != nil ||
			old.other != nil {
			t.Error(old, err)
		}
		if fresh, err := registry.take("a", a.hello(kindHello, "registry", registry.public)); err != nil ||
			fresh.other == nil || *fresh.other != a.program || registry.knows("a") {
			t.Error(fresh, err)
		}
	})
}

// A hello of protocol 1, which names no program, is refused by a text that says so; it changes nothing.
func TestHellosOfProtocol1(t *testing.T) {
	all := parties(t, "registry", "a")
	registry, a := newSecrets(all[0]), newSecrets(all[1])
	for _, kind := range []byte{kindHello, kindAsk} {
		rest := append(append([]byte(nil), a.public...), registry.public...)
		rest = append(binary.LittleEndian.AppendUint64(rest, 1), a.id.Cert.Raw...)
		hello := func(of string) []byte {
			signature := ed25519.Sign(a.id.Key, signed(of, string(kind), a.id.Project.Name, "registry",
				string(rest)))
			return slices.Concat([]byte(controlMagic), []byte{kind}, signature, rest)
		}
		if got, err := registry.take("a", hello(forEarlierHello)); !errors.Is(err, errEarlier) ||
			got.from != "a" || got.answer != nil || registry.knows("a") {
			t.Error(got, err)
		}
		if got, err := registry.take("a", hello("another")); !errors.Is(err, errNoControl) {
			t.Error(got, err)
		}
	}
}

// A program is read as it was written; one with other characters, or cut, is none.
func TestProgramInAHello(t *testing.T) {
	for _, p := range []program{ownProgram(), {"", "2"}, {"v1.2.3 (a, b)", "10"}} {
		if got, rest, ok := readProgram(append(p.text(), "rest"...)); !ok || got != p ||
			string(rest) != "rest" {
			t.Error(got, string(rest), ok)
		}
	}
	for _, b := range [][]byte{nil, {0}, {3, '2', ' '}, {1, '2'}, append([]byte{4}, "2 \n1"...),
		append([]byte{4}, "2 \xff1"...)} {
		if p, _, ok := readProgram(b); ok {
			t.Errorf("%q is the program %v", b, p)
		}
	}
}

// The forms of the messages by which parties agree are those of the protocol's number: another form has
// another number, and a line in docs/deployment.md that says what to do.
func TestFormsOfTheProtocol(t *testing.T) {
	var b strings.Builder
	seen := map[reflect.Type]bool{}
	var form func(reflect.Type)
	form = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			form(of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[of] || !strings.HasPrefix(of.PkgPath(), "github.com/vflc/") {
			return
		}
		seen[of] = true
		fmt.Fprintf(&b, "%s\n", of)
		for k := range of.NumField() {
			if f := of.Field(k); f.IsExported() || f.Anonymous {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name == "" {
					name = f.Name
				}
				fmt.Fprintf(&b, "\t%s %s\n", name, f.Type)
			}
		}
		for k := range of.NumField() {
			if f := of.Field(k); f.IsExported() || f.Anonymous {
				form(f.Type)
			}
		}
	}
	for _, one := range []any{beat{}, status{}, announcement{}, held{}, leaving{}, facts{}, agreement{},
		lower.Outline{}, compile.Wiring{}, hindrance{}, start{}, announced{}, call{}, answer{}} {
		form(reflect.TypeOf(one))
	}
	path := filepath.Join("testdata", "protocol-"+split.ProtocolVersion+".txt")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != b.String() {
		t.Errorf("the messages have another form than in %s: a protocol that was published gets a new "+
			"number (compile/split) and a line in docs/deployment.md (-update writes the file)\n%v%s", path,
			err, b.String())
	}
	doc, err := os.ReadFile(filepath.Join("..", "docs", "deployment.md"))
	if err != nil || !slices.ContainsFunc(strings.Split(string(doc), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "| "+split.ProtocolVersion+" |")
	}) {
		t.Errorf("docs/deployment.md has no line on protocol %s: %v", split.ProtocolVersion, err)
	}
}
