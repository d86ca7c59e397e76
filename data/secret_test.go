package data

import "testing"

// A text with a password in an address of a server is secret, wherever in the text and however it is written.
func TestSecret(t *testing.T) {
	for text, want := range map[string]bool{
		":data lab = postgres://u:hunter2@h/db?table=t":                   true,
		":data postgresql://u:a/b@h/db":                                   true,
		":data POSTGRES://u:a b@h":                                        true,
		":data a = postgres://u@h/db, postgres://u:p@h/db":                true,
		":data postgres://h/db?password=hunter2&table=t":                  true,
		":data postgres://h/db?sslpassword=hunter2&table=t":               true,
		":data postgres://u@h/db?query=SELECT a FROM t":                   false,
		":data sqlite:a.db?query=SELECT a FROM t WHERE mail LIKE '%:b@c'": false,
		":data a = a.csv key patient":                                     false,
		"param postgres : real[2] ~ normal(0, 1) @ a":                     false,
	} {
		if got := Secret(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
