"""Client of Wattbook, which books supercomputer nodes when power is clean and cheap.

`Client` talks to a service. Its answers are the API's documents, whose types are in `wattbook.models`;
`wattbook.frames` makes pandas frames of them.
"""

from .client import Client
from .events import Event
from .problems import (
    Conflict,
    ConnectionFailed,
    Impossible,
    InvalidRequest,
    NotFound,
    NotPermitted,
    Problem,
    SimulationFailed,
    TooMany,
    Unavailable,
    WattbookError,
)
from .simulations import Simulation

__all__ = [
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Event",
    "Impossible",
    "InvalidRequest",
    "NotFound",
    "NotPermitted",
    "Problem",
    "Simulation",
    "SimulationFailed",
    "TooMany",
    "Unavailable",
    "WattbookError",
]
__version__ = "0.1.0"
