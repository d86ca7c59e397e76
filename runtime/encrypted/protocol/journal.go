package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A Journal is a file of a party's own in which everything stands that it makes with randomness, before it is
// sent: secrets, shares, encryptions; and what the keys are for, and digests of all else that it tells. A run
// that was stopped is made again from its beginning, with what is written there, and goes on where it ends:
// what was sent once is sent again as it was, since two shares of one sum, or two encryptions where one was
// meant, tell of the key or of rows. An entry has the digest of all that its bytes follow from; where that
// differs the run ends. Parties of one process have one file, of which each uses its own entries. It holds
// secrets, and goes when the run is complete.
//
// A nil Journal keeps nothing: the run cannot be resumed.
type Journal struct {
	path    string
	file    *os.File
	disk    disk // file
	size    int64
	link    [sha256.Size]byte
	entries map[int][]entry // by party
	used    map[int]int     // of them, by party
	unsure  bool            // there are entries of which the disk may have nothing yet
	err     error           // of the first that could not be written: nothing is sent after it
}

// A disk is where entries are written.
type disk interface {
	io.Writer
	Sync() error
}

// An entry is where the bytes of a step of a party are.
type entry struct {
	label    string
	inputs   [sha256.Size]byte
	at, size int64
	number   int // in the file, from 1
}

// A journal begins with heading. An entry is a head of headSize bytes (party, length, inputs, label), the
// first linkSize bytes of its hash, the bytes, and theirs: each hash is of the one before and of what follows
// it. A file that ends within an entry has lost one that was not sent.
const (
	heading   = "vflc encrypted journal 2\n"
	labelSize = 20
	headSize  = 4 + 8 + sha256.Size + labelSize
	linkSize  = 16
	prefix    = headSize + linkSize
)

// A JournalError is the end of a run that would make anew what it may have sent.
type JournalError struct {
	Path  string
	Entry int // from 1
	What  string
}

func (e *JournalError) Error() string {
	return fmt.Sprintf("%s: entry %d %s. What was sent with these keys is not made anew: "+
		"run the model again with --overwrite, which makes others", e.Path, e.Entry, e.What)
}

// A FormError is a journal that another version of vflc has begun, which is left as it is.
type FormError struct{ Path string }

func (e *FormError) Error() string {
	return e.Path + ": another version of vflc has begun this journal, and it is as it was: " +
		"resume the run with that version, or run the model again with --overwrite"
}

