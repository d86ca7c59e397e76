package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
)

// foreign names a format of the language that this version cannot read.
func foreign(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".xlsx", ".xls":
		return "a spreadsheet"
	case ".gz", ".bz2", ".zst", ".xz", ".zip", ".7z":
		return "a compressed file"
	case ".arrow", ".feather", ".ipc":
		return "an Arrow file"
	case ".rds", ".rdata", ".rda":
		return "a file of R"
	case ".dta", ".sav", ".sas7bdat":
		return "a file of Stata, SPSS or SAS"
	}
	return ""
}

// reason describes why a file cannot be read, without its name.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case isFolder(err):
		return "is a folder, and a file is needed"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to read the file"
	}
	return "cannot be read: " + cause(err)
}

func isFolder(err error) bool {
	return errors.Is(err, safefile.ErrFolder) || errors.Is(err, syscall.EISDIR)
}

// cause is what the system says of a file, without the call and the file.
func cause(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	r, n := utf8.DecodeRuneInString(err.Error())
	return string(r) + err.Error()[n:]
}

// writing lists the system calls that fail only where something is written.
func writing() []string { return []string{"mkdir", "write", "sync", "chmod", "rename", "close"} }

// Trouble returns an error of the file system as a diagnostic that names the file and says what is wrong, and
// any other error as it is. An error that says more than the system does is left as it is too.
func Trouble(err error) error {
	var file, call string
	switch e := err.(type) { // not errors.As: what another error says around it would be lost
	case *fs.PathError:
		file, call = e.Path, e.Op
	case *os.LinkError:
		file, call = e.New, e.Op
	default:
		return err
	}
	writes := slices.Contains(writing(), call)
	var text string
	switch {
	case errors.Is(err, fs.ErrNotExist) && writes:
		text = "cannot be written: there is no such folder"
	case errors.Is(err, fs.ErrNotExist):
		text = "there is no such file or folder" + suggestion(filepath.Clean(file), siblings(file))
	case isFolder(err):
		text = "is a folder, and a file is needed"
		if model := filepath.Clean(file) + ".vfl"; exists(model) {
			text += "; did you mean " + model + "?"
		}
	case errors.Is(err, syscall.ENOTDIR):
		text = "is a file, and a folder is needed"
	case errors.Is(err, syscall.ENOSPC):
		text = "cannot be written: the disk is full"
	case errors.Is(err, syscall.EROFS):
		text = "cannot be written: " + cause(err)
	case errors.Is(err, fs.ErrPermission) && writes:
		text = "no permission to write it"
	case errors.Is(err, fs.ErrPermission):
		text = "no permission to open it"
	case writes:
		text = "cannot be written: " + cause(err)
	default:
		text = "cannot be read: " + cause(err)
	}
	var list diag.List
	fail(&list, diag.FileTrouble, file, "%s", text)
	return Errors(list)
}

// siblings lists the paths of what is in the folder of a file.
func siblings(file string) (names []string) {
	dir, _ := filepath.Split(filepath.Clean(file))
	entries, _ := os.ReadDir(filepath.Clean(dir)) // none where there is no such folder
	for _, e := range entries {
		names = append(names, dir+e.Name())
	}
	return names
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
