"""Servers that are broken on purpose, for tests of what doctor says about them."""

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from tests.servers import HOST, PASSWORD, free_port


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """Run a server that does this with each connection; yield its port."""
    with socket.socket() as server:
        server.bind((HOST, 0))
        server.listen()

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def begins_with_tls(cert: Path) -> Callable[[socket.socket], None]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, cert.with_name("key.pem"))

    def answer(connection: socket.socket) -> None:
        try:
            with context.wrap_socket(connection, server_side=True) as secured:
                secured.sendall(b"220 ready\r\n")
                secured.recv(1)
        except OSError:
            connection.close()

    return answer


def greets_as(greeting: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.sendall(greeting)
            connection.recv(1)

    return answer


greets = greets_as(b"220 ready\r\n")


def is_silent(connection: socket.socket) -> None:
    with connection, contextlib.suppress(OSError):
        while connection.recv(1000):
            pass


def expired(folder: Path, cert: Path) -> Path:
    """Return a certificate of the same key that has expired, with the key beside it."""
    private, request, old = cert.with_name("key.pem"), folder / "request.pem", folder / "cert.pem"
    openssl = ("openssl", "req", "-new", "-key", str(private), "-subj", "/CN=localhost", "-out", str(request))
    subprocess.run([*openssl, "-addext", f"subjectAltName=IP:{HOST}"], check=True, capture_output=True)
    openssl = ("openssl", "x509", "-req", "-in", str(request), "-signkey", str(private), "-days", "-1")
    subprocess.run([*openssl, "-copy_extensions", "copy", "-out", str(old)], check=True, capture_output=True)
    shutil.copy(private, folder / "key.pem")
    return old


class Submission:
    """A submission server with one account, which repeats a wrong password in its refusal."""

    def login(self, _server: Any, _session: Any, _envelope: Any, _how: str, data: Any) -> AuthResult:
        if data.password == PASSWORD.encode():
            return AuthResult(success=True)
        return AuthResult(success=False, handled=False, message=f"535 5.7.8 {data.password.decode()} is wrong")


@contextmanager
def submission(**more: Any) -> Iterator[int]:
    server = Submission()
    port = free_port()
    controller = Controller(server, hostname=HOST, port=port, authenticator=server.login, **more)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Requiring AUTH")  # aiosmtpd doesn't recognise implicit TLS
        controller.start()
        try:
            yield port
        finally:
            controller.stop(no_assert=True)
