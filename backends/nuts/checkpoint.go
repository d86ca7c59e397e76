package nuts

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// Save implements backends.Kernel. The streams need nothing: their rounds are numbered by the transition.
func (k *chain) Save(w io.Writer) error {
	if _, err := fmt.Fprintln(w, k.shape()); err != nil {
		return err
	}
	return backends.SaveState(w, k.settings.String(), k.state)
}

// Load implements backends.Kernel. The error names what does not fit this run.
func (k *chain) Load(r io.Reader) error {
	in := bufio.NewReader(r)
	if err := k.fits(in); err != nil {
		return err
	}
	if err := backends.LoadState(in, k.settings.String(), k.state); err != nil {
		return fmt.Errorf("nuts: %w", err)
	}
	return nil
}

// WarmStart implements backends.WarmStarter: position, metric, what it was estimated from, and step size are
// those of the checkpoint, the settings and all random numbers this run's. The density may be another, as
// with another rho.
func (k *chain) WarmStart(ctx context.Context, r io.Reader) error {
	in := bufio.NewReader(r)
	if err := k.fits(in); err != nil {
		return err
	}
	settings, err := in.ReadString('\n')
	if err != nil {
		return fmt.Errorf("nuts: the checkpoint cannot be read: %w", err)
	}
	again := io.MultiReader(strings.NewReader(settings), in)
	if err := backends.LoadState(again, strings.TrimSuffix(settings, "\n"), k.state); err != nil {
		return fmt.Errorf("nuts: %w", err)
	}
	k.done, k.searches, k.bad, k.unsolved = 0, 0, 0, 0
	ok, err := k.evaluateStart(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return backends.NotFinite(k.env, false,
			"nuts: the log density or its gradient is not finite where the earlier run ended")
	}
	k.tuner = newTuner(k)
	k.tuner.resume()
	return nil
}

// fits reads the first line of a checkpoint. It returns an error where what follows does not have the layout
// of this kernel.
func (k *chain) fits(in *bufio.Reader) error {
	line, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	got, want := strings.Split(strings.TrimSuffix(line, "\n"), "; "), strings.Split(k.shape(), "; ")
	for i := range max(len(got), len(want)) {
		if was, is := item(got, i), item(want, i); was != is {
			return fmt.Errorf("nuts: the checkpoint is of another model or sampler: it has %.100q "+
				"where this run has %.100q", was, is)
		}
	}
	return nil
}

func item(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// shape is a line that describes the layout of a state: two kernels have the same if one can begin where the
// other ended.
func (k *chain) shape() string {
	var b strings.Builder
	s := k.settings
	fmt.Fprintf(&b, "vflc nuts checkpoint 14; --%s %s", metricForm, s.Text(metricForm))
	if s.Plan.Initial != "" {
		fmt.Fprintf(&b, "; --%s", initial)
	}
	for _, s := range k.parties {
		fmt.Fprintf(&b, "; %s: parameters %d, auxiliary variables %d", s.block.Party(), s.block.Dim(),
			s.aux.len+s.noise.len)
		if s.centring != nil {
			fmt.Fprintf(&b, ", effects in coordinates of its choice (--%s auto) %d", coordinates,
				len(s.centring.chosen))
		}
		if s.shear != nil {
			fmt.Fprintf(&b, ", effects given others (--%s auto) %d", coordinates, s.shear.count)
		}
		if s.intercepts != nil {
			fmt.Fprintf(&b, ", intercepts that follow contributions (--%s auto) %d", coordinates,
				len(s.intercepts.at))
		}
	}
	return b.String()
}

// state carries everything that a Step reads and an earlier one wrote.
func (k *chain) state(c *backends.Codec) {
	c.Ints(&k.done, &k.searches, &k.bad, &k.unsolved, &k.now.index)
	c.Float(&k.eps, &k.now.lp, &k.spread)
	memory := density.Remember(k.env, nil)
	c.Remembered(k.env, &memory)
	for b, s := range k.parties {
		c.Floats(k.now.q.at[b])
		c.Floats(k.now.g.at[b])
		s.noise.state(c, k.now.q, k.now.g.adjoints)
		if s.intercepts != nil {
			s.intercepts.state(c)
			c.Floats(k.now.g.means[b])
		}
		s.metric.state(c)
		s.metric.referred(c, b, k.now.v)
		s.estimate.foreground.state(c)
		s.estimate.background.state(c)
		if s.centring != nil {
			s.centring.state(c)
		}
		if s.shear != nil {
			s.shear.state(c)
		}
		if s.kept != nil {
			s.kept.state(c)
		}
	}
	k.tuner.state(c)
}

func (m *metric) state(c *backends.Codec) {
	c.Floats(m.inverse)
	c.Floats(m.root)
	if m.full != nil {
		c.Floats(m.full.inverse)
		c.Floats(m.full.root)
		c.Float(&m.full.misfit)
	}
	m.ref.state(c)
	if m.ridges != nil {
		m.ridges.state(c)
		m.ridges.scale(m.root)
	}
}
