package session

import (
	"math"
	"math/bits"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// What the server adds up over two or more clients can travel as integers mod 2⁶⁴ (model.Wire). Their sum is
// exact, whatever the order, so masks that cancel in it change no bit of what follows.
//
// A number of a vector is one word on a grid of step 2^exponent, which the server chooses from the previous
// total and tells the clients with its answer (transport.Channel.Grid): a total as large as the previous one
// has resolution bits. Where there is no previous total, and for all short channels, a number is two words:
// its floor, and its fraction in units of 2^-fractionBits.
//
// A number that is not finite or beyond the range has no word. In a vector the array then is Invalid: its sum
// is NaN, the log density is −∞ at every party that receives it, and the next vectors have two words. Scalars
// say it by a number so small that the total is below all others: the total is −∞.
//
// Words of evaluations may be shorter, and are then numbers mod 2¹⁶, 2²⁴ or 2³² (short.go).
const (
	// of the largest total of the previous round; the other bits are room for growth, for parts that cancel
	// and for the number of clients
	resolution   = 38
	decay        = 8 // bits by which the grid becomes finer in a round at most: a total may vanish for once
	fractionBits = 52
	wordSpare    = 2        // bits of a word that the largest sum leaves
	none         = -1 << 15 // the exponent where there is no previous total
	finest       = -1000    // exponent
)

// A grid is the exponent of the step of one channel, none where there has been no total; and how many bytes
// a word has, 0 for 8.
type grid struct {
	exponent int16
	size     uint8
	room     room // of a grid of short words, at the server
}

// follow chooses the grid for numbers like those of a total.
func (g *grid) follow(largest float64) {
	next := int(g.exponent) - decay
	switch {
	case largest == 0 && g.exponent == none:
		return
	case largest > 0:
		_, e := math.Frexp(largest)
		if e -= resolution; g.exponent == none || e > next {
			next = e
		}
	}
	g.exponent, g.size = int16(max(next, finest)), 0
}

// grids are the grids of a plan, by sum. All parties have the same ones whenever they use them. An Env shares
// them with those of its windows.
type grids struct{ contribution, partial, product, evaluated []grid }

func newGrids(plan *model.Plan) *grids {
	g := &grids{}
	for _, v := range g.all() {
		for range plan.Groups {
			*v = append(*v, grid{exponent: none, room: leastRoom})
		}
	}
	return g
}

func (g *grids) all() [4]*[]grid {
	return [...]*[]grid{&g.contribution, &g.partial, &g.product, &g.evaluated}
}

// A coding is how one channel's numbers become words, the same at all contributors.
type coding struct {
	contributors []int    // clients, ascending; two or more
	grid         *grid    // nil: two words always
	saturates    bool     // what has no words makes the total −∞; otherwise the array is invalid
	sum          []uint64 // of what was included
	valid        bool     // all of that was
}

func newCoding(contributors []int, g *grid) *coding {
	if len(contributors) < 2 {
		return nil
	}
	return &coding{contributors: contributors, grid: g}
}

// limit is beyond the size of each word, so that no sum of the contributors' leaves the range.
func (c *coding) limit() float64 {
	return math.Ldexp(1, c.bits()-wordSpare-bits.Len(uint(len(c.contributors)-1)))
}

// size is how many bytes a word has, 0 for 8.
func (c *coding) size() uint8 {
	if c.grid == nil {
		return 0
	}
	return c.grid.size
}

func (c *coding) bits() int { return 8 * sizeOf(c.size()) }

// exponent is that of the grid.
func (c *coding) exponent() int16 {
	if c.grid == nil {
		return none
	}
	return c.grid.exponent
}

// wide reports whether a number is two words.
func (c *coding) wide() bool { return c.exponent() == none }

// words is how many words n numbers are.
func (c *coding) words(n int) int {
	if c.wide() {
		return 2 * n
	}
	return n
}

// write sets the words of an array to numbers.
func (c *coding) write(a *transport.Channel, v []float64) {
	n := c.words(len(v))
	a.Words = slices.Grow(a.Words[:0], n)[:n]
	a.Grid, a.Size, a.Invalid, a.Encoding = c.exponent(), c.size(), false, transport.Fixed
	switch {
	case c.wide():
		c.writeWide(a, v)
	default:
		c.writeGrid(a, v)
	}
	if a.Invalid {
		clear(a.Words)
	}
}

func (c *coding) writeGrid(a *transport.Channel, v []float64) {
	scale, limit, drop := math.Ldexp(1, -int(a.Grid)), c.limit(), 64-c.bits()
	for i, x := range v {
		w := math.RoundToEven(x * scale)
		if !(math.Abs(w) < limit) {
			a.Invalid = true
			return
		}
		a.Words[i] = uint64(int64(w)) << drop >> drop
	}
}

// Shares of the limit: a scalar that has no words is written as half of it, below zero; all others, added up,
// are at most an eighth.
const (
	lost     = 2
	lostSum  = 4
	finitely = 8
)

func (c *coding) writeWide(a *transport.Channel, v []float64) {
	floors, fractions := a.Words[:len(v)], a.Words[len(v):]
	limit := c.limit()
	most := limit / float64(finitely*len(c.contributors))
	for i, x := range v {
		floor := math.Floor(x)
		switch {
		case math.Abs(floor) < most:
			fractions[i] = uint64(math.RoundToEven((x - floor) * (1 << fractionBits)))
		case c.saturates:
			floor, fractions[i] = -limit/lost, 0
		default:
			a.Invalid = true
			return
		}
		floors[i] = uint64(int64(floor))
	}
}

// readAt sets numbers to what words of so many bits on a grid stand for, NaN where they are invalid. It
// returns the largest of them.
func (c *coding) readAt(exponent int16, bits int, dst []float64, words []uint64,
	invalid bool) (largest float64) {
	if invalid {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return 0
	}
	if exponent != none {
		step, drop := math.Ldexp(1, int(exponent)), 64-bits
		for i, w := range words {
			x := float64(int64(w<<drop)>>drop) * step
			dst[i] = x
			largest = max(largest, math.Abs(x))
		}
		return largest
	}
	floors, fractions, lowest := words[:len(dst)], words[len(dst):], -c.limit()/lostSum
	for i, w := range floors {
		floor := float64(int64(w))
		x := floor + float64(float64(int64(fractions[i]))/(1<<fractionBits))
		if c.saturates && floor < lowest {
			x = math.Inf(-1)
		}
		dst[i] = x
		largest = max(largest, math.Abs(x))
	}
	return largest
}

// add overwrites dst with the total of those arrays that are words. It returns the largest number of it, and
// whether all arrays were valid.
func (c *coding) add(dst []float64, parts []transport.Channel) (largest float64, valid bool) {
	first := true
	for k := range parts {
		if parts[k].Encoding != transport.Plain {
			c.include(&parts[k], first)
			first = false
		}
	}
	return c.total(dst)
}

// include adds the words of an array to those before it.
func (c *coding) include(a *transport.Channel, first bool) {
	if first {
		c.sum, c.valid = append(c.sum[:0], a.Words...), !a.Invalid
		return
	}
	for k, w := range a.Words {
		c.sum[k] += w
	}
	c.valid = c.valid && !a.Invalid
}

// total overwrites dst with what was included. It returns the largest number of it, and whether all arrays
// were valid.
func (c *coding) total(dst []float64) (largest float64, valid bool) {
	return c.readAt(c.exponent(), c.bits(), dst, c.sum, !c.valid), c.valid
}

// follow chooses the grid of the next numbers from the largest of a total.
func (c *coding) follow(largest float64, valid bool) {
	switch {
	case c == nil || c.grid == nil:
	case !valid:
		c.grid.exponent, c.grid.size = none, 0
	default:
		c.grid.follow(largest)
	}
}

// codes are the codings of a plan; nil where numbers are sent as they are.
type codes struct {
	contribution, evaluated, drawn, partial, slopes, product []*coding // by sum
	gradient                                                 []*coding // by shared parameter
	scalars                                                  *coding

	members, receivers, to [][]int // clients by sum, and by shared parameter
	clients                []int
}

func newCodes(plan *model.Plan, g *grids) *codes {
	c := &codes{clients: allClients(plan)}
	for k, group := range plan.Groups {
		members, receivers := clientsOf(plan, group.Members), clientsOf(plan, group.Receivers)
		if group.Singly {
			members = slices.Compact(members)
		}
		c.members, c.receivers = append(c.members, members), append(c.receivers, receivers)
		if !plan.Wire.Fixed {
			members, receivers = nil, nil
		}
		c.contribution = append(c.contribution, newCoding(members, &g.contribution[k]))
		evaluated := c.contribution[k]
		if plan.Wire.Short {
			evaluated = newCoding(members, &g.evaluated[k])
		}
		c.evaluated = append(c.evaluated, evaluated)
		c.drawn = append(c.drawn, newCoding(members, nil))
		c.partial = append(c.partial, newCoding(receivers, &g.partial[k]))
		c.slopes = append(c.slopes, newCoding(members, &g.partial[k]))
		c.product = append(c.product, newCoding(members, &g.product[k]))
	}
	for _, s := range plan.Shared {
		to := clientsOf(plan, s.To)
		c.to = append(c.to, to)
		if !plan.Wire.Fixed {
			to = nil
		}
		c.gradient = append(c.gradient, newCoding(to, nil))
	}
	if plan.Wire.Fixed {
		if c.scalars = newCoding(c.clients, nil); c.scalars != nil {
			c.scalars.saturates = true
		}
	}
	return c
}

// clientsOf lists the clients among ports, each once, and once more where it stands for several.
func clientsOf(plan *model.Plan, ports []model.Port) (clients []int) {
	seen := make([]bool, len(plan.Names))
	for _, p := range ports {
		if p.Party > 0 && !seen[p.Party] {
			seen[p.Party] = true
			clients = append(clients, p.Party)
			if slices.Contains(plan.Several, p.Party) {
				clients = append(clients, p.Party)
			}
		}
	}
	return clients
}

// allClients lists the clients of a plan as clientsOf does.
func allClients(plan *model.Plan) []int {
	var all []model.Port
	for k := range plan.Names {
		all = append(all, model.Port{Party: k})
	}
	return clientsOf(plan, all)
}

// of is the coding of a channel that goes up, of a parameter or sum; nil where there is none.
func (c *codes) of(content density.Carried, of int) *coding {
	switch content.Content.Of {
	case density.OfParameters:
		return c.gradient[of]
	case density.OfScalars:
		return c.scalars
	case density.OfShown, density.OfGiven:
		return nil
	}
	return c.bySum(content)[of]
}

// bySum are the codings of a content that has channels by sum.
func (c *codes) bySum(content density.Carried) []*coding {
	switch content.Scale {
	case density.Contributions:
		return c.contribution
	case density.Evaluated:
		return c.evaluated
	case density.Products:
		return c.product
	case density.Adjoints:
		if content.Content.Of == density.OfReceptions {
			return c.partial
		}
		return c.slopes
	}
	return c.drawn
}

// tells is the grid that a channel which goes down tells the clients, nil where it tells none: every client
// uses it only after a message that told it.
func (c *codes) tells(content density.Carried, of int) *grid {
	if content.Scale == density.Unscaled || c.bySum(content)[of] == nil {
		return nil
	}
	return c.bySum(content)[of].grid
}
