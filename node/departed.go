package node

import (
	"os"
	"path/filepath"
	"time"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
)

// DepartedFile is the file in the folder with a client's keys that remembers a run in which clients have not
// received the same from the server. While it is there the client takes part in nothing: started again, a
// server that departs would have another round each time. Its owner lets it (Pending.Confirm).
const DepartedFile = "departed.json"

// A departed is what it holds.
type departed struct {
	At     time.Time `json:"at"`
	Server string    `json:"server"`
	Run    string    `json:"run"`
	What   string    `json:"what"`
}

func (d *departed) error() error {
	return coded(diag.UnlikeAnswers,
		"on %s run %s of %s has ended, since clients had not received the same (%s); find the cause first; "+
			"vflc preflight with the arguments of vflc join and --confirm lets this party take part again",
		d.At.Format(time.DateOnly), short(d.Run), d.Server, d.What)
}

// readDeparted reads what a client remembers; nil: nothing.
func readDeparted(dir string) (*departed, error) {
	d := &departed{}
	if there, err := safefile.ReadJSON(filepath.Join(dir, DepartedFile), d); !there || err != nil {
		return nil, err
	}
	return d, nil
}

// mayJoin is the error of a client that remembers a departure.
func (n *node) mayJoin() error {
	if n.id.Party == n.id.Project.Server {
		return nil
	}
	d, err := readDeparted(n.Identity)
	if err != nil || d == nil {
		return err
	}
	return d.error()
}

// departs remembers how the run has ended.
func (n *node) departs(why error) {
	if err := safefile.WriteJSON(filepath.Join(n.Identity, DepartedFile), departed{
		time.Now().UTC().Truncate(time.Second), n.id.Project.Server, n.memory.Run, why.Error()}); err != nil {
		n.note("%s could not be written: %v", DepartedFile, err)
	}
}

// forgive keeps what is remembered under another name.
func forgive(dir string) error {
	d, err := readDeparted(dir)
	if err != nil || d == nil {
		return err
	}
	return os.Rename(filepath.Join(dir, DepartedFile),
		filepath.Join(dir, "departed-"+d.At.Format("20060102T150405")+".json"))
}
