"""Certificate authorities and server certificates, made with openssl for one test run."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


def _openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"openssl {arguments[0]}: {done.stderr}"


@dataclass(frozen=True)
class KeyPair:
    certificate: Path
    key: Path


class Authority:
    """A certificate authority of its own."""

    def __init__(self, folder, name):
        self.folder = Path(folder) / name
        self.folder.mkdir()
        self.pair = KeyPair(self.folder / "ca.crt", self.folder / "ca.key")
        _openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 30,
            "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
            "-keyout", self.pair.key, "-out", self.pair.certificate,
        )  # fmt: skip

    @property
    def certificate(self):
        return self.pair.certificate

    def issue(self, label, *names, expired=False):
        """A server certificate for DNS names and IP addresses; `expired` puts its whole life into the past."""
        pair = KeyPair(self.folder / f"{label}.crt", self.folder / f"{label}.key")
        request = self.folder / f"{label}.csr"
        extensions = self.folder / f"{label}.ext"
        alternatives = ",".join(("IP:" if name[0].isdigit() else "DNS:") + name for name in names)
        extensions.write_text(f"subjectAltName={alternatives}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n")
        _openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={names[0]}",
            "-keyout", pair.key, "-out", request,
        )  # fmt: skip
        if expired:
            self._sign_in_the_past(label, request, extensions, pair)
        else:
            _openssl(
                "x509", "-req", "-in", request, "-CA", self.pair.certificate, "-CAkey", self.pair.key, "-CAcreateserial",
                "-days", 20, "-extfile", extensions, "-out", pair.certificate,
            )  # fmt: skip
        return pair

    def _sign_in_the_past(self, label, request, extensions, pair):
        settings = self.folder / f"{label}.conf"
        (self.folder / "index").write_text("")
        (self.folder / "serial").write_text("1000\n")
        settings.write_text(
            f"[ca]\ndefault_ca=d\n[d]\ndir={self.folder}\ndatabase=$dir/index\nserial=$dir/serial\nnew_certs_dir=$dir\n"
            "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n"
        )
        _openssl(
            "ca", "-batch", "-config", settings, "-cert", self.pair.certificate, "-keyfile", self.pair.key, "-notext",
            "-startdate", "20200101000000Z", "-enddate", "20210101000000Z", "-extfile", extensions,
            "-in", request, "-out", pair.certificate,
        )  # fmt: skip


def self_signed(folder, name):
    """A certificate that vouches for itself."""
    pair = KeyPair(Path(folder) / f"{name}.crt", Path(folder) / f"{name}.key")
    _openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 20, "-subj", f"/CN={name}",
        "-addext", f"subjectAltName=DNS:{name}", "-keyout", pair.key, "-out", pair.certificate,
    )  # fmt: skip
    return pair
