"""The stand-in for the HTTPDNS service is itself checked, against worked examples with a fixed clock."""

import http.client
import json
import urllib.parse

import pytest

from support.public_dns import AAAA, A, Account, Entry, Mode, PublicDNS

ACCOUNT = Account("123456", "AKIDEXAMPLE", "s3cr3tKeyForDocs")
NOW = 1700000000
ZONE = {
    "www.example.com": Entry(cname="edge.example.net", ttl=120),
    "edge.example.net": Entry(a=["192.0.2.10", "192.0.2.11"], aaaa=["2001:db8::10"]),
    "broken.example.com": Entry(status=2),
    "four.example.com": Entry(a=["192.0.2.12"]),
    "bare.example.com": Entry(a=["192.0.2.12"], empty_list=False),
    "*.wild.example.com": Entry(a=["192.0.2.13"]),
}


@pytest.fixture
def service():
    running = PublicDNS(ZONE, account=ACCOUNT, require_signature=True, clock=lambda: NOW)
    yield running
    running.stop()


def fetch(service, **parameters):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=5)
    connection.request("GET", "/resolve?" + urllib.parse.urlencode(parameters))
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def signed(service, name, type=A, ts=NOW, key=None, **more):
    key = key or ACCOUNT.signature(str(ts), name)
    return fetch(service, name=name, type=type, uid=ACCOUNT.id, ts=ts, key=key, ak=ACCOUNT.key_id, **more)


@pytest.mark.parametrize(
    "name, digest",
    [
        ("www.example.com", "ac878500bfdb83f4fff06180f8488216cf125adfbac20a909e22259df056eaf8"),
        ("missing.example.net", "fe0c00ca5c2f864d3679f358c9d5a30e56d839633d9351f28dcc9644ab4f21c8"),
        ("www.example.com.", "2d33e1b9b3a6462bac30b7e74b12eac864a4308c0a59b659da2f13567f7ba011"),
        ("xn--bcher-kva.example", "502470ebdca19d91788e1fc225abdf7531ca0b17e035191b325c963c4d6e829d"),
    ],
)
def test_signature(service, name, digest):
    assert ACCOUNT.signature(str(NOW), name) == digest
    response, _ = signed(service, name, key=digest)
    assert response.status == 200


def test_address_with_its_alias(service):
    response, body = signed(service, "www.example.com")
    message = json.loads(body)
    assert response.getheader("Date") == "Tue, 14 Nov 2023 22:13:20 GMT"
    assert message["Status"] == 0 and message["Question"] == {"name": "www.example.com.", "type": 1}
    assert message["Answer"] == [
        {"name": "www.example.com.", "TTL": 120, "type": 5, "data": "edge.example.net."},
        {"name": "edge.example.net.", "TTL": 60, "type": 1, "data": "192.0.2.10"},
        {"name": "edge.example.net.", "TTL": 60, "type": 1, "data": "192.0.2.11"},
    ]


def test_kinds_of_answers(service):
    aaaa = json.loads(signed(service, "www.example.com", AAAA)[1])
    assert [record["data"] for record in aaaa["Answer"]] == ["edge.example.net.", "2001:db8::10"]
    missing = json.loads(signed(service, "missing.example.net")[1])
    assert missing["Status"] == 3 and missing["Authority"][0]["data"].endswith(" 45")
    assert json.loads(signed(service, "broken.example.com")[1])["Status"] == 2
    assert json.loads(signed(service, "four.example.com", AAAA)[1])["Answer"] == []
    assert "Answer" not in json.loads(signed(service, "bare.example.com", AAAA)[1])
    assert json.loads(signed(service, "www.example.com", short=1)[1]) == ["192.0.2.10", "192.0.2.11"]
    assert json.loads(signed(service, "x.wild.example.com")[1])["Answer"][0]["data"] == "192.0.2.13"


@pytest.mark.parametrize(
    "change",
    [
        {"key": "f4b3ee365fb7a22099755e59dde6f85e6eb20b05ae6ed177f7e7386b00b41355"},
        {"ts": NOW - 601},
        {"ts": NOW + 601},
    ],
)
def test_bad_signature_is_refused(service, change):
    response, body = signed(service, "www.example.com", **change)
    assert response.status == 401 and json.loads(body) == {"code": "AuthFailed"}


def test_unsigned_and_odd_requests(service):
    assert fetch(service, name="www.example.com", type=1)[0].status == 401
    service.require_signature = False
    assert fetch(service, name="www.example.com", type=1)[0].status == 200
    assert fetch(service, name="", type=1)[0].status == 400
    assert fetch(service, name="www.example.com", type="99")[0].status == 400
    assert [query.accepted for query in service.asked("www.example.com")] == [False, True, False]


def test_clock_ahead(service):
    service.clock_offset = 3600
    response, _ = signed(service, "www.example.com")
    assert response.status == 401 and response.getheader("Date") == "Tue, 14 Nov 2023 23:13:20 GMT"
    assert signed(service, "www.example.com", ts=NOW + 3600)[0].status == 200


def test_modes(service):
    for mode, status in ((Mode.HTTP_500, 500), (Mode.UNAUTHORIZED, 401), (Mode.WRONG_PATH, 404), (Mode.GARBAGE, 200)):
        service.mode = mode
        assert signed(service, "www.example.com")[0].status == status
    service.mode = Mode.HANG_UP
    with pytest.raises(http.client.RemoteDisconnected):
        signed(service, "www.example.com")


def test_stop_and_start_again(service):
    service.stop()
    with pytest.raises(ConnectionRefusedError):
        signed(service, "www.example.com")
    service.start()
    assert signed(service, "www.example.com")[0].status == 200


def test_keeps_connections(service):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=5)
    for _ in range(2):
        key = ACCOUNT.signature(str(NOW), "www.example.com")
        connection.request("GET", f"/resolve?name=www.example.com&uid=123456&ts={NOW}&key={key}&ak=AKIDEXAMPLE")
        assert connection.getresponse().read()
    assert len({query.connection for query in service.queries}) == 1
    connection.close()
