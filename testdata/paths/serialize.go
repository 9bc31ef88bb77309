package paths

import (
	"testing"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/bth"
	"github.com/ibwire/ibwire/erf"
)

// CheckSerialize requires that the layers of this module, at the first place
// where a packet has some, give their bytes back, reserved bits, pads, CRCs and
// trailers included; and that one whose lengths are set anew decodes to the same
// headers and payload.
func CheckSerialize(t testing.TB, first gopacket.LayerType, data []byte) {
	p := gopacket.NewPacket(data, first, gopacket.NoCopy)
	own, payload := Split(p)
	if len(own) == 0 || Error(p) != nil && own[len(own)-1].LayerType() == erf.LayerTypeERF {
		return // of the extension header of a record that is cut, only its announcement is there
	}
	got := serialize(t, own, payload, gopacket.SerializeOptions{})
	at := place(t, data, own[0].(gopacket.Layer).LayerContents())
	equal(t, string(data[at:min(at+len(got), len(data))]), string(got), "serialized")
	if whole(p) {
		checkFixed(t, own, payload)
	}
}

// Split returns the layers of this module at the first place where a packet has
// some, and what is behind them.
func Split(p gopacket.Packet) (own []gopacket.SerializableLayer, payload []byte) {
	for _, l := range Layers(p) {
		if Own(l.LayerType()) {
			own = append(own, l.(gopacket.SerializableLayer))
			payload = l.LayerPayload()
		} else if len(own) > 0 {
			break
		}
	}
	return own, payload
}

// whole reports whether a packet has a BTH and every header that it announces.
func whole(p gopacket.Packet) bool {
	b, ok := p.Layer(bth.LayerTypeBTH).(*bth.BTH)
	return ok && Error(p) == nil && len(b.Payload) >= b.OpCode.Headers().Size()
}

func serialize(t testing.TB, own []gopacket.SerializableLayer, payload []byte, opts gopacket.SerializeOptions) []byte {
	b, err := trySerialize(own, payload, opts)
	sameError(t, nil, err, "serialize")
	return b
}

// trySerialize writes layers in front of a payload, into a buffer full of
// something else.
func trySerialize(own []gopacket.SerializableLayer, payload []byte, opts gopacket.SerializeOptions) ([]byte, error) {
	b := gopacket.NewSerializeBuffer()
	dirt, err := b.PrependBytes(128 + len(payload))
	if err != nil {
		return nil, err
	}
	for i := range dirt {
		dirt[i] = 0xa5
	}
	err = gopacket.SerializeLayers(b, opts, append(own[:len(own):len(own)], gopacket.Payload(payload))...)
	return b.Bytes(), err
}

// checkFixed writes layers with their lengths set, which is an error where a
// packet cannot have such a length, and decodes that.
func checkFixed(t testing.TB, own []gopacket.SerializableLayer, payload []byte) {
	fix := gopacket.SerializeOptions{FixLengths: true}
	fixed, err := trySerialize(own, payload, fix)
	if err != nil {
		return
	}
	p := gopacket.NewPacket(fixed, own[0].LayerType(), gopacket.NoCopy)
	again, behind := Split(p)
	sameError(t, nil, Error(p), "of a packet with lengths set")
	equal(t, len(own), len(again), "layers of a packet with lengths set")
	for i := range own {
		equal(t, own[i].LayerType(), again[i].LayerType(), "layer of a packet with lengths set")
	}
	equal(t, string(payload), string(behind), "payload behind lengths set")
	equal(t, string(fixed), string(serialize(t, again, behind, gopacket.SerializeOptions{})), "serialized again")
	equal(t, string(fixed), string(serialize(t, again, behind, fix)), "lengths set again")
}
