package nested

import (
	"context"
	"math"
	"slices"

	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// greetings is the first round trip: how many latent elements and hyperparameters each party has, and where
// these begin. The answer has values of what the server sends too.
type greetings struct{ *Kernel }

func (k greetings) greet(p *party, out []float64) {
	out[0], out[1], out[2] = float64(p.d), float64(p.m), float64(p.cond.Received)
	for i := range p.m {
		if i < mostHyper {
			out[3+i] = p.hyper[i] - p.shift[i]
		}
	}
}

func (k greetings) Send(b int, _ [][]float64, scalars []float64) {
	clear(scalars)
	p := k.parties[b]
	k.greet(p, scalars[greeted*(p.block.Index()-1):])
	p.noises(scalars[greeted*k.clients:])
}

func (k greetings) Answer(_ [][]float64, total []float64, _ [][]float64, out []float64) {
	s := k.server
	k.greet(s.party, out)
	s.noise = append(s.noise[:0], total[len(out)-greeted:]...)
	s.integrated()
	copy(out[greeted:], total)
	k.hear(out)
}

func (k greetings) Receive(_ int, _ [][]float64, out []float64) { k.hear(out) }

// take takes what was answered, once all parties of the process have heard it.
func (k greetings) take() {
	out := k.heard
	if k.server != nil {
		k.server.startAt(out)
	}
	for j := range k.dims {
		k.dims[j], k.hypers[j], k.received[j] = int(out[greeted*j]), int(out[greeted*j+1]),
			int(out[greeted*j+2])
	}
	if k.phase = ranking; sum(k.received) > 0 {
		k.phase = sending
	}
}

// sendings is the round trip in which the server tells random values of what clients receive.
type sendings struct{ *Kernel }

func (sendings) Send(int, [][]float64, []float64) {}

func (k sendings) Answer(_ [][]float64, _ []float64, _ [][]float64, out []float64) {
	k.server.probe(out)
	k.hear(out)
}

func (k sendings) Receive(_ int, _ [][]float64, out []float64) { k.hear(out) }

// rankings is the round trip in which parties tell how many matrices their covariance is made of.
type rankings struct{ *Kernel }

func (k rankings) Send(b int, _ [][]float64, scalars []float64) {
	clear(scalars)
	p := k.parties[b]
	scalars[p.block.Index()-1] = float64(len(p.parts.points))
}

func (k rankings) Answer(_ [][]float64, total []float64, _ [][]float64, out []float64) {
	out[0] = float64(len(k.server.parts.points))
	copy(out[1:], total)
	k.hear(out)
}

func (k rankings) Receive(_ int, _ [][]float64, out []float64) { k.hear(out) }

func (k rankings) take() {
	for j := range k.pivots {
		k.pivots[j] = int(k.heard[j])
	}
	k.phase, k.piece = spanning, 0
	k.begin()
}

// hear keeps an answer.
func (k *Kernel) hear(out []float64) { k.heard = append(k.heard[:0], out...) }

// begin prepares the server for what clients send.
func (k *Kernel) begin() {
	if k.server != nil {
		k.server.columns = make([]float64, k.rows*k.spans())
	}
}

// spans is how many columns clients send: the means of their contributions, for the matrix of what does not
// vary its products with the vectors, for each pivot of a client its products with some of them; then those
// that latent elements of the server multiply.
func (k *Kernel) spans() int { return k.covered() + k.shared }

// covered is how many of them come before those of what the server's latent elements add.
func (k *Kernel) covered() int {
	n := 1 + k.columns
	for j, r := range k.pivots[1:] {
		n += r * k.width(1+j)
	}
	return n
}

// width is how many of the vectors a pivot of a client needs: half as many again as it has latent elements.
func (k *Kernel) width(j int) int { return min(k.columns, k.dims[j]+k.dims[j]/2+8) }

// span is a round trip of some of these columns.
func (k *Kernel) span(ctx context.Context) error {
	most := k.most(k.spans())
	from := k.piece * most
	to := min(from+most, k.spans())
	k.piece++
	last := to == k.spans()
	size := density.RelaySize{Columns: to - from, Back: from - to}
	if last {
		size.Answers = k.answers()
	}
	err := k.exchange(ctx, Spanning, size, columns{k, from, to, last})
	if err == nil && last {
		k.listen()
	}
	return err
}

// columns is that exchange.
type columns struct {
	*Kernel
	from, to int
	last     bool
}

// column adds a party's part of column c.
func (k columns) column(p *party, c int, to []float64) {
	first := c == k.from
	if c == 0 {
		if v := p.parts.first; p.vary() {
			p.move(v[:p.m], v[p.m:])
		}
		p.add(p.mean, true, to)
		return
	}
	if i := slices.Index(p.link.which, c-k.covered()); i >= 0 {
		vec.Accumulate(k.rows, to, p.link.direct[i])
	}
	if c -= 1; c < k.columns {
		if !p.vary() {
			p.cover(k.with[c*k.rows:][:k.rows], to)
		}
		return
	}
	c -= k.columns
	for j := 1; j < p.block.Index(); j++ {
		c -= k.pivots[j] * k.width(j)
	}
	if w := k.width(p.block.Index()); p.block.Index() > 0 && c >= 0 && c < w*len(p.parts.points) {
		if c%w == 0 || first {
			k.pivot(p, c/w)
		}
		p.cover(k.with[c%w*k.rows:][:k.rows], to)
	}
}

func (k columns) pivot(p *party, i int) {
	v := p.parts.points[i]
	p.move(v[:p.m], v[p.m:])
}

func (k columns) Send(b int, up [][]float64, _ []float64) {
	p := k.parties[b]
	v := make([]float64, k.rows)
	for c := k.from; c < k.to; c++ {
		clear(v)
		k.column(p, c, v)
		k.unstack(p, v, up, c-k.from)
	}
}

// unstack writes column c of what a client sends: its part of each sum, the whole of it in the first of its
// cuts that enter one.
func (k *Kernel) unstack(p *party, v []float64, up [][]float64, c int) {
	for i, at := range p.cond.Members {
		to := up[i][c*at.Len:][:at.Len]
		clear(to)
		if !slices.ContainsFunc(p.cond.Members[:i], func(m density.Member) bool {
			return m.Group == at.Group
		}) {
			copy(to, v[p.at[at.Group]:])
		}
	}
}

func (k columns) Answer(sum [][]float64, _ []float64, _ [][]float64, out []float64) {
	s := k.server
	for c := k.from; c < k.to; c++ {
		k.stack(sum, c-k.from, s.columns[c*k.rows:][:k.rows])
	}
	if !k.last {
		return
	}
	if err := s.hold(k.Kernel); err != nil {
		k.failure = Refuse(err)
	} else {
		s.gather(k.Kernel)
	}
	s.tell(k.Kernel, out)
	k.hear(out)
}

// stack reads column c of the sums.
func (k *Kernel) stack(sum [][]float64, c int, v []float64) {
	lens := k.server.cond.Sums
	if k.clients == 0 {
		lens = []int{k.rows}
	}
	for g, n := range lens {
		copy(v[:n], sum[g][c*n:])
		v = v[n:]
	}
}

func (k columns) Receive(_ int, _ [][]float64, out []float64) {
	if k.last {
		k.hear(out)
	}
}

// listen takes what is next.
func (k *Kernel) listen() {
	out := k.heard
	k.phase, k.count, k.height, k.effective = int(out[0]), int(out[1]), out[2], out[3]
	if out[4] > 0 { // draws of a better approximation follow: none of those before is kept
		k.origin, k.drawn, k.ratios = k.origin+k.drawn, 0, k.ratios[:0]
	}
	k.points = append(k.points[:0], out[header:header+mostPoints*k.told()]...)
	if k.phase == parted {
		k.fail("sfvi: " + severalModes)
	}
	if k.phase == failed {
		k.fail("sfvi: the marginal density of the hyperparameters is finite nowhere that was looked at, or " +
			"the columns are not: begin elsewhere with --inits, or give priors that leave less room")
	}
}

// placed goes to a point that was told.
func (k *Kernel) placed(p *party, i int) {
	v, j := k.points[i*k.told():][:k.told()], p.block.Index()
	if j == 0 {
		copy(p.hyper, k.server.asked[i][:p.m])
		p.move(p.hyper, nil)
		return
	}
	v = v[sum(k.scales[:j])+sum(k.hypers[1:j]):]
	vec.Add(p.m, p.hyper, v[k.scales[j]:], p.shift)
	p.received = p.link.filled(v[:k.scales[j]])
	p.move(p.hyper, p.received)
}

// inquiry is a round trip of densities and coefficients at points.
type inquiry struct{ *Kernel }

// reply sets a client's density and coefficients at point i, where its form is.
func (k *Kernel) reply(p *party, i int, scalars []float64) {
	at := k.count
	for _, r := range k.pivots[1:p.block.Index()] {
		at += k.count * r
	}
	r := len(p.parts.points)
	scalars[i] = p.value
	if p.proper && r > 0 && !p.combine(k.with, scalars[at+i*r:][:r]) {
		scalars[i] = math.Inf(-1)
	}
}

func (k inquiry) Send(b int, _ [][]float64, scalars []float64) {
	clear(scalars)
	p := k.parties[b]
	for i := range k.count {
		k.placed(p, i)
		k.reply(p, i, scalars)
	}
}

func (k inquiry) Answer(_ [][]float64, total []float64, _ [][]float64, out []float64) {
	s := k.server
	s.learn(k.Kernel, total)
	s.tell(k.Kernel, out)
	k.hear(out)
}

func (k inquiry) Receive(_ int, _ [][]float64, out []float64) { k.hear(out) }

// draws is the round trip of draws from the parties' priors at points, and of the vectors that make them
// draws of the approximation.
type draws struct{ *Kernel }

func (k draws) Send(b int, up [][]float64, scalars []float64) {
	clear(scalars)
	p := k.parties[b]
	k.room(p)
	v := make([]float64, k.rows)
	for i := range k.count {
		k.placed(p, i)
		k.reply(p, i, scalars)
		for c := i * k.each(); c < (i+1)*k.each(); c++ {
			clear(v)
			k.contribute(p, k.drawn+c, v)
			k.unstack(p, v, up, c)
		}
	}
}

// room makes room for the draws of a message.
func (k *Kernel) room(p *party) {
	n := (k.drawn + k.count*k.each()) * p.block.Dim()
	p.sample = append(p.sample, make([]float64, max(0, n-len(p.sample)))...)
}

// contribute adds the contribution of draw id from the prior where the form is, and keeps it.
func (k *Kernel) contribute(p *party, id int, to []float64) {
	x := make([]float64, p.d)
	if p.proper {
		p.start(k.origin+id, x)
	}
	p.add(x, true, to)
	p.put(x, p.sample[id*p.block.Dim():][:p.block.Dim()])
}

// follow moves draw id by a vector, where the form is.
func (k *Kernel) follow(p *party, id int, u []float64) {
	if !p.proper {
		return
	}
	p.raise(u, p.work)
	theta := p.sample[id*p.block.Dim():]
	for i, at := range p.cond.Index {
		theta[at] += p.work[i]
	}
}

func (k draws) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	s, n := k.server, k.each()
	k.room(s.party)
	s.weigh(k.Kernel, sum, total, down)
	copy(out[k.answers()+copy(out[k.answers():], s.fresh[:k.count*n]):], s.told)
	s.tell(k.Kernel, out)
	k.hear(out)
}

func (k draws) Receive(b int, down [][]float64, out []float64) {
	p := k.parties[b]
	u := make([]float64, k.rows)
	for i := range k.count {
		k.placed(p, i)
		for c := i * k.each(); c < (i+1)*k.each(); c++ {
			clear(u)
			for j, at := range p.cond.Members {
				copy(u[p.at[at.Group]:], down[j][c*at.Len:][:at.Len])
			}
			k.follow(p, k.drawn+c, u)
			p.relocate(k.drawn+c, p.received, out[k.answers()+k.count*k.each()+c*k.shared:][:k.shared])
		}
	}
	k.hear(out)
}

func (k draws) take() {
	k.ratios = append(k.ratios, k.heard[k.answers():][:k.count*k.each()]...)
	k.drawn += k.count * k.each()
	if k.listen(); k.phase == done {
		if top := slices.Max(k.ratios); top-top != 0 {
			k.fail("sfvi: there is no Gaussian at the values of the hyperparameters that were drawn, or " +
				"the log density is finite at none of its draws: priors or columns are of sizes too unlike")
			return
		}
		k.choose()
		k.vain = len(k.ratios) >= 5 && importance.Smooth(k.ratios, 1).K > importance.InVain
	}
}
