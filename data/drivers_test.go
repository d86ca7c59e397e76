package data

import (
	"testing"

	"golang.org/x/tools/txtar"
)

// A program without drivers says so with a code, and what else there is.
func TestNoDriver(t *testing.T) {
	want, err := txtar.ParseFile("testdata/build/nodriver.txtar")
	if err != nil {
		t.Fatal(err)
	}
	d, err := databaseOf("sqlite:trial.db")
	if err != nil {
		t.Fatal(err)
	}
	d.driver = "absent"
	_, list := d.Read()
	if len(list) != 1 {
		t.Fatalf("without a driver: %v", Errors(list))
	}
	if got := string(list[0].Code) + " " + Errors(list).Error() + "\n"; got != string(want.Files[0].Data) {
		t.Errorf("without a driver:\n%swant\n%s", got, want.Files[0].Data)
	}
}
