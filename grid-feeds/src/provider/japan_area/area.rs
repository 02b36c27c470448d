//! Areas, and where their companies keep the records.

/// The area of a grid company whose records are of the common form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordArea {
    /// Hokkaido.
    Hokkaido,
    /// Tokyo.
    Tokyo,
    /// Chubu, with Nagoya.
    Chubu,
    /// Hokuriku.
    Hokuriku,
    /// Kansai, with Osaka.
    Kansai,
    /// Chugoku, with Hiroshima.
    Chugoku,
    /// Shikoku.
    Shikoku,
    /// Okinawa.
    Okinawa,
}

impl RecordArea {
    /// What the settings file calls it, its number in the names of files, and the folder of its company.
    const fn known_as(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Hokkaido => (
                "hokkaido",
                "01",
                "https://www.hepco.co.jp/network/con_service/public_document/supply_demand_results/csv",
            ),
            Self::Tokyo => ("tokyo", "03", "https://www.tepco.co.jp/forecast/html/images"),
            Self::Chubu => {
                ("chubu", "04", "https://powergrid.chuden.co.jp/denki_yoho_content_data")
            }
            Self::Hokuriku => ("hokuriku", "05", "https://www.rikuden.co.jp/nw/denki-yoho/csv"),
            Self::Kansai => (
                "kansai",
                "06",
                "https://www.kansai-td.co.jp/interchange/denkiyoho/area-performance",
            ),
            Self::Chugoku => ("chugoku", "07", "https://www.energia.co.jp/nw/jukyuu/sys"),
            Self::Shikoku => ("shikoku", "08", "https://www.yonden.co.jp/nw/supply_demand/csv"),
            Self::Okinawa => (
                "okinawa",
                "10",
                "https://www.okiden.co.jp/business-support/service/supply-and-demand/csv",
            ),
        }
    }

    pub(super) const fn word(self) -> &'static str {
        self.known_as().0
    }

    pub(super) const fn number(self) -> &'static str {
        self.known_as().1
    }

    pub(super) const fn folder(self) -> &'static str {
        self.known_as().2
    }
}
