package check_test

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/check"
	"github.com/ibwire/ibwire/crc"
	"github.com/ibwire/ibwire/linktype"
)

var be = binary.BigEndian

// A frame is a packet with what its capture says of it.
type frame struct {
	link   linktype.Type
	data   []byte
	length int // on the wire; 0: as captured
	time   time.Time
	mtu    int
	ports  []uint16
}

// input decodes f.
func (f frame) input() *check.Input {
	in := &check.Input{Packet: &ibwire.Packet{Ports: f.ports}, Number: 1, LinkType: f.link, Length: f.length, Time: f.time, MTU: f.mtu}
	if in.Length == 0 {
		in.Length = len(f.data)
	}
	_ = in.Decode(f.link, f.data) // headers may be cut
	return in
}

// with returns f with bytes replaced, each at an offset.
func (f frame) with(at int, digits string) frame {
	f.data = append([]byte(nil), f.data...)
	b := octets(digits)
	copy(f.data[at:at+len(b)], b)
	return f
}

// cut returns f without its last n bytes, as of a packet that was so short.
func (f frame) cut(n int) frame {
	f.data = f.data[:len(f.data)-n]
	return f
}

// snapped returns f without its last n bytes, which the capture left out.
func (f frame) snapped(n int) frame {
	f.length = len(f.data)
	return f.cut(n)
}

// then returns f with bytes behind it.
func (f frame) then(digits string) frame {
	f.data = append(append([]byte(nil), f.data...), octets(digits)...)
	return f
}

