//! What forecasts know ahead of time: what is read is what is true, or an error of the right class, or a gap.

use grid_feeds::feed::{FeedError, RetryClass};
use grid_feeds::forecast::ForecastInput;
use grid_feeds::http::{Http, Timeouts};
use grid_feeds::input::{InputProvider, InputQuantity, InputQuery};
use planner::time::{Seconds, Span};
use replay_supplier::Fault;

use crate::world::{MILLION, SECRET, World, at, true_value};

const NOW: &str = "2026-03-10T12:00:00Z";

async fn fetched(world: &World, quantity: InputQuantity) -> Result<ForecastInput, FeedError> {
    let (base, secret) = world.address();
    let settings = format!(
        "provider = \"open-meteo\"\nlatitude = 48.85\nlongitude = 2.35\nkey = {secret}\nbase_url = {base:?}"
    );
    let provider: InputProvider = toml::from_str(&settings).unwrap();
    let (now, day) = (at(NOW), Seconds::new(86_400));
    let window = Span::new(now - day - day, now + day + day).unwrap();
    let http = Http::new(Timeouts::default()).unwrap();
    provider.fetch(InputQuery { name: "weather", quantity, now, window }, &http).await
}

/// A tenth of the truth. What is over is as it was forecast so many days before, which erred by a unit each.
#[tokio::test]
async fn the_weather_is_read_as_it_was_forecast() {
    let world = World::at(NOW).await;
    for quantity in
        [InputQuantity::Temperature, InputQuantity::WindSpeed, InputQuantity::Irradiance]
    {
        let input = fetched(&world, quantity).await.unwrap();
        assert_eq!(input.values.len(), 7);
        for (days, ahead) in (1..).zip(&input.values) {
            assert!(ahead.values.pieces().len() > 90, "{}", ahead.values.pieces().len());
            for piece in ahead.values.pieces() {
                let erred = if piece.span.start() < at(NOW) { days * MILLION } else { 0 };
                let truth = true_value(grid_feeds::feed::Quantity::Co2, piece.span) / 10 + erred;
                assert!((piece.value - truth).abs() <= 1, "{quantity:?} {}", piece.span);
            }
        }
    }
}

#[tokio::test]
async fn faults_are_errors_of_their_class_and_tell_no_secret() {
    let world = World::at(NOW).await;
    for (fault, class) in [
        (Fault::TooManyRequests, RetryClass::After(Seconds::new(30))),
        (Fault::Unavailable, RetryClass::Backoff),
        (Fault::Empty, RetryClass::Backoff),
        (Fault::EmptyObject, RetryClass::Backoff),
        (Fault::Truncated, RetryClass::Backoff),
        (Fault::OtherArea, RetryClass::Backoff),
        (Fault::Unauthorised, RetryClass::Permanent),
    ] {
        world.supplier.set_fault(Some(fault));
        let error = fetched(&world, InputQuantity::Temperature).await.unwrap_err();
        assert_eq!(error.retry(), class, "{fault:?}: {error}");
        assert!(!error.to_string().contains(SECRET) && !error.to_string().contains("t0ken"));
    }
}

/// A value in seven is missing, or one in fifty cannot be: the others count.
#[tokio::test]
async fn what_is_missing_or_cannot_be_is_a_gap() {
    let world = World::at(NOW).await;
    let hours = |input: &ForecastInput| input.values[0].values.pieces().len();
    let whole = hours(&fetched(&world, InputQuantity::Temperature).await.unwrap());
    for (fault, share) in [(Fault::Nulls, 7), (Fault::Absurd, 50)] {
        world.supplier.set_fault(Some(fault));
        let some = hours(&fetched(&world, InputQuantity::Temperature).await.unwrap());
        let gaps = whole - some;
        assert!((whole / share..=whole / share + 1).contains(&gaps), "{fault:?}: {gaps} gaps");
    }
}
