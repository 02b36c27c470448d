//! A rolling upgrade: replicas of an earlier release are replaced by newer ones, one after another, while clients act. Meanwhile
//! both work on one database, which the first of the newer ones brought to the newer schema.

use std::time::Instant;

use super::World;
use super::faults::Story;
use super::fleet::REPLICAS;

impl World {
    /// Upgrades one replica after another, with as much time before each as after the last.
    pub async fn upgrade_all(&mut self, end: Instant) -> Story {
        let mut story = Story::default();
        let pause = self.run / (u32::try_from(REPLICAS).unwrap() + 1);
        for number in 0..REPLICAS {
            tokio::time::sleep(pause).await;
            let begun = Instant::now();
            self.fleet.upgrade(number).await;
            let upgraded = begun.elapsed();
            let (_, books) = self.fleet.until_all_book().await;
            eprintln!(
                "{:>7.1} s: replica {number} upgraded in {upgraded:.1?}; all book after {books:.1?}",
                (begun - self.begun).as_secs_f64(),
            );
            story.lasted += upgraded + books;
        }
        tokio::time::sleep_until(end.into()).await;
        story
    }
}
