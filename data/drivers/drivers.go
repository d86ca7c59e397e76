//go:build !js

// Package drivers brings the drivers of SQLite and PostgreSQL for database/sql. Package data reads a database
// where the driver is part of the program: an import of this package is all that it takes. They are a fifth
// of a build from an empty cache, so the command has them with the tag databases, as in a release, and tests
// have them always.
package drivers

import (
	_ "github.com/jackc/pgx/v5/stdlib" // registers pgx
	_ "modernc.org/sqlite"             // registers sqlite
)