// octets reads hexadecimal digits, with blanks between them.
func octets(digits string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// zeros returns the digits of n zero bytes.
func zeros(n int) string { return strings.Repeat("00", n) }

// sealed returns a native packet with the CRCs that it should have, where PktLen
// says.
func (f frame) sealed() frame {
	f = f.with(0, "")
	end := int(be.Uint16(f.data[4:])&0x7ff) * 4
	if f.data[1]&2 != 0 {
		var c crc.ICRC
		v, _ := c.Native(f.data[:end-4])
		be.PutUint32(f.data[end-4:], v)
	}
	be.PutUint16(f.data[end:], crc.VCRC(f.data[:end]))
	return f
}

// native returns a native packet: the first four bytes of the LRH, SLID 1, and
// what is behind the LRH. PktLen and the CRCs are right.
func native(lrh string, parts ...string) frame {
	body := octets(strings.Join(parts, ""))
	if octets(lrh)[1]&2 != 0 {
		body = append(body, 0, 0, 0, 0)
	}
	b := append(octets(lrh), 0, 0, 0, 1)
	be.PutUint16(b[4:], uint16((len(b)+len(body))/4))
	return frame{link: linktype.InfiniBand, data: append(append(b, body...), 0, 0)}.sealed()
}

// Starts of an LRH: to LID 2, without and with a GRH; to a multicast LID; on VL15.
const (
	local     = "00020002"
	global    = "00030002"
	toGroup   = "0003c001"
	vl15      = "f0020002"
	vl15To    = "f002ffff"
	rawHeader = "00000002"
)

// grh returns a GRH in front of parts.
func grh(parts ...string) string {
	body := strings.Join(parts, "")
	n := len(octets(body)) + 4
	return "60000000" + hex.EncodeToString([]byte{byte(n >> 8), byte(n)}) + "1b40" +
		"fe800000000000000002c90300001111" + "fe800000000000000002c90300002222" + body
}

// bth returns a BTH with an opcode, the byte of flags, pad and version, and a QP.
func bth(opcode, flags, qp string) string { return opcode + flags + "ffff00" + qp + "00000010" }

// Payloads and headers.
const (
	eight = "3031323334353637"
	qp    = "000123"
	va    = "1122334455667788"
	rkey  = "aabbccdd"
)

// reth returns a RETH with a DMALen.
func reth(dmaLen string) string { return va + rkey + dmaLen }

// mad returns a DETH with a Q_Key and a management datagram of n bytes.
func mad(qkey, versionAndClass string, n int) string {
	return qkey + "00000001" + versionAndClass + zeros(n-2)
}

// Healthy packets.
var (
	send   = native(local, bth("04", "40", qp), eight)
	ack    = native(local, bth("11", "40", qp), "1f000005")
	read   = native(local, bth("0c", "40", qp), reth("00001000"))
	write  = native(local, bth("0a", "40", qp), reth("00000008"), eight)
	first  = native(local, bth("06", "40", qp), reth("00001000"), zeros(256))
	last   = native(local, bth("08", "40", qp), eight)
	atomic = native(local, bth("13", "40", qp), va, rkey, zeros(16))
	routed = native(global, grh(bth("04", "40", qp), eight))
	ud     = native(local, bth("64", "40", qp), "1111111100000022", eight)
	group  = native(toGroup, grh(bth("64", "40", "ffffff"), "1111111100000022", eight))
	gmp    = native(local, bth("64", "40", "000001"), mad("80010000", "0107", 256))
	smp    = native(vl15, bth("64", "40", "000000"), mad("00000000", "0101", 256))
	direct = native(vl15To, bth("64", "40", "000000"), mad("00000000", "0181", 256)).with(6, "ffff").sealed()
	rawIP  = native(rawHeader, "00001234", eight)
)

// onUDP returns a RoCE v2 packet: UDP port, and what is from the BTH on. The ICRC
// is right.
func onUDP(port string, parts ...string) frame {
	body := octets(strings.Join(parts, ""))
	n := len(body) + 4
	ip := octets("4502000000014000401100000a0000010a000002" + "c000" + port + "00000000")
	be.PutUint16(ip[2:], uint16(28+n))
	be.PutUint16(ip[24:], uint16(8+n))
	packet := append(ip, body...)
	var c crc.ICRC
	v, _ := c.RoCEv2(packet)
	return frame{link: linktype.IPv4, data: be.AppendUint32(packet, v)}
}

func roce2(parts ...string) frame { return onUDP("12b7", parts...) }

// roce1 returns a RoCE v1 packet in Ethernet. Its ICRC is right.
func roce1(parts ...string) frame {
	packet := octets(grh(parts...))
	var c crc.ICRC
	v, _ := c.RoCEv1(packet)
	return frame{link: linktype.Ethernet, data: append(octets("0002c9000002 0002c9000001 8915"), be.AppendUint32(packet, v)...)}
}

// erf returns f in an ERF record: type and flags, rlen, loss counter. Its time is
// that of the record.
func (f frame) erf(typeFlags, rlen, lctr string) frame {
	header := octets("000000800000005f" + typeFlags + rlen + lctr + "0000")
	be.PutUint16(header[14:], uint16(len(f.data)))
	return frame{link: linktype.ERF, data: append(header, f.data...), time: time.Unix(0x5f000000, 5e8)}
}

// erfSend is send as ibdump writes it.
var erfSend = send.erf("1504", "0032", "0000")

// Packets that are healthy break no rule at all.
func TestHealthyPackets(t *testing.T) {
	for name, f := range map[string]frame{
		"SEND": send, "Acknowledge": ack, "READ": read, "WRITE Only": write, "WRITE First": first, "SEND Last": last, "CmpSwap": atomic, "GRH": routed,
		"UD": ud, "multicast": group, "GMP": gmp, "SMP": smp, "directed SMP": direct, "raw": rawIP, "ERF": erfSend, "RoCE v2": roce2(bth("04", "40", qp), eight),
		"RoCE v1": roce1(bth("04", "40", qp), eight), "without VCRC": send.cut(2),
	} {
		c, err := check.New(check.Options{Info: true})
		require.NoError(t, err)
		in := f.input()
		require.NotEqual(t, ibwire.NotInfiniBand, in.Encapsulation(), name)
		require.Empty(t, texts(append(c.Append(nil, in), c.End(nil)...)), name)
	}
}

// texts returns findings as "packet severity code: text".
func texts(findings []check.Finding) (s []string) {
	for _, f := range findings {
		s = append(s, f.Severity.String()+" "+f.Code+": "+f.Text)
	}
	return s
}
