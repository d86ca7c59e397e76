package ast

// The levels of precedence, loosest first. Operators of a level group to the left, except that comparisons
// do not group at all (`a < b < c` is refused), nor ranges, and that `^` groups to the right.
const (
	Loosest = iota + 1 // ||
	conjunction
	equality
	order
	Ranged // ..
	Additive
	multiplicative
	Prefix // - + !
	Power  // ^
	Postfix
)

// Precedence returns the level of a binary operator, or 0 if op is not a binary operator.
func Precedence(op string) int {
	switch op {
	case "||":
		return Loosest
	case "&&":
		return conjunction
	case "==", "!=":
		return equality
	case "<", "<=", ">", ">=":
		return order
	case "..":
		return Ranged
	case "+", "-":
		return Additive
	case "*", "/", ".*", "./":
		return multiplicative
	case "^":
		return Power
	}
	return 0
}

// GLM is the name behind `~` whose arguments are a family, a formula and priors, as in y ~ glm(normal, 1 +
// x).
const GLM = "glm"

// InFormula is Precedence in the arguments of GLM, which have operators more: `a:b` is the interaction, `x
// | g` what varies by groups, and `term ~ normal(0, 1)` a prior.
func InFormula(op string) int {
	switch op {
	case "|", "~":
		return Loosest
	case ":":
		return Prefix
	}
	return Precedence(op)
}

// Single reports whether the operators of a level do not group: comparisons, and the range.
func Single(level int) bool { return level == equality || level == order || level == Ranged }
