package data

import (
	"database/sql"
	"errors"
	"maps"
	"net/url"
	"os"
)

// patience is how many seconds a server may take to answer the first message, unless the address, the
// environment or a service's file says connect_timeout.
const patience = "15"

// postgres is a server of PostgreSQL. What the address does not say is taken from PGHOST, PGUSER, PGPASSWORD,
// ~/.pgpass and their like, as psql does.
func postgres() engine {
	return engine{
		driver: "pgx", product: "PostgreSQL",
		schemes: []string{"postgres", "postgresql"},
		tables: "SELECT table_name FROM information_schema.tables WHERE table_schema = " +
			"ANY(current_schemas(false)) ORDER BY table_name",
		check: func(address string, settings url.Values) error {
			u, err := url.Parse(address)
			if err != nil { // its text would show the address
				return errors.New("is no URL: write postgres://USER@HOST/DATABASE?query=SELECT …")
			}
			_, secret := u.User.Password()
			if secret || settings.Has("password") || settings.Has("sslpassword") {
				return errors.New("has a password, which a shell would keep in its history and a run in " +
					"its record: leave it out, and give it in PGPASSWORD or in ~/.pgpass")
			}
			return nil
		},
		open: func(address string, settings url.Values) (*sql.DB, error) {
			u, err := url.Parse(address)
			if err != nil {
				return nil, errors.New("is no URL")
			}
			if !settings.Has("connect_timeout") && os.Getenv("PGCONNECT_TIMEOUT") == "" &&
				!settings.Has("service") && os.Getenv("PGSERVICE") == "" {
				settings = maps.Clone(settings)
				settings.Set("connect_timeout", patience)
			}
			u.RawQuery = settings.Encode()
			return sql.Open("pgx", u.String())
		},
	}
}
