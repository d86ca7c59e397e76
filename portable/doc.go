// Package portable has the functions of packages math and math/rand/v2 whose results depend on the processor,
// with the same results on all of them, and the special functions that densities, functions and
// bijectors are built from, each accurate in its tails.
//
// Package math has assembly for some of its functions on some processors, and its Go code, as any, may be
// compiled to instructions that multiply and add with one rounding on one processor and not on another. Here
// each result is a fixed sequence of roundings: products that are added are written float64(a*b) or math.FMA.
// A test holds the same of all code that is part of the command. The draws of a run are then the same bytes
// everywhere, and parties on different processors compute the same.
//
// The functions that package vector has for arrays have the same bits there.
//
// Functions of math that IEEE 754 defines exactly (Sqrt, FMA, Floor, Trunc, Abs, Mod, Ldexp and others) are
// the same everywhere and are used from math.
//
// Accuracy. Exp, Expm1, Log, Log1p, Sigmoid, Tanh, Log1pExp, Lgamma, Digamma, LogPhi, LogPhiSlope, Sin, Cos
// are within 2 units in the last place of the exact value, the others within 4, or within as many of 1 where
// the comment says so; tests compare them with values computed with mpmath and with package math.
package portable
