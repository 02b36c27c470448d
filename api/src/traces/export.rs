//! Spans are sent to a collector by OTLP over HTTP.
//!
//! A thread of its own sends them, some seconds' at a time. What a collector that is down or slow does not take is dropped: no
//! request waits for it.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use opentelemetry::KeyValue;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter as OtlpExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use reqwest::blocking::Client;
use reqwest::redirect::Policy;
use storage::TRACES;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// How long the last spans may take to be sent once the service ends.
const CLOSES_WITHIN: Duration = Duration::from_secs(3);

/// A collector that fails is told of once in so long.
const TOLD_EVERY: Duration = Duration::from_mins(5);

/// What says for how long a collector is waited for, in milliseconds: for traces alone or for all that is told.
const TIMEOUTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"];

/// For how long it is waited for where neither says so.
const USUAL_TIMEOUT: Duration = Duration::from_secs(10);

/// Traces that are exported, where a collector is named.
pub struct Traces(Option<Result<SdkTracerProvider, ExporterBuildError>>);

impl Traces {
    /// What is added to a log so that traces are exported; nothing where no collector is named.
    pub fn open<S>() -> (Self, Option<Box<dyn Layer<S> + Send + Sync>>)
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        if !super::are_wanted() {
            return (Self(None), None);
        }
        let provider = provider();
        let layer = provider.as_ref().ok().map(|provider| {
            tracing_opentelemetry::layer()
                .with_tracer(provider.tracer("wattbook"))
                .with_location(false)
                .with_target(false)
                .with_threads(false)
                .with_tracked_inactivity(false)
                // Of others' spans nobody knows whether they hold secrets.
                .with_filter(filter_fn(|metadata| {
                    metadata.is_span() && metadata.target() == TRACES
                }))
                .boxed()
        });
        (Self(Some(provider)), layer)
    }

    /// Says, once there is a log, whether traces are exported.
    pub fn report(&self) {
        match &self.0 {
            None => {}
            Some(Ok(_)) => {
                tracing::info!("traces are sent to the collector that the environment names");
            }
            Some(Err(error)) => {
                tracing::warn!(%error, "no traces are sent: their settings in the environment are wrong");
            }
        }
    }

    /// Sends what is left, as far as it can be sent soon.
    pub fn close(self) {
        let Some(Ok(provider)) = self.0 else { return };
        if let Err(error) = provider.shutdown_with_timeout(CLOSES_WITHIN) {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }

    /// Makes a span a part of the trace that a caller's headers name (W3C Trace Context).
    pub(super) fn continue_trace(span: &Span, headers: &HeaderMap) {
        let context = TraceContextPropagator::new().extract(&Headers(headers));
        if context.span().span_context().is_valid() {
            // It fails only where nobody exports the span.
            let _ = span.set_parent(context);
        }
    }
}

/// What makes and sends spans, by the environment's settings: endpoint, headers, timeouts, sampler, resource.
fn provider() -> Result<SdkTracerProvider, ExporterBuildError> {
    // An error means that a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let exporter = OtlpExporter::builder().with_http().with_http_client(client()?).build()?;
    let named = std::env::var("OTEL_SERVICE_NAME").is_ok_and(|name| !name.is_empty());
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_attribute(version);
    let resource = if named { resource } else { resource.with_service_name("wattbook") };
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(Reporting { exporter, told: Mutex::default() })
        .with_resource(resource.build())
        .build())
}

/// A client that follows no redirect: the headers of the environment are for the collector alone.
fn client() -> Result<Client, ExporterBuildError> {
    let failed = |why: String| ExporterBuildError::InternalFailure(why);
    let build = || Client::builder().redirect(Policy::none()).timeout(timeout()).build();
    // A client that blocks is not made where futures are polled.
    let client = thread::spawn(build).join();
    let client =
        client.map_err(|_| failed("the HTTP client panicked as it was made".to_owned()))?;
    client.map_err(|error| failed(format!("no HTTP client: {error}")))
}

fn timeout() -> Duration {
    let milliseconds = |name| std::env::var(name).ok()?.parse().ok();
    TIMEOUTS.into_iter().find_map(milliseconds).map_or(USUAL_TIMEOUT, Duration::from_millis)
}

/// An exporter of whose failures the log tells, now and then.
#[derive(Debug)]
struct Reporting {
    exporter: OtlpExporter,
    /// When it was told last.
    told: Mutex<Option<Instant>>,
}

impl Reporting {
    /// Whether it is time to tell again.
    fn tells(&self) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = told.is_none_or(|at| at.elapsed() >= TOLD_EVERY);
        if is_due {
            *told = Some(Instant::now());
        }
        is_due
    }
}

impl SpanExporter for Reporting {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let exported = self.exporter.export(batch).await;
        if let Err(error) = &exported
            && self.tells()
        {
            tracing::warn!(spans, %error, "the collector did not take traces; they are dropped");
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// The headers of a request, for who looks for a trace in them.
struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(axum::http::HeaderName::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io::{ErrorKind, Read, Write};
    use std::net::{Shutdown, SocketAddr, TcpListener};

    use opentelemetry::trace::{Span as _, Tracer};
    use opentelemetry_otlp::WithExportConfig;

    use super::*;

    /// A collector that sends the first request on to another address, method and body kept; what it was asked.
    fn redirecting(to: SocketAddr) -> (SocketAddr, thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut read = [0; 4096];
            let length = stream.read(&mut read).unwrap();
            let answer = format!(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{to}/v1/traces\r\n\
                 Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(answer.as_bytes()).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            // What is left of the question is read: a reset would take the answer away.
            let _ = stream.read_to_end(&mut Vec::new());
            String::from_utf8_lossy(&read[..length]).into_owned()
        });
        (address, asked)
    }

    #[test]
    fn no_trace_and_no_header_follows_a_redirect() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
        elsewhere.set_nonblocking(true).unwrap();
        let (collector, asked) = redirecting(elsewhere.local_addr().unwrap());
        let headers = HashMap::from([("authorization".to_owned(), "Bearer s3cret".to_owned())]);
        let exporter = OtlpExporter::builder()
            .with_http()
            .with_http_client(client().unwrap())
            .with_endpoint(format!("http://{collector}/v1/traces"))
            .with_headers(headers)
            .build()
            .unwrap();
        // It sends a span as it ends, and goes on once that is answered.
        let provider = SdkTracerProvider::builder().with_simple_exporter(exporter).build();
        provider.tracer("wattbook").start("request").end();
        let asked = asked.join().unwrap();
        assert!(asked.starts_with("POST /v1/traces") && asked.contains("Bearer s3cret"), "{asked}");
        let followed = elsewhere.accept().map(drop).map_err(|error| error.kind());
        assert_eq!(followed, Err(ErrorKind::WouldBlock));
    }
}
