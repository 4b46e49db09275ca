"""The container image and the site of compose.yaml: what they promise, and whether a player gets an answer from it."""

import email
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
import yaml

from pbem import config
from tests.docs.pages import ROOT, page
from tests.operating import containers
from tests.servers import GENEROUS, missing, until

FOLDER = ROOT / "deploy" / "container"
DOCKERFILES = {"pbem": FOLDER / "Dockerfile"} | {
    name: FOLDER / name / "Dockerfile" for name in ("dovecot", "postfix", "web")
}
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
VARIABLES = {
    "MAIL_DOMAIN": "games.example",
    "MAIL_HOST": "mx.games.example",
    "WEB_HOST": "localhost",
    "ADMIN": "admin@elsewhere.example",
    "RELAYHOST": "[127.0.0.1]:2525",
}
PASSWORD = "the password of a test\n"


def test_the_image_runs_as_a_user_who_owns_nothing_of_it() -> None:
    text = DOCKERFILES["pbem"].read_text(encoding="utf-8")
    final = list(containers.instructions(text[text.rindex("\nFROM ") + 1 :]))
    words = [word for word, _ in final]
    assert words.index("USER") > max(at for at, word in enumerate(words) if word in ("RUN", "COPY"))
    user = dict(final)["USER"]
    made = next(rest for word, rest in final if word == "RUN")
    assert f"--shell /usr/sbin/nologin {user}" in made
    assert re.findall(r"-o (\S+) -g \S+ -m 700 (\S+)", made) == [(user, dict(final)["VOLUME"])]
    assert "--require-hashes -r deploy/lock/run.txt" in text
    assert not re.search(r"password|secret|\bADD\b|curl|wget", text, re.IGNORECASE)


def test_services_write_to_volumes_and_memory_only_and_have_no_rights() -> None:
    for name, dockerfile in DOCKERFILES.items():
        service = COMPOSE["services"][name]
        assert service["read_only"] is True
        assert service["build"]["dockerfile"] == dockerfile.relative_to(ROOT).as_posix()
        assert (FOLDER / service["build"]["context"]).resolve() == ROOT
        volumes = {rest for word, rest in containers.instructions(dockerfile.read_text()) if word == "VOLUME"}
        assert volumes <= {each.split(":")[1] for each in service["volumes"]}
    for service in (COMPOSE["services"]["pbem"], COMPOSE["services"]["web"]):
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
    published = {name: service["ports"] for name, service in COMPOSE["services"].items() if "ports" in service}
    assert published == {"postfix": ["25:25"], "web": ["80:8080", "443:8443"]}, "only ports for everybody"


def test_its_configuration_is_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in COMPOSE["services"]["pbem"]["environment"].items():
        monkeypatch.setenv(name, re.sub(r"\$\{(\w+)[^}]*\}", lambda found: VARIABLES[found[1]], value))
    settings = config.load(FOLDER / "pbem.toml")
    assert settings.server.address == "games@games.example"
    assert settings.inbox.imap
    assert settings.outbox.smtp
    assert {settings.inbox.imap.host, settings.outbox.smtp.host} < set(COMPOSE["services"])
    assert f"\n{settings.outbox.smtp.port} " in (FOLDER / "postfix" / "master.cf").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["postfix", "dovecot"])
def test_its_scripts_are_sound(name: str) -> None:
    done = subprocess.run(["/bin/sh", "-n", str(FOLDER / name / "start")], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    assert os.access(FOLDER / name / "start", os.X_OK)


def test_the_image_gets_what_the_wheel_is_built_from_and_no_secret(tmp_path: Path) -> None:
    containers.sources(ROOT, tmp_path)
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    wheel = re.search(
        r"targets\.wheel\]\n(.*?)\n\[tool\.hatch\.build\.targets\.sdist", page("pyproject.toml"), re.DOTALL
    )
    assert wheel
    wanted = {path for path in re.findall(r'"([\w./]+)"', wheel[1]) if path != "." and (ROOT / path).exists()}
    assert {"pbem", "docs", "config.example.toml"} <= wanted
    assert wanted <= there
    assert not {name for name in there if name.startswith((".git", ".venv", "tests"))}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Debian 12 without anything on top, as the image debian:12-slim is; PBEM_TEST_DEBIAN may name one."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a Debian and run services in it")
    if subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "true"], capture_output=True).returncode:
        pytest.skip("namespaces can't be made here, as in a container without that right")
    if given := os.environ.get("PBEM_TEST_DEBIAN"):
        return Path(given)
    program = shutil.which("debootstrap")
    if program is None:
        missing("debootstrap", "debootstrap")
        raise AssertionError
    if shutil.which("buildah") is None:
        missing("buildah", "buildah")
    folder = tmp_path_factory.mktemp("debian") / "base"
    done = subprocess.run([program, "--variant=minbase", "bookworm", str(folder)], capture_output=True, timeout=1_200)
    if done.returncode and b"Failed getting release file" in done.stdout + done.stderr:
        pytest.skip("no Debian mirror can be reached")
    assert done.returncode == 0, (done.stdout + done.stderr)[-3_000:].decode()
    return folder


