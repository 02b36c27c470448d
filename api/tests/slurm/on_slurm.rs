//! Tests against the real Slurm, on both databases.

/// Runs plain async functions that take a [`crate::site::Site`] as tests on both engines, which `.ci/slurm`
/// starts: nobody else has a Slurm. After `sqlite:` on that one alone: slow ones to which the engine is the same.
macro_rules! on_slurm {
    (sqlite: $($name:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                #[ignore = "needs a real Slurm: .ci/slurm"]
                async fn $name() {
                    $crate::site::Site::sqlite().run(super::$name).await;
                }
            )*
        }
    };
    ($($name:ident),* $(,)?) => {
        $crate::on_slurm::on_slurm! { sqlite: $($name),* }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                #[ignore = "needs a real Slurm: .ci/slurm"]
                async fn $name() {
                    if let Some(site) = $crate::site::Site::postgres(stringify!($name)).await {
                        site.run(super::$name).await;
                    }
                }
            )*
        }
    };
}
pub(crate) use on_slurm;
