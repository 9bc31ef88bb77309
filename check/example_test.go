package check_test

import (
	"encoding/hex"
	"fmt"

	"github.com/ibwire/ibwire"
	"github.com/ibwire/ibwire/check"
	"github.com/ibwire/ibwire/linktype"
)

func Example() {
	data, _ := hex.DecodeString("00020002000700011140ffff00000123000000109f00000563500f9af6c3")
	c, err := check.New(check.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := check.Input{Packet: &ibwire.Packet{}, Number: 1}
	_ = in.Decode(linktype.InfiniBand, data)
	for _, f := range c.End(c.Append(nil, &in)) {
		fmt.Printf("packet %d: %v: %s: %s\n", f.Packet, f.Severity, f.Code, f.Text)
	}
	// Output:
	// packet 1: warning: aeth-reserved: the syndrome is 0x9f: its top bit is set
}
