package ledger

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
)

// publicationEnd ends the name of a publication.
const publicationEnd = ".json"

// schema is the version of the layout of a publication.
const schema = 1

// A Publication is what a party publishes of a run.
type Publication struct {
	Schema    int                    `json:"schema"`
	Run       string                 `json:"run"`
	Party     string                 `json:"party"`
	At        time.Time              `json:"at"`
	Model     string                 `json:"model"`
	Backend   string                 `json:"backend"`
	Transform string                 `json:"transform"`
	What      policy.Release         `json:"what"` // summaries or draws
	Rows      []posterior.SummaryRow `json:"parameters,omitempty"`
	// Of draws:
	Variables []posterior.Variable `json:"variables,omitempty"`
	Labels    []string             `json:"labels,omitempty"` // by column, where they may be published
	// by chain and column: little-endian float64 in base64
	Draws  [][]string `json:"draws,omitempty"`
	Chains bool       `json:"chains,omitempty"` // of a Markov chain

	sum string // SHA-256 of the file
}

// A signed file holds a publication and the party's signature of its text.
type signed struct {
	Published   json.RawMessage `json:"published"`
	Certificate []byte          `json:"certificate"`
	Signature   []byte          `json:"signature"`
}

// signedText is what the signature covers.
func signedText(published []byte) []byte {
	return append([]byte("vflc publication v1\n"), published...)
}

// PublishOptions are what vflc publish is given.
type PublishOptions struct {
	Dir      string // of the run
	Identity string
	What     policy.Release
	Names    []string // parameters, as vflc summary takes them; none: all that are of nobody in particular
	Out      string   // "": in the folder of the run
}

// sessionFile is what is read of a run's session here.
type sessionFile struct {
	Run      string `json:"run"`
	Party    string `json:"party"`
	Complete bool   `json:"complete"`
}

func fail(code diag.Code, at, format string, args ...any) error {
	var diags diag.List
	diags.Errorf(code, nil, source.Span{}, format, args...).Data = at
	return data.Errors(diags)
}

