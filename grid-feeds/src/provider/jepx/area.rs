//! Areas, and the columns of their prices.

/// An area of the market, or the market as if no line were full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpotArea {
    /// The price that all areas would have without limits between them.
    System,
    /// Hokkaido.
    Hokkaido,
    /// Tohoku.
    Tohoku,
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
    /// Kyushu.
    Kyushu,
}

impl SpotArea {
    /// The column of its prices, which names their unit: yen per kWh.
    pub(super) const fn column(self) -> &'static str {
        match self {
            Self::System => "システムプライス(円/kWh)",
            Self::Hokkaido => "エリアプライス北海道(円/kWh)",
            Self::Tohoku => "エリアプライス東北(円/kWh)",
            Self::Tokyo => "エリアプライス東京(円/kWh)",
            Self::Chubu => "エリアプライス中部(円/kWh)",
            Self::Hokuriku => "エリアプライス北陸(円/kWh)",
            Self::Kansai => "エリアプライス関西(円/kWh)",
            Self::Chugoku => "エリアプライス中国(円/kWh)",
            Self::Shikoku => "エリアプライス四国(円/kWh)",
            Self::Kyushu => "エリアプライス九州(円/kWh)",
        }
    }

    /// What the settings file calls it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Hokkaido => "hokkaido",
            Self::Tohoku => "tohoku",
            Self::Tokyo => "tokyo",
            Self::Chubu => "chubu",
            Self::Hokuriku => "hokuriku",
            Self::Kansai => "kansai",
            Self::Chugoku => "chugoku",
            Self::Shikoku => "shikoku",
            Self::Kyushu => "kyushu",
        }
    }
}
