//! Payloads of the markets around the Pacific.

use grid_feeds::feed::Factors;
use grid_feeds::provider::{aemo, caiso, japan_area, jepx};

use crate::payload::{Payload, day_from};

pub const PACIFIC: &[Payload] = &[
    Payload {
        name: "AEMO",
        text: "C,NEMP.WORLD,PREDISPATCHIS,AEMO,PUBLIC,2026/03/01,11:03:21,0000000398,PREDISPATCH,0000000398\n\
            I,PREDISPATCH,REGION_PRICES,1,PREDISPATCHSEQNO,RUNNO,REGIONID,PERIODID,INTERVENTION,RRP,EEP,DATETIME\n\
            D,PREDISPATCH,REGION_PRICES,1,2026030115,1,SA1,01,0,56.06,0,\"2026/03/01 11:30:00\"\n\
            D,PREDISPATCH,REGION_PRICES,1,2026030115,1,SA1,01,1,999.5,0,\"2026/03/01 11:30:00\"\n\
            D,PREDISPATCH,REGION_PRICES,1,2026030115,1,SA1,02,0,-41.25,0,\"2026/03/01 12:00:00\"\n\
            C,\"END OF REPORT\",6\n",
        values: &[56_060_000, -41_250_000],
        written: &[",56.06,", ",-41.25,"],
        read: |text| aemo::map::prices(&aemo::map::read(text, "SA1")?),
    },
    Payload {
        name: "California ISO",
        text: "INTERVALSTARTTIME_GMT,INTERVALENDTIME_GMT,OPR_DT,OPR_HR,NODE,MARKET_RUN_ID,LMP_TYPE,POS,MW,GROUP\n\
            2026-07-14T08:00:00-00:00,2026-07-14T09:00:00-00:00,2026-07-14,2,N15,DAM,LMP,0,-48.61367,1\n\
            2026-07-14T07:00:00-00:00,2026-07-14T08:00:00-00:00,2026-07-14,1,N15,DAM,LMP,0,55.5152,1\n\
            2026-07-14T07:00:00-00:00,2026-07-14T08:00:00-00:00,2026-07-14,1,N15,DAM,MCC,0,999.5,1\n",
        values: &[55_515_200, -48_613_670],
        written: &[",55.5152,", ",-48.61367,"],
        read: |text| caiso::map::prices(&caiso::map::read(text, "N15")?),
    },
    Payload {
        name: "Grid companies of Japan",
        text: "単位[MW平均],,,供給力\r\nDATE,TIME,エリア需要,原子力,火力(LNG),火力(石炭),火力(石油),火力(その他),\
            水力,地熱,バイオマス,太陽光発電実績,太陽光出力制御量,風力発電実績,風力出力制御量,揚水,蓄電池,連系線,\
            その他,合計\r\n2026/3/1,0:00,9000,0,123,0,0,0,0,0,0,0,0,0,0,30,0,20,0,173\r\n\
            2026/3/1,0:30,9000,0,124.5,0,0,0,0,0,0,0,0,0,0,30,0,20,0,174.5\r\n",
        values: &[490_000_000, 490_000_000],
        written: &[",123,", ",124.5,"],
        read: |text| {
            let record = japan_area::map::read(text, jiff::civil::date(2026, 3, 1))?;
            japan_area::map::intensities(&[record], day_from(1_772_290_800)?, Factors::Lifecycle)
        },
    },
    Payload {
        name: "JEPX",
        text: "受渡日,時刻コード,売り入札量(kWh),システムプライス(円/kWh),エリアプライス東京(円/kWh),買い入札量(kWh)\r\n\
            2026/03/10,47,9000000,11.5,9.25,8000000\r\n2026/03/10,48,9000000,11.5,-0.01,8000000\r\n",
        values: &[9_250_000_000, -10_000_000],
        written: &[",9.25,", ",-0.01,"],
        read: |text| {
            let (day, tokyo) = (jiff::civil::date(2026, 3, 10), jepx::SpotArea::Tokyo);
            jepx::map::prices(vec![jepx::map::read(text, 2025, tokyo, (day, day))?])
        },
    },
];
