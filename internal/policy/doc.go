// Package policy tests the structure of the repository: import directions, documentation, and what no package
// may contain. It exports nothing.
package policy
