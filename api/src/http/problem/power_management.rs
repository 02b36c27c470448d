//! Why the power of nodes is not decided on, as problems.

use axum::http::StatusCode;

use super::Problem;
use crate::service::power_management::PowerManagementError;

impl From<PowerManagementError> for Problem {
    fn from(error: PowerManagementError) -> Self {
        use PowerManagementError as Error;
        match error {
            Error::NotConfigured => {
                Self::conflict("no_power_driver", "No nodes are switched", &error)
            }
            Error::Rules(_) => {
                Self::conflict("power_rules", "The rules do not go with the nodes", &error)
            }
            Error::NotYours(_) => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", error.to_string())
            }
            Error::NoAction => Self::not_found("such power action"),
            Error::Decided(_) => Self::conflict("decided", "It is decided already", &error),
            Error::OnlyProposed => Self::conflict("only_proposed", "It is only proposed", &error),
            Error::NotSwitchable(_) => {
                Self::conflict("not_switchable", "The nodes cannot be switched", &error)
            }
            Error::Underway(_) => {
                Self::conflict("underway", "The nodes are being switched", &error)
            }
            Error::Changed => Self::conflict("changed", "It changed meanwhile", &error),
            Error::Manager(_) | Error::Planning(_) => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "unavailable",
                "Not now",
                error.to_string(),
            ),
            Error::Fault(fault) => fault.into(),
        }
    }
}
