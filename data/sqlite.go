package data

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// sqlite is a file of SQLite, opened for reading alone.
func sqlite() engine {
	return engine{
		driver: "sqlite", product: "SQLite",
		schemes: []string{"sqlite", "sqlite3"}, endings: []string{".db", ".sqlite", ".sqlite3"},
		tables: "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE " +
			"'sqlite\\_%' ESCAPE '\\' ORDER BY name",
		check: func(_ string, settings url.Values) error {
			for name := range settings {
				return fmt.Errorf("%s is no setting of an SQLite file: write FILE?table=NAME "+
					"or FILE?query=SELECT …", name)
			}
			return nil
		},
		open: func(address string, _ url.Values) (*sql.DB, error) {
			f, err := os.Open(address)
			if err != nil {
				return nil, fmt.Errorf("%s", reason(err))
			}
			f.Close()
			absolute, err := filepath.Abs(address)
			if err != nil {
				return nil, err
			}
			name := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute),
				RawQuery: "mode=ro&_pragma=query_only(1)"}
			return sql.Open("sqlite", name.String())
		},
	}
}
