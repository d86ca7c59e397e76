package parser

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// charClass classifies the characters that cannot begin a token.
type charClass int

const (
	otherCharacter charClass = iota
	notUTF8
	controlCharacter
	foreignLetter
)

// classify returns the class of the first character of s, which is not empty.
func classify(s string) charClass {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		return notUTF8
	case isControl(r):
		return controlCharacter
	case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)):
		return foreignLetter
	}
	return otherCharacter
}

// isControl reports whether r could make a program look different from what it does: a terminal control code,
// or a control of text direction (Boucher and Anderson, Trojan Source, 2021). People read programs to audit
// them, so these are refused in comments too.
func isControl(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return false
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C:
		return true
	}
	return unicode.IsControl(r)
}

func isForeignLetter(s string) bool { return classify(s) == foreignLetter }

// greek spells the letters that models are written with.
var greek = spelled(`
α alpha β beta γ gamma δ delta ε epsilon ϵ epsilon ζ zeta η eta θ theta ϑ theta ι iota κ kappa
λ lambda μ mu µ mu ν nu ξ xi ο omicron π pi ρ rho σ sigma ς sigma τ tau υ upsilon
φ phi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma
Φ Phi Ψ Psi Ω Omega`)

// spelled reads letters, each with its name behind it.
func spelled(text string) map[rune]string {
	out, words := map[rune]string{}, strings.Fields(text)
	for k := 0; k < len(words); k += 2 {
		letter, _ := utf8.DecodeRuneInString(words[k])
		out[letter] = words[k+1]
	}
	return out
}

// meant maps characters of other notations, keyboards and word processors to their spelling in vfl.
var meant = map[string]string{
	"“": `"`, "”": `"`, "„": `"`, "`": `"`, "’": "'", "‘": "'", "−": "-", "–": "-", "—": "-", "×": "*",
	"·": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=",
	"∼": "~", "…": "..", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u200b": "", "\ufeff": "", "&": "&&",
	"#": "//",
}
