package data

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// foreign names a format of the language that this version cannot read.
func foreign(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".xlsx", ".xls":
		return "a spreadsheet"
	}
	return ""
}

// reason describes why a file cannot be read, without its name.
func reason(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to read the file"
	case errors.As(err, &path):
		r, n := utf8.DecodeRuneInString(path.Err.Error())
		return "cannot be read: " + string(r) + path.Err.Error()[n:]
	}
	return "cannot be read: " + err.Error()
}
