package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibwire/ibwire/flow"
)

// events writes a row for each event.
type events struct {
	rowFlags
	Kind []string `placeholder:"KIND" help:"Only events of these kinds, as retransmission,nak."`
}

// Help is shown below the flags.
func (events) Help() string {
	return `Examples:
  ibwire events capture.pcap
  ibwire events --kind retransmission,nak,rnr_nak capture.pcap
  ibwire events --kind cnp -T ndjson capture.pcap | jq 'select(.subject_id == 1)'
  ibwire events -Y 'ip.addr == 192.0.2.1' capture.erf.gz

An event is something that happened in a flow. It is written when it is known: one
about several packets with the last of them, and what is still open at the end of
the capture. -Y chooses packets before flows are followed, so a filter that takes
a part of a flow makes gaps in it.

` + exitHelp + `
Kinds, the same in every release, with new ones behind. psn and last_psn are the
first and the last PSN that is meant.

` + eventKinds.help() + columnHelp + eventColumns.help()
}

// Run runs the command.
func (e *events) Run(std stdio) error {
	wanted, err := eventKinds.find(e.Kind)
	if err != nil {
		return err
	}
	return writeRows(&e.rowFlags, "events", std, eventColumns, func(row func(*flow.Event)) flow.Option {
		return flow.OnEvent(func(e *flow.Event) {
			if wanted[e.Kind] {
				row(e)
			}
		})
	})
}

// kindTexts say what the kinds of events are.
type kindTexts [len(flow.Totals{}.Events)]string

var eventKinds = kindTexts{
	flow.Gap:              "PSNs are missing; count says how many",
	flow.GapClosed:        "what has become of PSNs that were missing: verdict, and count of them",
	flow.OutOfOrder:       "packets came late; count says how many",
	flow.Duplicate:        "the capture has a packet twice",
	flow.Retransmission:   "a run of packets was sent again: count of them, repeats of those that had been seen, and cause",
	flow.Restart:          "a jump too far to be a gap, to psn",
	flow.NAK:              "a NAK, with its code in the column nak; subject_id is the flow whose packets it refuses",
	flow.RNRNAK:           "an RNR NAK, with rnr_timer_us; subject_id as for nak",
	flow.CongestionNotice: "a CNP; subject_id is the flow that it throttles",
	flow.CongestionMark:   "a packet with ECN Congestion Experienced",
	flow.FECNMark:         "a packet with FECN",
	flow.BECNMark:         "a packet with BECN, no CNP",
	flow.SolicitedEvent:   "a packet with a solicited event",
	flow.MigrationChange:  "the migration state is not that of the packet before: old and new, 0 or 1",
	flow.PKeyChange:       "the P_Key is not that of the packet before: old and new",
	flow.PairingChange:    "it has become known, or doubtful, which flow is the other direction: subject_id and pairing",
}

// kindName returns the name of a kind of events in tables and JSON.
func kindName(k flow.EventKind) string { return snake(k.String()) }

// find returns which kinds names ask for, all if there are none.
func (t *kindTexts) find(names []string) (wanted [len(kindTexts{})]bool, err error) {
	var known []string
	for k := range t {
		name := kindName(flow.EventKind(k))
		known = append(known, name)
		wanted[k] = len(names) == 0 || slices.Contains(names, name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return wanted, fmt.Errorf("events: --kind %s: want one of %s", name, strings.Join(known, ", "))
		}
	}
	return wanted, nil
}

// help lists the kinds as they are shown by --help.
func (t *kindTexts) help() string {
	var rows []helpRow
	for k, text := range t {
		rows = append(rows, helpRow{kindName(flow.EventKind(k)), text})
	}
	return helpTable(rows)
}
