"""What every end-to-end test starts from. See support/origins.py for who lives at which address."""

import signal

import pytest

from support.certificates import Authority
from support.local_dns import LocalDNS
from support.origins import HIJACKER, INSIDE, RIGHT, Origins
from support.proxy import BINARY, Proxy
from support.public_dns import Account, Entry, PublicDNS
from support.raw_origin import RawOrigin

ACCOUNT = Account()
LIMIT = 60  # seconds that one test may take; none comes near it unless something hangs


@pytest.fixture(autouse=True)
def _limit(request):
    def give_up(*_):
        raise TimeoutError(f"{request.node.name} took more than {LIMIT} s")

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(LIMIT)
    yield
    signal.alarm(0)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="session")
def authority(folder):
    """Signs the good origins; the proxy trusts it through --ca."""
    return Authority(folder, "origin-authority")


@pytest.fixture(scope="session")
def unknown_authority(folder):
    return Authority(folder, "unknown-authority")


@pytest.fixture(scope="session")
def origins(folder, authority, unknown_authority):
    home = folder / "nginx"
    home.mkdir()
    servers = Origins(home, authority, unknown_authority)
    yield servers
    servers.stop()


@pytest.fixture(scope="session")
def local_dns(folder):
    home = folder / "unbound"
    home.mkdir()
    names = {
        "moved.test": HIJACKER,
        "gone.test": HIJACKER,
        "app.corp.test": INSIDE,
        "app.internal": INSIDE,
        "*.both.test": INSIDE,
    }
    server = LocalDNS(home, names)
    yield server
    server.stop()


def zone():
    """What HTTPDNS knows. `moved.test` has another address in LocalDNS, so has every name under `both.test`."""
    at_right = ("one", "two", "three", "moved", "wrong", "expired", "selfsigned", "unknown")
    names = {f"{name}.test": Entry(a=[RIGHT]) for name in at_right}
    return names | {"*.both.test": Entry(a=[RIGHT]), "raw.test": Entry(a=[RIGHT])}


@pytest.fixture
def public_dns():
    """The HTTPDNS service, over HTTP; it refuses what is not signed."""
    service = PublicDNS(zone(), account=ACCOUNT, require_signature=True)
    yield service
    service.stop()


@pytest.fixture(scope="session")
def binary():
    assert BINARY.exists(), f"{BINARY} is not built: `make build`"
    return BINARY


def provider_flags(service, signed=True):
    flags = ["--provider-url", service.url]
    return flags + (["--account-id", ACCOUNT.id, "--access-key-id", ACCOUNT.key_id] if signed else [])


SECRET = {"HTTPDNS_PROXY_ACCESS_KEY_SECRET": ACCOUNT.secret}


@pytest.fixture
def start_proxy(binary, tmp_path, origins, local_dns, authority, public_dns):
    """Starts a proxy: `start_proxy("--connect-timeout", "1s")`.

    Keywords: `provider` (flags that name the HTTPDNS service), `local` (--local-dns address), `ca` (an authority), `allow`
    (False keeps the rule that a loopback address for a public name is refused), `environment`, `descriptors`, `port`.
    """
    started = []

    def start(*flags, provider=None, local=None, ca=None, allow=True, environment=None, **options):
        base = provider_flags(public_dns) if provider is None else list(provider)
        base += ["--local-dns", local or local_dns.address, "--ca", str((ca or authority).certificate)]
        base += ["--allow-destination", "127.0.0.0/8", "--allow-destination", "::1/128"] if allow else []
        proxy = Proxy(tmp_path, [*base, *flags], (SECRET if "--access-key-id" in base else {}) | (environment or {}), **options)
        started.append(proxy)
        return proxy

    yield start
    for proxy in started:
        proxy.stop()


@pytest.fixture
def proxy(start_proxy):
    """A proxy with the usual settings."""
    return start_proxy()


@pytest.fixture
def raw_origin():
    """Starts scripted origins at RIGHT (the name raw.test): `raw_origin(script)` with `script(origin, wire, number)`."""
    started = []

    def start(script, **options):
        holder = []
        holder.append(RawOrigin(lambda wire, number: script(holder[0], wire, number), **options))
        started.append(holder[0])
        return holder[0]

    yield start
    for origin in started:
        origin.stop()


@pytest.fixture
def provider_authority(tmp_path):
    """Signs the HTTPDNS service; the proxy trusts it through --provider-ca alone."""
    return Authority(tmp_path, "provider-authority")


@pytest.fixture
def provider_over_tls(provider_authority):
    pair = provider_authority.issue("provider", "127.0.0.1")
    service = PublicDNS(zone(), tls=pair, account=ACCOUNT, require_signature=True)
    yield service
    service.stop()