// OpenJournal opens the journal at a path, or begins one. The error is a *JournalError where it was damaged,
// and a *FormError where it is of another version.
func OpenJournal(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{path: path, file: f, disk: f, entries: map[int][]entry{}, used: map[int]int{}}
	if err = j.scan(); err == nil {
		err = f.Truncate(j.size)
	}
	if err == nil {
		_, err = f.Seek(j.size, io.SeekStart)
	}
	j.unsure = true // a process that was killed may not have waited for the disk
	if err == nil && j.size == 0 {
		err = j.begin()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

// begin writes the heading, and has the disk know the file by its name.
func (j *Journal) begin() error {
	if _, err := io.WriteString(j.file, heading); err != nil {
		return err
	}
	j.size = int64(len(heading))
	folder, err := os.Open(filepath.Dir(j.path))
	if err != nil {
		return err
	}
	defer folder.Close()
	if runtime.GOOS != "windows" { // where a folder cannot be synced
		if err := folder.Sync(); err != nil {
			return err
		}
	}
	return j.file.Sync()
}

// scan finds the entries of a file, of which the last may not be whole.
func (j *Journal) scan() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	text := make([]byte, len(heading))
	n, err := io.ReadFull(j.file, text)
	switch form := len(heading) - len("2\n"); {
	case n == len(heading) && string(text[:form]) == heading[:form] && string(text[form:]) != heading[form:]:
		return &FormError{j.path}
	case err != nil && !torn(err) || string(text[:n]) != heading[:n]:
		return errors.Join(&JournalError{j.path, 1, "is not to be found: the file is no journal"}, err)
	case n < len(heading):
		return nil
	}
	j.size = int64(len(heading))
	for number := 1; ; number++ {
		party, e, err := j.next(info.Size())
		switch {
		case torn(err):
			return nil
		case errors.Is(err, errDamaged):
			return &JournalError{j.path, number, "is damaged"}
		case err != nil:
			return err
		}
		e.number = number
		j.entries[party] = append(j.entries[party], e)
	}
}

var errDamaged = errors.New("damaged")

// torn reports whether an error is that of a file that ends too early.
func torn(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// next reads the entry after those that were read, of a file of a size.
func (j *Journal) next(size int64) (party int, e entry, err error) {
	head := make([]byte, prefix)
	if _, err = io.ReadFull(j.file, head); err != nil {
		return 0, e, err
	}
	link := linked(j.link, head[:headSize])
	if !bytes.Equal(link[:linkSize], head[headSize:]) {
		return 0, e, errDamaged
	}
	party, e.size = int(binary.LittleEndian.Uint32(head)), int64(binary.LittleEndian.Uint64(head[4:]))
	e.label = string(bytes.TrimRight(head[4+8+sha256.Size:headSize], "\x00"))
	copy(e.inputs[:], head[4+8:])
	e.at = j.size + prefix
	end := e.at + e.size + linkSize
	if end > size {
		return 0, e, io.ErrUnexpectedEOF
	}
	sum := sha256.New()
	sum.Write(link[:])
	if _, err = io.CopyN(sum, j.file, e.size); err != nil {
		return 0, e, err
	}
	if _, err = io.ReadFull(j.file, head[:linkSize]); err != nil {
		return 0, e, err
	}
	if sum.Sum(link[:0]); !bytes.Equal(link[:linkSize], head[:linkSize]) {
		return 0, e, errDamaged
	}
	j.size, j.link = end, link
	return party, e, nil
}

// linked is the hash of bytes, and of that before them.
func linked(before [sha256.Size]byte, data []byte) (out [sha256.Size]byte) {
	sum := sha256.New()
	sum.Write(before[:])
	sum.Write(data)
	sum.Sum(out[:0])
	return out
}

// Entries is how many steps are written down.
func (j *Journal) Entries() (n int) {
	for _, list := range j.entries {
		n += len(list)
	}
	return n
}

// Size is how many bytes it has.
func (j *Journal) Size() int64 { return j.size }

// Digest is that of all entries, in hexadecimal: whoever has a copy of the file can tell whether it is of
// this run.
func (j *Journal) Digest() string { return hex.EncodeToString(j.link[:]) }

// Close closes the file, which stays.
func (j *Journal) Close() error { return j.file.Close() }

// steps is how many steps a party has made.
func (j *Journal) steps(party int) int {
	if j == nil {
		return 0
	}
	return j.used[party]
}

// has reports whether a party's next step is written down.
func (j *Journal) has(party int) bool { return j != nil && j.used[party] < len(j.entries[party]) }

// once returns the bytes of a party's next step, which are made if they are not written down. They may be
// sent once they are sure.
func (j *Journal) once(
	party int, label string, inputs [sha256.Size]byte, anew func() ([]byte, error),
) ([]byte, error) {
	if j == nil {
		return anew()
	}
	if j.err != nil {
		return nil, j.err
	}
	n := j.used[party]
	if n < len(j.entries[party]) {
		j.used[party]++
		return j.again(&j.entries[party][n], label, inputs)
	}
	data, err := anew()
	if err != nil {
		return nil, err
	}
	if j.err = j.add(party, label, inputs, data); j.err != nil {
		return nil, j.err
	}
	j.used[party]++
	return data, nil
}

// again reads an entry that a run before has made for the same step.
func (j *Journal) again(e *entry, label string, inputs [sha256.Size]byte) ([]byte, error) {
	switch {
	case e.label != label:
		what := fmt.Sprintf("is of the step %q, and the run is at %q", e.label, label)
		return nil, &JournalError{j.path, e.number, what}
	case e.inputs != inputs:
		what := fmt.Sprintf("of the step %q is of other data or of another program", label)
		return nil, &JournalError{j.path, e.number, what}
	}
	data := make([]byte, e.size)
	_, err := j.file.ReadAt(data, e.at)
	return data, err
}

// add writes an entry at the end.
func (j *Journal) add(party int, label string, inputs [sha256.Size]byte, data []byte) error {
	head := binary.LittleEndian.AppendUint32(make([]byte, 0, prefix), uint32(party))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(data)))
	head = append(append(head, inputs[:]...), label...)
	head = append(head, make([]byte, headSize-len(head))...)
	link := linked(j.link, head)
	head = append(head, link[:linkSize]...)
	link = linked(link, data)
	j.unsure = true
	for _, part := range [][]byte{head, data, link[:linkSize]} {
		if _, err := j.disk.Write(part); err != nil {
			return fmt.Errorf("nothing is sent that is not written down: %w", err)
		}
	}
	e := entry{label: label, inputs: inputs, at: j.size + prefix, size: int64(len(data))}
	e.number = j.Entries() + 1
	j.entries[party] = append(j.entries[party], e)
	j.size, j.link = e.at+e.size+linkSize, link
	return nil
}

// sure returns once all entries are on the disk.
func (j *Journal) sure() error {
	switch {
	case j == nil:
		return nil
	case j.err == nil && j.unsure:
		if j.err = j.disk.Sync(); j.err == nil {
			j.unsure = false
		}
	}
	return j.err
}

// EraseJournal overwrites and removes the journal of a run that is complete, if there is one. A disk that
// writes elsewhere than it read keeps what was there until it needs the room.
func EraseJournal(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	zeros := make([]byte, 1<<20)
	for left := info.Size(); left > 0; left -= int64(len(zeros)) {
		if _, err := f.Write(zeros[:min(left, int64(len(zeros)))]); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Remove(path)
}

// digestOf is the digest of some bytes one after another, each with its length.
func digestOf(parts ...[]byte) (out [sha256.Size]byte) {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write(part)
	}
	sum.Sum(out[:0])
	return out
}
