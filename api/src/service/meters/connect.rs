//! Which meter stands behind a connection of the settings.

#[cfg(feature = "meters")]
use super::clients::Client;
use super::port::PolledMeter;
#[cfg(feature = "slurm")]
use super::slurm::SlurmEnergy;
use crate::config::meters::MeterConnection;

/// The meter of a connection.
pub(super) fn connect(connection: &MeterConnection) -> Box<dyn PolledMeter> {
    match *connection {
        #[cfg(feature = "meters")]
        MeterConnection::Prometheus(ref meter) => Box::new(Client(meter.clone())),
        #[cfg(feature = "meters")]
        MeterConnection::Redfish(ref meter) => Box::new(Client(meter.clone())),
        #[cfg(feature = "meters")]
        MeterConnection::Ipmi(ref meter) => Box::new(Client(meter.clone())),
        #[cfg(feature = "slurm")]
        MeterConnection::Slurm(ref slurm, values) => {
            Box::new(SlurmEnergy::new(slurm.clone(), values))
        }
    }
}
