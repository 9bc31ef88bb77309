package check_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/check"
	"github.com/ibwire/ibwire/linktype"
	"github.com/ibwire/ibwire/testdata"
)

// Whatever a packet and its capture say, the rules have an answer, and the same one
// by themselves as in a Checker.
func TestOddPackets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c, err := check.New(check.Options{Info: true})
	require.NoError(t, err)
	in := check.Input{Packet: &ibwire.Packet{}}
	for _, path := range append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...) {
		for _, f := range testdata.Frames(t, path) {
			for range 20 {
				data := slices.Clone(f.Data)
				for range r.IntN(4) {
					data[r.IntN(min(len(data), 90))] = byte(r.Uint32())
				}
				data = data[:len(data)-r.IntN(2)*r.IntN(len(data))]
				in.LinkType, in.Length = linktype.Type(f.Link), r.IntN(3)*r.IntN(2*len(data)+1)
				_ = in.Decode(in.LinkType, data)
				var alone []string
				for _, rule := range check.Rules() {
					if text := rule.Find(&in); text != "" && rule.Code != "icrc" {
						alone = append(alone, rule.Severity.String()+" "+rule.Code+": "+text)
					}
				}
				found := slices.DeleteFunc(c.Append(nil, &in), func(f check.Finding) bool { return f.Code == "icrc" })
				if in.Encapsulation() != ibwire.NotInfiniBand {
					require.Equal(t, alone, texts(found), "%s, frame %d: %x, %d", f.File, f.N, data, in.Length)
				}
			}
		}
	}
}
