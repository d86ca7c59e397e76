package leak

// deps says on what a value of a client depends besides constants and shared data.
type deps uint8

const (
	onData    deps = 1 << iota // the client's data
	onPrivate                  // the client's parameters
	onShared                   // parameters that the server has too
)

// ways describes the derivative of a value by a shared parameter, path by path from the parameter up to the
// value: the chain rule adds a product for each. It is the set of what these products depend on, with bit
// 1<<d for a product that depends on d, of onData and onPrivate.
type ways uint8

func way(d deps) ways { return 1 << (d & (onData | onPrivate)) }

// through is the set after one more factor that depends on d.
func (w ways) through(d deps) ways {
	var out ways
	for x := range onShared {
		if w&way(x) != 0 {
			out |= way(x | d)
		}
	}
	return out
}

// data reports a path whose product depends on data and on no parameter of the client.
func (w ways) data() bool { return w&way(onData) != 0 }

// A pathMap holds the ways from each shared parameter.
type pathMap map[string]ways

// add adds the paths of an operand, after a factor that depends on d.
func (p pathMap) add(of pathMap, d deps) {
	for name, w := range of {
		p[name] |= w.through(d)
	}
}
