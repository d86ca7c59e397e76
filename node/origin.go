package node

// Chains that begin where an earlier run has ended: each party has its part of it.

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

// origin reads from the party's folder which run it is where the chains begin; nil where they begin in none.
func (n *node) origin() (*origin, error) {
	if n.From == "" || n.Task.Kind != Fitting {
		return nil, nil
	}
	if one, err := os.Stat(n.From); err == nil {
		if two, err := os.Stat(n.Dir); err == nil && os.SameFile(one, two) {
			return nil, &fit.UsageError{Err: errors.New("--from and -o name the same folder: the run to " +
				"begin from would be lost")}
		}
	}
	m, err := readMemory(n.From)
	if err != nil {
		return nil, err
	}
	switch {
	case m.Run == "":
		return nil, coded(diag.OtherOrigin,
			"--from %s: it holds no part of a run across processes; name the folder that this party gave "+
				"to vflc serve or vflc join with -o", n.From)
	case m.Party != n.id.Party:
		return nil, coded(diag.OtherOrigin, "--from %s: it is the part of %s, and this party is %s", n.From,
			m.Party, n.id.Party)
	case !m.Complete:
		return nil, coded(diag.OtherOrigin,
			"--from %s: run %s is not complete here, so that its chains may have ended elsewhere at other "+
				"parties; the command that began it goes on with it", n.From, short(m.Run))
	}
	text, err := os.ReadFile(filepath.Join(n.From, posterior.ProgramsDir, split.ManifestFile))
	if err != nil {
		return nil, coded(diag.OtherOrigin, "--from: %v: it is not the folder of a fit", err)
	}
	return &origin{Run: m.Run, Manifest: digest(text)}, nil
}

// beginsAt compares the run where the server has the chains begin with that of this party's folder.
func (p *participant) beginsAt(from *origin) error {
	other := func(format string, args ...any) error {
		return &refusal{CodeSettings, coded(diag.OtherOrigin, format, args...)}
	}
	server := p.id.Project.Server
	switch {
	case from == nil && p.begins == nil:
	case from == nil:
		return other("this party was started with --from %s, and %s begins anew; give --from at "+
			"every party, or at none", p.From, server)
	case p.begins == nil:
		return other("%s begins where run %s has ended (--from), and this party was started without; give "+
			"--from with this party's folder of that run", server, short(from.Run))
	case from.Run != p.begins.Run:
		return other("%s begins where run %s has ended, and --from %s is run %s; name this "+
			"party's folder of the same run", server, short(from.Run), p.From, short(p.begins.Run))
	case from.Manifest != p.begins.Manifest:
		return other("%s and this party have run %s with other manifests: the SHA-256 there is %s…, in %s "+
			"it is %s…; a file of the folder was changed", server, short(from.Run), short(from.Manifest),
			p.From, short(p.begins.Manifest))
	}
	return nil
}
