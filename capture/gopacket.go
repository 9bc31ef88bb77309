package capture

import (
	"bytes"

	"github.com/google/gopacket"

	"github.com/ibwire/ibwire/linktype"
)

var (
	_ gopacket.PacketDataSource         = (*Reader)(nil)
	_ gopacket.ZeroCopyPacketDataSource = (*Reader)(nil)
	_ gopacket.Decoder                  = linktype.Type(0)
)

// ReadPacketData returns the next packet, as Next does, in memory of its own.
//
// In CaptureInfo, Timestamp is Record.Time, Length at least len(data), and
// AncillaryData[0] the LinkType, since packets of one file may have several.
func (r *Reader) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	data, ci, err := r.ZeroCopyReadPacketData()
	return bytes.Clone(data), ci, err
}

// ZeroCopyReadPacketData is ReadPacketData without copying: data is valid until
// the next call.
func (r *Reader) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	rec, err := r.Next()
	if err != nil {
		return nil, gopacket.CaptureInfo{}, err
	}
	return rec.Data, gopacket.CaptureInfo{
		Timestamp:      rec.Time,
		CaptureLength:  len(rec.Data),
		Length:         max(rec.Length, len(rec.Data)),
		InterfaceIndex: rec.Interface,
		AncillaryData:  r.ifaces[rec.Interface].ancillary,
	}, nil
}
