// Package policy holds tests of the house itself: which package may import which, what must be documented, what no package may hold.
// There is nothing to import.
package policy