// sessionOf reads the number of the run in a folder; "" where it is none across processes.
func sessionOf(dir string) (s sessionFile, err error) {
	text, err := os.ReadFile(filepath.Join(dir, posterior.SessionDir, posterior.SessionFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// Publish writes what the policy permits of a party's own results, and the line of its ledger that says so.
// It returns the publication and its file. The error is data.Errors where the policy, or the run, does not
// allow it.
func Publish(o PublishOptions) (*Publication, string, error) {
	id, err := identity.Load(o.Identity)
	if err != nil {
		return nil, "", err
	}
	s, err := sessionOf(o.Dir)
	switch {
	case err != nil:
		return nil, "", err
	case s.Run == "":
		return nil, "",
			fail(diag.Unpublishable, o.Dir,
				"the folder is not that of a party's run across machines (vflc serve, vflc join), whose "+
					"results have an owner each")
	case s.Party != id.Party:
		return nil, "",
			fail(diag.Unpublishable, o.Dir,
				"the run is that of %s, and %s holds the keys of %s: a party publishes its own results",
				s.Party, o.Identity, id.Party)
	case !s.Complete:
		return nil, "",
			fail(diag.Unpublishable, o.Dir,
				"the run is not complete: not all parties have saved their results")
	}
	p, diags, err := policy.Read(filepath.Join(o.Identity, policy.FileName))
	if err == nil && !diags.HasErrors() {
		diags = p.Publishes(filepath.Join(o.Identity, policy.FileName), o.What)
	}
	if err != nil {
		return nil, "", err
	}
	if diags.HasErrors() {
		return nil, "", data.Errors(diags)
	}
	lock, err := safefile.TakeLock(filepath.Join(o.Dir, posterior.SessionDir))
	if err != nil {
		return nil, "", err
	}
	defer lock.Release()
	r, err := posterior.OpenRun(o.Dir)
	if err != nil {
		return nil, "", err
	}
	d, err := chosen(r, o)
	if err != nil {
		return nil, "", err
	}
	pub := &Publication{
		Schema: schema, Run: s.Run, Party: id.Party, At: time.Now().UTC().Truncate(time.Second),
		Model: r.Document.Model, Backend: r.Document.Backend, Transform: r.Document.Transform, What: o.What,
	}
	pub.fill(d, p.ReleaseNames)
	path := o.Out
	if path == "" {
		path = filepath.Join(o.Dir, posterior.PublishedDir, FileOf(id.Party)+publicationEnd)
	}
	return pub, path, pub.write(o.Dir, path, id)
}

// chosen are the party's draws that are published. Quantities that may belong to single rows are, where they
// are named.
func chosen(r *posterior.Run, o PublishOptions) (*posterior.Draws, error) {
	rows := map[int]bool{}
	for _, j := range r.Record.Joins {
		rows[j.Rows] = true
	}
	names := o.Names
	if len(names) == 0 {
		for _, v := range r.Draws.Vars {
			byRow := strings.HasSuffix(v.Name, ".missing") || slices.ContainsFunc(v.Dims, func(n int) bool {
				return rows[n]
			})
			if !v.Generated && !v.Auxiliary && !byRow {
				names = append(names, v.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, fail(diag.Unpublishable, o.Dir,
			"the party has no parameters here; name generated quantities that may be published")
	}
	columns, err := r.Draws.Choose(names)
	if err != nil {
		return nil, err
	}
	for _, k := range columns {
		if k >= r.Draws.Parameters() {
			return nil, fail(diag.Unpublishable, o.Dir,
				"%s is an auxiliary variable: it belongs to a row, and is not published",
				r.Draws.Columns()[k].Name)
		}
	}
	return r.Draws.Select(columns), nil
}

// fill puts summaries or draws into a publication, without the names that come from the party's data unless
// they may be published.
func (p *Publication) fill(d *posterior.Draws, names bool) {
	if p.What == policy.Summaries {
		p.Rows = posterior.Summarise(d)
		for k := range p.Rows {
			if !names {
				p.Rows[k].Label = ""
			}
		}
		return
	}
	p.Variables = posterior.Variables(d.Columns())
	if len(posterior.Columns(p.Variables)) != len(d.Columns()) { // some elements only
		p.Variables = d.Vars
	}
	for _, c := range d.Columns() {
		if names {
			p.Labels = append(p.Labels, c.Label)
		}
	}
	p.Chains = !d.Independent()
	for c := range d.Chains() {
		var columns []string
		for k := range d.Columns() {
			var b []byte
			for _, v := range d.Column(k)[c] {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
			columns = append(columns, base64.StdEncoding.EncodeToString(b))
		}
		p.Draws = append(p.Draws, columns)
	}
}

// write signs the publication, notes it in the ledger, and writes the file.
func (p *Publication) write(dir, path string, id *identity.Identity) error {
	if !p.formed() || !p.ownedBy(id.Party) {
		return fail(diag.Unpublishable, dir,
			"what would be published is not the party's alone, or has not its form")
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	file, err := json.Marshal(signed{text, id.Cert.Raw, ed25519.Sign(id.Key, signedText(text))})
	if err != nil {
		return err
	}
	file = append(file, '\n')
	p.sum = digest(file)
	book, err := Open(dir, id.Party, id.Key, id.Cert.Raw)
	if err != nil {
		return err
	}
	defer book.Close()
	if err := book.Publish(Published{What: string(p.What), Parameters: p.names(), Bytes: len(file),
		SHA256: p.sum}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return safefile.WriteBytes(path, 0o600, file)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// names lists what is published.
func (p *Publication) names() (out []string) {
	for _, r := range p.Rows {
		out = append(out, r.Name)
	}
	for _, v := range p.Variables {
		out = append(out, v.Name)
	}
	return out
}

// Parameters is the number of scalars that are published.
func (p *Publication) Parameters() int { return len(p.Rows) + len(posterior.Columns(p.Variables)) }

// ReadPublications reads and checks the publications of other parties beside a party's part of a run, in the
// order of their names. The error is data.Errors where one is not what its party has signed for this run.
func ReadPublications(dir string) (out []*Publication, err error) {
	// the pattern is well formed
	paths, _ := filepath.Glob(filepath.Join(dir, posterior.PublishedDir, "*"+publicationEnd))
	if len(paths) == 0 {
		return nil, nil
	}
	s, err := sessionOf(dir)
	if err != nil {
		return nil, err
	}
	root, err := identity.ReadAuthority(filepath.Join(dir, posterior.SessionDir))
	if err != nil {
		return nil, fmt.Errorf("%w; the folder of a run across machines has it", err)
	}
	seen := map[string]string{}
	for _, path := range paths {
		p, err := readOne(path, root)
		if err != nil {
			return nil, err
		}
		switch {
		case p.Run != s.Run:
			return nil, fail(diag.BadPublication, path,
				"%s has published this of run %.12s, and the folder is of run %.12s", p.Party, p.Run, s.Run)
		case seen[p.Party] != "":
			return nil, fail(diag.BadPublication, path, "%s has published %s too; keep the newer", p.Party,
				seen[p.Party])
		}
		seen[p.Party] = path
		if p.Party != s.Party {
			out = append(out, p)
		}
	}
	return out, nil
}

func readOne(path string, root *identity.Authority) (*Publication, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s signed
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fail(diag.BadPublication, path, "the file is no publication: vflc publish writes them")
	}
	party := root.Signed(s.Certificate, signedText(s.Published), s.Signature)
	p := &Publication{sum: digest(text)}
	switch {
	case party == "":
		return nil, fail(diag.BadPublication, path,
			"no party of the project has signed this: it was changed, or is of another project")
	case json.Unmarshal(s.Published, p) != nil || !p.formed():
		return nil, fail(diag.BadPublication, path, "%s has published this with another version of vflc",
			party)
	case p.Party != party || !p.ownedBy(party):
		return nil, fail(diag.BadPublication, path, "%s has signed results of another party", party)
	}
	return p, nil
}

// formed reports whether a publication has the form of this version: of draws a text for each chain and
// column.
func (p *Publication) formed() bool {
	columns := len(posterior.Columns(p.Variables))
	return p.Schema == schema && !slices.ContainsFunc(p.Draws, func(chain []string) bool {
		return len(chain) != columns
	})
}

// ownedBy reports whether all results are a party's own, or shared.
func (p *Publication) ownedBy(party string) bool {
	for _, r := range p.Rows {
		if r.Owner != party && r.Owner != data.OwnerShared {
			return false
		}
	}
	for _, v := range p.Variables {
		if v.Owner != party && v.Owner != data.OwnerShared {
			return false
		}
	}
	return true
}

// OpenRun is posterior.OpenRun with the draws that other parties have published beside the run, and rows for
// those of which summaries were. Draws of all parties belong together: draw i of chain c is one point of the
// joint posterior.
func OpenRun(path string) (*posterior.Run, []posterior.SummaryRow, error) {
	r, err := posterior.OpenRun(path)
	if err != nil || r.Record == nil {
		return r, nil, err
	}
	list, err := ReadPublications(path)
	if err != nil {
		return nil, nil, err
	}
	var rows []posterior.SummaryRow
	for _, p := range list {
		if p.What == policy.Summaries {
			rows = append(rows, p.Rows...)
			continue
		}
		d, err := p.decoded(r.Draws)
		if err != nil {
			return nil, nil,
				fail(diag.BadPublication,
					filepath.Join(path, posterior.PublishedDir, FileOf(p.Party)+publicationEnd),
					"the draws of %s do not go with those of this run: %v", p.Party, err)
		}
		if r.Draws, err = r.Draws.With(d); err != nil {
			return nil, nil,
				fail(diag.BadPublication,
					filepath.Join(path, posterior.PublishedDir, FileOf(p.Party)+publicationEnd), "%v", err)
		}
	}
	for _, row := range rows {
		if slices.ContainsFunc(r.Draws.Columns(), func(c posterior.Scalar) bool {
			return c.Name == row.Name
		}) {
			return nil, nil, fail(diag.BadPublication, filepath.Join(path, posterior.PublishedDir),
				"%s of %s is in this run already", row.Name, row.Owner)
		}
	}
	return r, rows, nil
}

// Summarise summarises draws, with rows of other parties: those of the names given, as posterior.Draws.Choose
// takes them. The error gives a name that is not found.
func Summarise(d *posterior.Draws, published []posterior.SummaryRow, names []string) ([]posterior.SummaryRow,
	error) {
	var vars []posterior.Variable
	for _, r := range published {
		vars = append(vars, posterior.Variable{Name: r.Name, Owner: r.Owner})
	}
	empty := posterior.NewDraws(vars, d.Chains(), 0)
	for k, r := range published {
		empty.Columns()[k].Label = r.Label
	}
	with, err := d.With(empty)
	if err != nil {
		return nil, err
	}
	columns, err := with.Choose(names)
	if err != nil {
		return nil, err
	}
	var own, others []int
	first := d.Parameters()
	for _, k := range columns {
		switch {
		case k < first:
			own = append(own, k)
		case k < first+len(published):
			others = append(others, k-first)
		default:
			own = append(own, k-len(published))
		}
	}
	rows := posterior.Summarise(d.Select(own))
	for _, k := range others {
		rows = append(rows, published[k])
	}
	return rows, nil
}

// decoded are the published draws, which must have the chains of the run's own.
func (p *Publication) decoded(own *posterior.Draws) (*posterior.Draws, error) {
	if len(p.Draws) != own.Chains() || p.Chains == own.Independent() {
		return nil, errors.New("they have other chains")
	}
	d := posterior.NewDraws(p.Variables, len(p.Draws), own.Len(0))
	if len(p.Labels) == len(d.Columns()) {
		for k, label := range p.Labels {
			d.Columns()[k].Label = label
		}
	}
	for c, columns := range p.Draws {
		if len(columns) != len(d.Columns()) {
			return nil, errors.New("a chain has another number of columns")
		}
		values := make([][]float64, len(columns))
		for k, text := range columns {
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil || len(b) != 8*own.Len(c) {
				return nil, errors.New("a column has another number of draws")
			}
			for ; len(b) > 0; b = b[8:] {
				values[k] = append(values[k], math.Float64frombits(binary.LittleEndian.Uint64(b)))
			}
		}
		row := make([]float64, len(columns))
		for i := range own.Len(c) {
			for k := range values {
				row[k] = values[k][i]
			}
			d.Append(c, row)
		}
	}
	return d, nil
}
