package density

// Recentring is a Block whose hierarchies can be written in other coordinates than θ. An effect v with a
// prior of location m and scale s, which are functions of the block's other parameters, has the coordinate
//
//	u = (v - m)/s^(1-c) + c·m
//
// at the centring c: u = v at 1, the effect itself, and u = (v - m)/s at 0, its standard form. A parameter
// that is the location of effects has such coordinates too, with their scale for s and a number that the
// caller chooses, its anchor, for m: given effects that data inform, the location varies around their mean as
// far as their scale reaches.
type Recentring interface {
	// Effects describes the parameters that can be so written, in the order in which centrings and anchors
	// are given. There may be none.
	Effects() []Effects
	// ToTheta is the map from coordinates u to θ, and FromTheta its inverse. Each call returns a map of its
	// own.
	ToTheta() Map
	FromTheta() Map
}

// SeparableEffects is a Block that knows which of its parameters have elements that are independent of each
// other given all its other parameters, as effects are that enter rows of their own group alone.
type SeparableEffects interface {
	// Separable describes them by Name, Offset and Len. There may be none.
	Separable() []Effects
}

// Effects are elements of θ with one prior, of a location and a scale, at least the latter of which depends
// on other parameters of the block; or the location of such.
type Effects struct {
	Name        string
	Offset, Len int     // in θ
	Centring    float64 // of θ: 1 where they are written centred, 0 where non-centred
	Anchored    bool    // they are a location or a scale, and each has an anchor
	Scale       bool    // they are the scale of others; Centring is 1
	Walk        bool    // they are a random walk, location and scale are of a step, Centring is 1
	// They are jointly normal, as a Gaussian process is: location + L·z with a dense root L of the
	// covariance. θ has z at the Centring 0, and no form between.
	Process bool
	// Vector is the number of elements of each of many processes that have one root and are independent of
	// each other, stored by columns; 0 where there is one.
	Vector int
	// They are the terms that enter likelihoods side by side: effects that are independent given all else and
	// parameters that no location or scale depends on. Their coordinates are those by one, at the Centring 0,
	// or those given what data say of all together. Len is that of the terms in turn; they come after all
	// other effects.
	Terms []EffectTerm
}

// An EffectTerm is a range of θ: elements of effects, or constants, whose priors depend on no parameter.
type EffectTerm struct {
	Offset, Len int
	Effects     int // number of the effects, -1 for constants
}

// Size is the number of elements of a process.
func (e Effects) Size() int {
	if e.Vector > 0 {
		return e.Vector
	}
	return e.Len
}

// Informed is, in place of a centring, that of coordinates that are standard given all that their effects
// depend on, if data say of each effect v the logarithm of a normal density with precision h and mean y:
//
//	u = (v - (m/s² + h·y)/(1/s² + h))·√(1/s² + h)
//
// The coordinates of a random walk or process are likewise standard given all else, its elements being
// correlated: v is an element with what is added to it. At the centring 0 they are its steps in units of the
// scale, or z. Those of Terms are standard where data say of all terms v together the logarithm of a normal
// density with a precision matrix H and the linear term b, the priors of constants included.
const Informed = -1

// MostBent is the strength of the coordinates of a scale at the centring 0.
const MostBent = 2

// Anchors is how many anchors effects have: one an element, or, of those that can be Informed, h of each
// element followed by h·y of each; of vectors, whose elements data may tell of together, their precision
// matrices, by columns of which each has a row of every vector, followed by these times means in the order of
// the effects; of Terms H, followed by b.
func (e Effects) Anchors() int {
	if e.Terms != nil {
		return e.Len * (e.Len + 1)
	}
	if e.Anchored {
		return e.Len
	}
	if e.Vector > 0 {
		return e.Len * (e.Vector + 1)
	}
	return 2 * e.Len
}

// A Map takes one vector of coordinates (length Block.Dim) to another. It is not safe for concurrent use.
type Map interface {
	// At sets to at from, and returns the logarithm of the determinant of its Jacobian. at holds a centring
	// of each of Effects, followed by their anchors.
	At(at, from, to []float64) float64
	// Pull follows At. It replaces g, the gradient of a function f of the result, by that of f + the
	// logarithm which At returned, by from.
	Pull(g []float64)
	// Lift follows At. It undoes Pull: it is that of the inverse map at the result of At.
	Lift(g []float64)
	// Evidence sets v to effects in turn, of those without one anchor an element, and slope to the derivative
	// of the log likelihood by each, as if their prior were normal. g is the gradient by θ. The weight of
	// each is its variance in the prior, 1 for walks, processes and vectors: what data say of an effect whose
	// scale is next to nothing is the noise of all others, divided by that.
	Evidence(theta, g, v, slope, weight []float64)
}
