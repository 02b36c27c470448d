//! What a supplier's OpenADR server answers.
#![no_main]

use wattbook_fuzz::FuzzedParser;

wattbook_fuzz::target!(vec![
    FuzzedParser::of_text("events", EVENTS, openadr::fuzzing::events),
    FuzzedParser::of_text("report", REPORT, openadr::fuzzing::report),
]);

/// An event of each kind that is read.
const EVENTS: &str = r#"{"program": {"id": "p1", "programName": "power", "payloadDescriptors": [
    {"objectType": "EVENT_PAYLOAD_DESCRIPTOR", "payloadType": "PRICE", "units": "KWH", "currency": "EUR"},
    {"objectType": "EVENT_PAYLOAD_DESCRIPTOR", "payloadType": "IMPORT_CAPACITY_LIMIT", "units": "KW"},
    {"objectType": "EVENT_PAYLOAD_DESCRIPTOR", "payloadType": "GHG", "units": "GHG"}]},
  "events": [
   {"id": "e1", "programID": "p1", "eventName": "day ahead", "priority": 1, "targets": [],
    "modificationDateTime": "2026-03-09T00:00:00Z", "duration": "P2D",
    "intervalPeriod": {"start": "2026-03-10T08:00:00Z", "duration": "PT1H"},
    "intervals": [{"id": 0, "payloads": [{"type": "PRICE", "values": [0.17]}]},
     {"id": 1, "payloads": [{"type": "PRICE", "values": [-0.05]}]}]},
   {"id": "e2", "programID": "p1", "modificationDateTime": "2026-03-09T00:00:00+01:00",
    "intervals": [{"id": 0, "intervalPeriod": {"start": "2026-03-10T08:00:00Z", "duration": "P1DT2H",
     "randomizeStart": "PT5M"}, "payloads": [{"type": "IMPORT_CAPACITY_LIMIT", "values": [900.5]}]}]},
   {"id": "e3", "programID": "p1", "modificationDateTime": "2026-03-09T00:00:00Z",
    "intervalPeriod": {"start": "0000-00-00", "duration": "P9999Y"},
    "intervals": [{"id": 0, "payloads": [{"type": "IMPORT_CAPACITY_SUBSCRIPTION", "values": [1200]},
     {"type": "IMPORT_CAPACITY_AVAILABLE", "values": [100]},
     {"type": "IMPORT_CAPACITY_AVAILABLE_PRICE", "values": [0.2]},
     {"type": "IMPORT_CAPACITY_RESERVATION", "values": [50]},
     {"type": "IMPORT_CAPACITY_RESERVATION_FEE", "values": [3]}]}]},
   {"id": "e4", "programID": "p1", "modificationDateTime": "2026-03-09T00:00:00Z",
    "intervalPeriod": {"start": "2026-03-10T05:00:00Z", "duration": "PT12H"},
    "intervals": [{"id": 0, "payloads": [{"type": "GHG", "values": [56]},
     {"type": "ALERT_GRID_EMERGENCY", "values": ["reduce"]}]}]}]}"#;

const REPORT: &str = r#"{"id": "r1", "clientName": "wattbook", "eventID": "e1", "programID": "p1",
    "reportName": "usage", "modificationDateTime": "2026-03-09T00:00:00Z",
    "resources": [{"resourceName": "AGGREGATED_REPORT", "intervals": [{"id": 0,
     "intervalPeriod": {"start": "2026-03-10T08:00:00Z", "duration": "PT15M"},
     "payloads": [{"type": "USAGE", "values": [12.5]}]}]}]}"#;
