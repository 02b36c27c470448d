//! Enumerations that tables and documents know by words.

/// Declares an enumeration with its words in tables and documents.
macro_rules! worded {
    ($(#[$docs:meta])* $name:ident { $($(#[$variant_docs:meta])* $variant:ident = $word:expr,)* }) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_docs])* $variant,)*
        }

        impl $name {
            /// The word used in documents and tables.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The value of this word.
            pub fn from_word(word: &str) -> Option<Self> {
                [$(Self::$variant),*].into_iter().find(|it| it.word() == word)
            }
        }
    };
}
pub(crate) use worded;
