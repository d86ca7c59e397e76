package data

import (
	"bytes"
	"errors"
	"fmt"
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

// An alien is a format that vflc does not read, with the line that converts a file FILE of it.
type alien struct {
	name    string
	endings []string // of files
	begins  []string // how it begins, where that is like no other
	convert string
}

func aliens() []alien {
	const (
		zipped = "PK\x03\x04"
		r      = "in R: write.csv(%s, \"TABLE.csv\", row.names = FALSE)"
		python = "in Python: pandas.%s.to_csv(\"TABLE.csv\", index=False)"
		both   = r + ", or " + python
	)
	of := func(line string, parts ...any) string { return fmt.Sprintf(line, parts...) }
	return []alien{
		{"an Excel workbook", []string{".xlsx", ".xls", ".xlsm", ".xlsb"}, []string{zipped, "\xd0\xcf\x11\xe0"},
			of(both, `readxl::read_excel("FILE")`, `read_excel("FILE")`)},
		{"an OpenDocument spreadsheet", []string{".ods"}, nil,
			of(both, `readODS::read_ods("FILE")`, `read_excel("FILE")`)},
		{"an image of an object of R", []string{".rds"}, []string{"X\n\x00\x00"},
			of(r, `readRDS("FILE")`)},
		{"an image of R", []string{".rdata", ".rda"}, []string{"RDX2\n", "RDX3\n"},
			of(r, `get(load("FILE"))`)},
		{"an SPSS file", []string{".sav", ".zsav"}, []string{"$FL2", "$FL3"},
			of(both, `haven::zap_labels(haven::read_spss("FILE"))`, `read_spss("FILE", convert_categoricals=False)`)},
		{"a Stata file", []string{".dta"}, []string{"<stata_dta>"},
			of(both, `haven::zap_labels(haven::read_dta("FILE"))`, `read_stata("FILE", convert_categoricals=False)`)},
		{"a SAS file", []string{".sas7bdat"}, nil,
			of(both, `haven::read_sas("FILE")`, `read_sas("FILE")`)},
		{"a Feather file of version 1", nil, []string{"FEA1"},
			of(both, `arrow::read_feather("FILE")`, `read_feather("FILE")`)},
		{"an ORC file", []string{".orc"}, []string{"ORC\x11"}, of(python, `read_orc("FILE")`)},
		{"a pickled object of Python", []string{".pkl", ".pickle"}, nil, of(python, `read_pickle("FILE")`)},
		{"JSON, a line for each row", []string{".jsonl", ".ndjson"}, nil,
			of(python, `read_json("FILE", lines=True)`)},
		{"an archive", []string{".zip", ".7z", ".tar", ".tgz"}, []string{"7z\xbc\xaf"},
			"unpack it, and name the table in it"},
		{"compressed by xz", []string{".xz"}, []string{"\xfd7zXZ"}, "xz -dk FILE unpacks it; vflc reads gzip and zstd"},
		{"compressed by bzip2", []string{".bz2"}, []string{"BZh"}, "bunzip2 -k FILE unpacks it; vflc reads gzip and zstd"},
		{"an SQLite file", nil, []string{"SQLite format 3\x00"}, "write sqlite:FILE"},
		{"UTF-16 text", nil, []string{"\xff\xfe", "\xfe\xff"},
			"iconv -f UTF-16 -t UTF-8 FILE > TABLE.csv, or save it as UTF-8"},
	}
}

// foreign is the error of a format that vflc does not read.
func (in *input) foreign() error {
	for _, a := range aliens() {
		known := slices.Contains(a.endings, in.ending())
		for _, begin := range a.begins {
			known = known || bytes.HasPrefix(in.head, []byte(begin))
		}
		if known {
			return fmt.Errorf("is %s, which vflc does not read: %s", a.name,
				strings.ReplaceAll(a.convert, "FILE", filepath.Base(in.name)))
		}
	}
	return nil
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
