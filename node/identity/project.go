package identity

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
)

// A Project is what all parties know of one another before a run.
type Project struct {
	Name    string   `toml:"name" comment:"letters, digits and _"`
	Server  string   `toml:"server" comment:"the party that coordinates runs: the server of the models"`
	Address string   `toml:"address" comment:"where it listens, as clients reach it: HOST:PORT"`
	Parties []string `toml:"parties" comment:"all parties, the server included; members of a family as lab[1], lab[2], …"`
}

// Names are compared when the first one is: most commands have none.
var (
	projectName = compiled(`^[A-Za-z][A-Za-z0-9_]{0,62}$`)
	partyName   = compiled(`^[A-Za-z][A-Za-z0-9_]{0,62}(\[[1-9][0-9]{0,5}\])?$`)
)

func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Check returns an error that says what is wrong with a project.
func (p *Project) Check() error {
	switch {
	case !projectName().MatchString(p.Name):
		return data.Coded(diag.BadProject, "the project's name %q: use letters, digits and _", p.Name)
	case !slices.Contains(p.Parties, p.Server):
		return data.Coded(diag.BadProject, "the server %q is not among the parties", p.Server)
	}
	if _, _, err := net.SplitHostPort(p.Address); err != nil {
		return data.Coded(diag.BadProject, "the address %q: write HOST:PORT", p.Address)
	}
	seen := map[string]bool{}
	for _, name := range p.Parties {
		if !partyName().MatchString(name) || seen[name] {
			return data.Coded(diag.BadProject, "the party %q has no valid name, or there are two of it", name)
		}
		seen[name] = true
	}
	return nil
}

// ReadProject reads a project file.
func ReadProject(path string) (*Project, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Project{}
	dec := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) {
			err = errors.New(strict.String())
		}
		return nil, data.Coded(diag.BadProject, "%s: %v", path, err)
	}
	if err := p.Check(); err != nil {
		return nil, data.Coded(diag.BadProject, "%s: %v", path, err)
	}
	return p, nil
}

func (p *Project) write(dir string) error {
	if err := p.Check(); err != nil {
		return err
	}
	text, err := toml.Marshal(p)
	if err != nil {
		return err
	}
	return safefile.WriteBytes(filepath.Join(dir, ProjectFile), public, text)
}
