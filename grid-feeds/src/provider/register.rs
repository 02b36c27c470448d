//! The providers that there are, as one type.

/// Makes the type [`Provider`](super::Provider) of the providers that are listed: the folder of each and
/// its name, which the settings file has in kebab-case.
macro_rules! register {
    ($($(#[$doc:meta])* $folder:ident as $name:ident,)+) => {
        /// A provider and what it needs to know: `provider = "entsoe"` in the settings file, and the
        /// settings of that provider.
        #[derive(Clone, Debug, serde::Deserialize)]
        #[serde(tag = "provider", rename_all = "kebab-case")]
        pub enum Provider {
            $($(#[$doc])* $name($folder::Settings),)+
        }

        impl Provider {
            /// The feed of `quantity`, named `source`; secrets are read now.
            ///
            /// # Errors
            /// Where the provider does not have the quantity, and where the settings cannot work.
            pub fn connect(
                &self,
                source: &str,
                quantity: Quantity,
                http: &Http,
            ) -> Result<Role, FeedError> {
                let role = match self {
                    $(Self::$name(settings) => settings.connect(source, quantity, http)?,)+
                };
                role.ok_or_else(|| {
                    let message = format!("this provider has no {}", quantity.word());
                    FeedError::configuration(message)
                })
            }

            /// The longest span that one fetch may ask for; a longer back-fill goes in parts.
            pub const fn longest_window(&self) -> Seconds {
                match self {
                    $(Self::$name(_) => <$folder::Settings as Declaration>::LONGEST_WINDOW,)+
                }
            }

            /// Whether what it publishes is binding in the end: what is provisional does not count as
            /// its publication. Forecasts stay forecasts.
            pub fn is_binding(&self, quantity: Quantity) -> bool {
                match self {
                    $(Self::$name(settings) => settings.is_binding(quantity),)+
                }
            }

            /// How the provider publishes and may be asked, unless the site says otherwise.
            pub fn rhythm(&self, quantity: Quantity) -> Rhythm {
                match self {
                    $(Self::$name(settings) => settings.own_rhythm(quantity),)+
                }
            }

            /// Settings of each provider that can be read.
            #[cfg(test)]
            fn examples() -> Vec<Self> {
                let read = |settings: Result<Self, toml::de::Error>| settings.unwrap();
                vec![$(read(
                    toml::from_str(<$folder::Settings as Declaration>::EXAMPLE).map(Self::$name),
                ),)+]
            }
        }
    };
}

pub(super) use register;
