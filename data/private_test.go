package data_test

import (
	"os"
	"strings"
	"testing"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/types"
)

// Where two parties' tables do not fit, the messages count: they hold no key of either that the other lacks,
// and no category or value of the party in whose table the place is not.
func TestMessagesKeepValuesOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		server, client string
		secrets        []string
		want           string
	}{
		"keys": {"id,y\nanna,1\nbert,2\n", "id,x\nanna,1\ncarl,2\n", []string{"bert", "carl"},
			"1 row only in"},
		"values": {"id,y\na,77\nb,2\n", "id,y\na,88\nb,2\n", []string{"77", "88"}, "in 1 of 2 values"},
		"categories": {"id,g\na,cold\nb,measles\n", "id,g\na,cold\nb,flu\n", []string{"measles"},
			"in 1 of 2 values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir()) // a path relative to it holds none of the values
			var sources data.Sources
			for i, text := range []string{c.server, c.client} {
				path := []string{"one.csv", "two.csv"}[i]
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				sources = append(sources,
					data.Source{PartyRef: data.PartyRef{Name: []string{"server", "a"}[i]},
						Files: []string{path}})
			}
			rows := data.Size{Name: "N"}
			wants := []data.Want{{Name: "y", Owner: data.OwnerShared, Elem: types.Real, Rank: 1, Rows: rows}}
			switch {
			case strings.HasPrefix(c.server, "id,g"):
				wants = []data.Want{{Name: "g", Owner: data.OwnerShared, Elem: types.Level, Rank: 1,
					Rows: rows, Level: data.Size{Name: "R"}}}
			case strings.HasPrefix(c.client, "id,x"):
				wants = append(wants, data.Want{Name: "x", Owner: "a", Elem: types.Real, Rank: 1, Rows: rows})
			}
			set, list := data.Load(sources, wants, data.Joining{Key: "id"})
			if !list.HasErrors() {
				_, list = set.Bind(wants)
			}
			if !list.HasErrors() {
				t.Fatal("the tables fit")
			}
			for _, d := range list {
				if !strings.Contains(d.Message, c.want) {
					t.Errorf("no %q in %s", c.want, d.Message)
				}
				for _, secret := range c.secrets {
					if strings.Contains(d.Message, secret) {
						t.Errorf("%s shows %s", d.Message, secret)
					}
				}
			}
		})
	}
}
