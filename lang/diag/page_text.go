package diag

import (
	"fmt"
	"io"
	"strings"
)

// Write writes a page as text.
func (p Page) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %s\n\n%s\n\nWrong:\n\n%s\n\nRight:\n\n%s\n", p.Code, p.Title,
		strings.TrimSpace(p.Text), indented(p.Wrong), indented(p.Right))
	return err
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}
