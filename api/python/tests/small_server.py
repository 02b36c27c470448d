"""A small HTTP server whose answers a test says, one after the other, and that notes what it was asked."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Answer:
    """What is answered: text as it is, anything else as JSON; a status of 0 breaks the connection off."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Asked:
    """What was asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class SmallServer:
    url: str
    asked: list[Asked]


def problem(status: int, code: str, **headers: str) -> Answer:
    document = {
        "type": f"urn:wattbook:problem:{code}",
        "title": code,
        "status": status,
        "code": code,
        "detail": "Wait.",
    }
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, document, {"Content-Type": "application/problem+json", **told})


@contextlib.contextmanager
def small_server(*answers: Answer) -> Iterator[SmallServer]:
    """A server that answers so; whatever is asked beyond is a 500."""
    asked: list[Asked] = []
    left = list(answers)

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: Any) -> None:
            pass

        def answer(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked.append(Asked(self.command, self.path, headers, json.loads(text) if text else None))
            said = left.pop(0) if left else Answer(500, {"code": "unexpected", "detail": "asked too often"})
            if said.status == 0:
                self.close_connection = True
                return
            body = said.body.encode() if isinstance(said.body, str) else json.dumps(said.body).encode()
            self.send_response(said.status)
            for name, value in {"Content-Length": str(len(body)), **said.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = answer

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield SmallServer(f"http://127.0.0.1:{server.server_address[1]}", asked)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
