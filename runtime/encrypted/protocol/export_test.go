package protocol

import (
	"errors"
	"io"
)

// ErrKilled is the error of a journal whose process was killed.
var ErrKilled = errors.New("killed")

// Kill has the process of a journal end after some more entries are written: at once, or in one of the three
// parts of the next, from 1.
func (j *Journal) Kill(after, part int) {
	j.disk = &dying{j.file, 3*after + max(0, part-1), part > 0}
}

// Soon has a journal not wait for the disk, as far as that is slow.
func (j *Journal) Soon() { j.Kill(1<<40, 0) }

// Unsure reports whether there are entries that nothing may be sent of.
func (j *Journal) Unsure() bool { return j.unsure }

// A dying disk writes some more parts.
type dying struct {
	io.Writer
	left int
	torn bool
}

func (*dying) Sync() error { return nil }

func (d *dying) Write(p []byte) (int, error) {
	if d.left > 0 {
		d.left--
		return d.Writer.Write(p)
	}
	if d.torn && len(p) > 1 {
		d.Writer.Write(p[:len(p)/2])
	}
	return 0, ErrKilled
}

// Forge alters a party's shares, of the moments or of a score, before it commits to them.
func (o *Releasing) Forge(by func(shares []byte, score bool) []byte) { o.forged = by }

// A Step is an entry as it is written down.
type Step struct {
	Party int
	Name  string
	Bytes []byte
	At    int64 // of the bytes in the file
}

// Steps are all entries of a journal, party by party.
func (j *Journal) Steps() (out []Step, err error) {
	for party, list := range j.entries {
		for _, e := range list {
			data := make([]byte, e.size)
			if _, err := j.file.ReadAt(data, e.at); err != nil {
				return nil, err
			}
			out = append(out, Step{party, e.label, data, e.at})
		}
	}
	return out, nil
}

// Unpack takes bytes apart that were packed.
func Unpack(data []byte) ([][]byte, error) { return unpack(data) }

// Cut leaves the first entries of a journal of one party.
func (j *Journal) Cut(party, entries int) error {
	e := j.entries[party][entries-1]
	return j.file.Truncate(e.at + e.size + linkSize)
}
