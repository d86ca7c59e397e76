package posterior

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Digests returns the SHA-256 digests of the outputs in the folder of a run, by path with slashes: draws,
// ELBO, programs, the Zarr directory and what the server received.
func Digests(dir string) (map[string]string, error) {
	out := map[string]string{}
	for _, part := range []string{DrawsDir, ProgramsDir, ZarrDir, ELBOFile, ViewFile, ReceivedFile} {
		err := filepath.WalkDir(filepath.Join(dir, part), func(at string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, err := filepath.Rel(dir, at)
			if err == nil {
				out[filepath.ToSlash(name)], err = digest(at)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return out, nil
}

func digest(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// VerifyDraws compares the draws of a run with the digests in its record: the error names a file of a chain
// that is missing, was altered, or is of another run. A record without digests is of a run that has written
// no outputs.
func VerifyDraws(dir string, r *Record) error {
	if err := verifyFiles(dir, r, DrawsDir); err != nil || len(r.Files) == 0 {
		return err
	}
	present, err := chainFiles(filepath.Join(dir, DrawsDir))
	if err != nil {
		return err
	}
	for _, file := range present {
		if _, known := r.Files[path.Join(DrawsDir, filepath.Base(file))]; !known {
			return fmt.Errorf("%s is not a file of this run: %s does not list it; remove it", file,
				RecordFile)
		}
	}
	return nil
}

// VerifyZarr is Verify for the Zarr directory, if there is one.
func VerifyZarr(dir string, r *Record) error {
	if _, err := os.Stat(filepath.Join(dir, ZarrDir)); errors.Is(err, fs.ErrNotExist) || r == nil {
		return nil
	}
	return verifyFiles(dir, r, ZarrDir)
}

// VerifyView is Verify for what the server received, and reports whether the folder has it.
func VerifyView(dir string, r *Record) (there bool, err error) {
	there, altered, err := verifyOne(dir, r, ViewFile)
	if altered != nil {
		err = fmt.Errorf("%w; without the file, the attack repeats the run", altered)
	}
	return there, err
}

// VerifyReceived is VerifyView for what the server of a run across machines has recorded.
func VerifyReceived(dir string, r *Record) (there bool, err error) {
	there, altered, err := verifyOne(dir, r, ReceivedFile)
	return there, errors.Join(altered, err)
}

// verifyOne compares one file, which need not be there, with the record.
func verifyOne(dir string, r *Record, file string) (there bool, altered, err error) {
	name := filepath.Join(dir, file)
	got, err := digest(name)
	switch want := r.Files[file]; {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil, nil
	case err == nil && got != want:
		return true, fmt.Errorf("%s is not as the run wrote it: its digest is not that in %s", name,
			RecordFile), nil
	}
	return true, nil, err
}

// verifyFiles compares one file, or the files of one folder, with the record.
func verifyFiles(dir string, r *Record, folder string) error {
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		if name != folder && !strings.HasPrefix(name, folder+"/") {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		got, err := digest(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is missing: the run wrote it, so the folder is not a whole copy", file)
		case err != nil:
			return err
		case got != r.Files[name]:
			return fmt.Errorf("%s is not as the run wrote it: its digest is not that in %s", file, RecordFile)
		}
	}
	return nil
}