class Running:
    """The services of a site that run, and what to ask them."""

    def __init__(self, site: containers.Site, stack: ExitStack) -> None:
        self.site = site
        self.stack = stack
        self.services: dict[str, subprocess.Popen[bytes]] = {}
        self.sent = site.folder / "sent"

    def start(self, name: str) -> None:
        """Start a service; its log is kept."""
        words, environment = self.site.words(name)
        log = self.stack.enter_context((self.site.folder / f"{name}.log").open("wb"))
        self.services[name] = subprocess.Popen(words, env=environment, stdout=log, stderr=subprocess.STDOUT)
        self.stack.callback(self._end, self.services[name])

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        if process.poll() is not None:
            return
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
        for child in children:  # the first of a process namespace, and with it all others
            os.kill(int(child), signal.SIGKILL)
        process.kill()
        process.wait()

    def run(self, name: str, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command as `docker compose run` does."""
        words, environment = self.site.words(name, *command)
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=600)

    def inside(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program of this machine in the network of the site."""
        enter = ["nsenter", f"--net=/proc/{self.site.network}/ns/net", *words]
        return subprocess.run(enter, input=stdin, capture_output=True, text=True, timeout=600)

    def send(self, recipient: str, text: str) -> subprocess.CompletedProcess[str]:
        """Send a message as a mail server elsewhere does: not from the addresses of this host."""
        message = EmailMessage()
        message["From"], message["To"], message["Date"] = "alice@elsewhere.example", recipient, email.utils.localtime()
        message["Message-ID"] = email.utils.make_msgid(domain="elsewhere.example")
        message.set_content(text)
        script = (
            "import smtplib, sys\n"
            "with smtplib.SMTP('192.0.2.1', 25, 'elsewhere.example', source_address=('192.0.2.1', 0)) as server:\n"
            f"    server.sendmail('alice@elsewhere.example', [{recipient!r}], sys.stdin.read())"
        )
        return self.inside(sys.executable, "-c", script, stdin=message.as_string())

    def logs(self) -> str:
        """Return how the logs of all services end."""
        logs = sorted(self.site.folder.glob("*.log"))
        return "\n".join(f"--- {path}\n{path.read_text(errors='replace')[-4_000:]}" for path in logs)

    def until(self, what: str, found: Callable[[], Any]) -> Any:
        """Return what is found, once it is; where it never is, the logs are printed."""
        try:
            return until(found, what, 4 * GENEROUS)
        except pytest.fail.Exception:
            print(self.logs())
            raise

    def got(self, subject: str) -> EmailMessage | None:
        """Return the message with that subject that the relay got."""
        for path in self.sent.iterdir():
            # smtp-sink writes its own lines before the message, with X- in front
            message = email.message_from_bytes(path.read_bytes(), policy=policy.default)
            if message["Subject"] == subject and isinstance(message, EmailMessage):
                return message
        return None


@pytest.fixture(scope="module")
def builder(base: Path) -> Iterator[containers.Builder]:
    """Return what builds the images."""
    with tempfile.TemporaryDirectory(prefix="images") as folder:  # pytest's would stay for a while, with gigabytes
        yield containers.Builder(Path(folder), base)


@contextmanager
def composed(builder: containers.Builder, folder: Path, *names: str) -> Iterator[Running]:
    """Build the images of these services, and provide the site without any that runs yet."""
    shutil.copytree(FOLDER, folder / "compose")
    (folder / "compose" / "mail_password").write_text(PASSWORD, encoding="utf-8")
    (folder / "compose" / "mail_password").chmod(0o600)
    told = {name: {"COMMIT": "abc1234"} if name == "pbem" else {} for name in names}
    images = {name: builder.build(DOCKERFILES[name], ROOT, **told[name]) for name in names}
    with ExitStack() as stack:
        network = stack.enter_context(subprocess.Popen(["unshare", "--net", "sleep", "infinity"]))
        stack.callback(network.kill)
        own = Path("/proc/self/ns/net").readlink()
        until(lambda: Path(f"/proc/{network.pid}/ns/net").readlink() != own, "a network of its own")
        site = Running(containers.Site(COMPOSE, images, folder, network.pid, VARIABLES), stack)
        for words in (("link", "set", "lo", "up"), ("addr", "add", "192.0.2.1/32", "dev", "lo")):
            assert site.inside("ip", *words).returncode == 0
        yield site


@pytest.fixture(scope="module")
def running(builder: containers.Builder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Start the site as deploy/container/README.md says."""
    sink = shutil.which("smtp-sink")
    if sink is None:
        missing("smtp-sink", "postfix")
        raise AssertionError
    folder = tmp_path_factory.mktemp("site")
    with composed(builder, folder, *DOCKERFILES) as site:
        site.sent.mkdir()
        enter = ["nsenter", f"--net=/proc/{site.site.network}/ns/net"]
        enter += [sink, "-u", "root", "-d", "%s.", "127.0.0.1:2525", "10"]
        relay = subprocess.Popen(enter, cwd=site.sent)
        site.stack.callback(site._end, relay)
        site.start("dovecot")
        certificate = folder / "volumes" / "tls" / "cert.pem"
        site.until("a certificate of Dovecot", certificate.is_file)
        done = site.run("pbem", "pbem", "init")
        assert done.returncode == 0, done.stdout + done.stderr
        for name in ("postfix", "pbem", "web"):
            site.start(name)
        site.until("pbem is well", lambda: site.run("pbem", *site.site.images["pbem"].health).returncode == 0)
        yield site


FETCHING = (
    "import ssl, urllib.request as web\n"
    "with web.urlopen('https://localhost:8443/', context=ssl._create_unverified_context()) as got:\n"
    "    print(got.status, got.headers['Content-Security-Policy'], got.read().decode())"
)


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_a_builder_builds_the_images_and_caddy_shows_what_pbem_publishes(
    builder: containers.Builder, tmp_path: Path
) -> None:
    with composed(builder, tmp_path, "pbem", "web") as site:
        assert site.run("pbem", "pbem", "--version").stdout == "pbem 1.0.0+abc1234\n"
        for words in (("init",), ("publish", "/var/www/pbem"), ("check",)):
            done = site.run("pbem", "pbem", *words)
            assert done.returncode == 0, done.stdout + done.stderr
        site.start("web")
        shown = site.until("the site", lambda: site.inside(sys.executable, "-c", FETCHING).stdout)
        assert shown.startswith("200 default-src 'none'")
        assert "<title>PBeM" in shown


@pytest.mark.soak
@pytest.mark.timeout(3_000)
def test_the_site_answers_a_stranger_relays_nothing_and_stops(running: Running) -> None:
    assert running.send("games@games.example", "join alice\n").returncode == 0
    asked = running.until("the question", lambda: running.got("[pbem] Was this you?"))
    (reply_to,) = asked["Reply-To"].addresses
    assert running.send(reply_to.addr_spec, "yes\n").returncode == 0
    assert running.until("the welcome", lambda: running.got("[pbem] Welcome"))["To"] == "alice@elsewhere.example"

    refused = running.send("somebody@elsewhere.example", "buy something\n").stderr
    assert "SMTPRecipientsRefused" in refused
    assert "454" in refused or "554" in refused
    assert "550" in running.send("nobody@games.example", "hello\n").stderr
    assert running.send("postmaster@games.example", "hello\n").returncode == 0
    to_admin = b"X-Rcpt-Args: <admin@elsewhere.example>"
    running.until("mail to the admin", lambda: [1 for path in running.sent.iterdir() if to_admin in path.read_bytes()])

    script = "id -u; touch /var/lib/pbem/x && echo state; touch /tmp/x && echo memory; touch /opt/pbem/x /x /etc/pbem/x"
    done = running.run("pbem", "/bin/sh", "-c", script)
    assert done.stdout.split() == ["990", "state", "memory"]
    assert done.stderr.count("Read-only file system") == 3
    doctor = running.run("pbem", "pbem", "doctor")
    problems = [line for line in doctor.stdout.splitlines() if line.startswith("problem")]
    assert [line for line in problems if not line.startswith("problem dns")] == [], doctor.stdout + doctor.stderr

    outer = running.services["pbem"]
    (inner,) = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text(encoding="utf-8").split()
    os.kill(int(inner), signal.SIGTERM)
    assert outer.wait() == 0
