// Package proxy carries TCP connections, delays what they carry, and can be cut.
package proxy

import (
	"io"
	"net"
	"sync"
	"time"
)

// A Proxy carries connections to an address, and delivers what it reads after a delay, in each direction.
// While it is cut, nothing is delivered and no connection ends, as where a cable is out.
type Proxy struct {
	listener net.Listener
	delay    time.Duration
	mutex    sync.Mutex
	open     []net.Conn
	whole    chan struct{} // closed while the proxy is not cut
}

// Serve carries what connects to a listener.
func Serve(front net.Listener, to string, delay time.Duration) *Proxy {
	p := &Proxy{listener: front, delay: delay, whole: make(chan struct{})}
	close(p.whole)
	go func() {
		for {
			in, err := front.Accept()
			if err != nil {
				return
			}
			go p.connect(in, to)
		}
	}()
	return p
}

func (p *Proxy) connect(in net.Conn, to string) {
	<-p.uncut()
	out, err := net.Dial("tcp", to)
	if err != nil {
		in.Close() // the client tries again
		return
	}
	p.mutex.Lock()
	p.open = append(p.open, in, out)
	p.mutex.Unlock()
	go p.carry(out, in)
	go p.carry(in, out)
}

// Cut stops everything.
func (p *Proxy) Cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.whole = make(chan struct{})
}

// Mend lets everything pass again, what was held back first.
func (p *Proxy) Mend() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	close(p.whole)
}

func (p *Proxy) uncut() <-chan struct{} {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.whole
}

// A parcel is what was read at once, and when it is due.
type parcel struct {
	bytes []byte
	due   time.Time
}

// carry copies until one end is closed. The link has no limit of bandwidth: everything is as late as the
// delay says.
func (p *Proxy) carry(to, from net.Conn) {
	parcels := make(chan parcel, 1<<12)
	go func() {
		defer to.Close()
		for one := range parcels {
			time.Sleep(time.Until(one.due))
			<-p.uncut()
			if _, err := to.Write(one.bytes); err != nil {
				from.Close() // the other direction ends too
				break
			}
		}
		for range parcels { // until the reader has seen the end
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			parcels <- parcel{append([]byte(nil), buffer[:n]...), time.Now().Add(p.delay)}
		}
		if err != nil {
			close(parcels)
			return
		}
	}
}

// Close ends all connections.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, c := range p.open {
		c.Close()
	}
	return err
}

var _ io.Closer = (*Proxy)(nil)
