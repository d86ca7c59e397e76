package tape

// Equations are a system y' = f(t, y, arguments) from y(t0), with the derivatives of f and of y(t0) in those
// arguments in which derivatives of the solution are wanted.
type Equations struct {
	registers []float64    // before the first instruction
	once      Instructions // what neither time nor states enter
	each      Instructions // the rest
	arguments int
	wanted    int
	t0        Register
	start     []Register // y(t0)
	value     []Register // f
	inStart   []entry    // ∂y(t0)/∂argument, not 0 everywhere, column k for the k-th that is wanted
	inStates  []entry    // ∂f/∂y
	inWanted  []entry    // ∂f/∂argument
}

// An entry is an element of a matrix of derivatives.
type entry struct{ row, column, register int32 }

// NewEquations derives the system that the registers of a Tape compute: f, y(t0) and t0. The inputs of the
// Tape are the time, the states and the arguments, in this order; y(t0) and t0 depend on arguments alone.
// Derivatives are wanted in the arguments of these positions, from 0.
func NewEquations(t *Tape, f, start []Register, t0 Register, arguments int, wanted []int) *Equations {
	n := len(f)
	e := &Equations{arguments: arguments, wanted: len(wanted), t0: t0, start: start, value: f}
	keep := append(append([]Register{t0}, start...), f...)
	entries := func(of []Register, columns []int) (out []entry) {
		for row, y := range of {
			if len(wanted) == 0 {
				break
			}
			d := t.Derive(y, 1+n+arguments)
			for k, at := range columns {
				if s := d[at]; s != None {
					out, keep = append(out, entry{int32(row), int32(k), int32(s)}), append(keep, s)
				}
			}
		}
		return out
	}
	states, inputs := make([]int, n), make([]int, len(wanted))
	for k := range states {
		states[k] = 1 + k
	}
	for k, a := range wanted {
		inputs[k] = 1 + n + a
	}
	e.inStart, e.inStates, e.inWanted = entries(start, inputs), entries(f, states), entries(f, inputs)
	t.Keep(keep)
	e.registers = t.Registers()
	moves := make([]bool, 1+n+arguments)
	for k := range 1 + n {
		moves[k] = true
	}
	moves = t.Dependent(moves)
	for _, i := range t.Code() {
		if moves[i.To] {
			e.each = append(e.each, i)
		} else {
			e.once = append(e.once, i)
		}
	}
	return e
}

// States is the number of equations.
func (e *Equations) States() int { return len(e.value) }

// Directions is the number of derivatives of each state.
func (e *Equations) Directions() int { return e.wanted }
