"""Authentication-Results: only our own receiving server is believed."""

import pytest

from pbem.mail.reading.authentication import Authenticity, MethodResult, of_results, results
from tests.effort import calls

OURS = "mx.games.example"
PASS = f"{OURS}; dmarc=pass header.from=mail.example"

SAID = {
    "Gmail's": (
        (
            f"{OURS}; dkim=pass header.i=@mail.example header.s=20230601 header.b=x; spf=pass (google.com: domain of "
            "alice@mail.example designates 1.2.3.4 as permitted sender) smtp.mailfrom=alice@mail.example; dmarc=pass "
            "(p=NONE sp=QUARANTINE dis=NONE) header.from=mail.example"
        ),
        Authenticity.PASSED,
    ),
    "Outlook's": (
        (
            f"{OURS}; spf=pass (sender IP is 1.2.3.4) smtp.mailfrom=other.example; dkim=pass (signature was verified) "
            "header.d=mail.example;dmarc=pass action=none header.from=mail.example;compauth=pass reason=100"
        ),
        Authenticity.PASSED,
    ),
    "with a version": (f"{OURS} 1; dmarc=pass header.from=mail.example", Authenticity.PASSED),
    "folded": (f"{OURS};\r\n\tdmarc=pass\r\n\t header.from=mail.example;", Authenticity.PASSED),
    "in capitals": (f"{OURS.upper()}; DMARC=Pass header.From=Mail.Example", Authenticity.PASSED),
    "aligned DKIM": (f"{OURS}; dkim=pass header.d=mail.example", Authenticity.PASSED),
    "DKIM of the top-level domain": (f"{OURS}; dkim=pass header.d=example", Authenticity.UNKNOWN),
    "aligned SPF": (f"{OURS}; spf=pass smtp.mailfrom=bounces@mail.example", Authenticity.PASSED),
    "a second signature": (
        f"{OURS}; dkim=fail header.d=mail.example; dkim=pass header.d=mail.example",
        Authenticity.PASSED,
    ),
    "no DMARC policy": (f"{OURS}; dmarc=none; dkim=pass header.d=mail.example", Authenticity.PASSED),
    "DMARC fails": (
        f"{OURS}; dkim=pass header.d=mail.example; dmarc=fail header.from=mail.example",
        Authenticity.FAILED,
    ),
    "DMARC fails once of twice": (f"{PASS}; dmarc=fail header.from=mail.example", Authenticity.FAILED),
    "SPF fails": (f"{OURS}; spf=fail smtp.mailfrom=mail.example", Authenticity.FAILED),
    "DKIM fails": (f"{OURS}; dkim=fail header.d=mail.example", Authenticity.FAILED),
    "DKIM of another": (f"{OURS}; dkim=pass header.d=evil.example", Authenticity.UNKNOWN),
    "DKIM of a domain below": (f"{OURS}; dkim=pass header.d=evil.mail.example", Authenticity.UNKNOWN),
    "DKIM of a look-alike": (f"{OURS}; dkim=pass header.d=rnail.example", Authenticity.UNKNOWN),
    "DKIM of one that ends so": (f"{OURS}; dkim=pass header.d=l.example", Authenticity.UNKNOWN),
    "DKIM of nobody": (f"{OURS}; dkim=pass", Authenticity.UNKNOWN),
    "DKIM of two, the other way round": (
        f"{OURS}; dkim=pass header.d=evil.example header.d=mail.example",
        Authenticity.UNKNOWN,
    ),
    "DKIM of two": (f"{OURS}; dkim=pass header.d=mail.example header.d=evil.example", Authenticity.UNKNOWN),
    "DMARC of another": (f"{OURS}; dmarc=pass header.from=evil.example", Authenticity.UNKNOWN),
    "DMARC of two": (f"{PASS}; dmarc=pass header.from=evil.example", Authenticity.UNKNOWN),
    "DMARC of nobody": (f"{OURS}; dmarc=pass", Authenticity.UNKNOWN),
    "only in a comment": (f"{OURS}; dmarc=none (dmarc=pass header.from=mail.example)", Authenticity.UNKNOWN),
    "in a comment that hides its end": (
        f"{OURS}; spf=none (\\) dmarc=pass header.from=mail.example) smtp.mailfrom=x",
        Authenticity.UNKNOWN,
    ),
    "in a quoted local part": (
        f'{OURS}; spf=pass smtp.mailfrom="a; dmarc=pass header.from=mail.example"@evil.example',
        Authenticity.UNKNOWN,
    ),
    "in an unquoted local part": (
        f"{OURS}; spf=pass smtp.mailfrom=a; dmarc=pass header.from=mail.example @evil.example",
        Authenticity.UNKNOWN,
    ),
    "in a place for policies": (f"{OURS}; dmarc=pass policy.from=mail.example", Authenticity.UNKNOWN),
    "SPF of a local part": (f'{OURS}; spf=pass smtp.mailfrom="x@mail.example"@evil.example', Authenticity.UNKNOWN),
    "SPF of the greeting": (f"{OURS}; spf=pass smtp.helo=mail.example", Authenticity.UNKNOWN),
    "SPF of another": (f"{OURS}; spf=pass smtp.mailfrom=m@evil.example", Authenticity.UNKNOWN),
    "SPF of a domain below": (f"{OURS}; spf=pass smtp.mailfrom=a@x.mail.example", Authenticity.UNKNOWN),
    "SPF of nobody": (f"{OURS}; spf=pass smtp.mailfrom=", Authenticity.UNKNOWN),
    "DKIM of another, for an address here": (
        f"{OURS}; dkim=pass header.i=alice@mail.example header.d=evil.example",
        Authenticity.UNKNOWN,
    ),
    "ARC": (f"{OURS}; arc=pass header.d=mail.example header.from=mail.example", Authenticity.UNKNOWN),
    "a login": (f"{OURS}; auth=pass smtp.auth=alice@mail.example", Authenticity.UNKNOWN),
    "an address": (f"{OURS}; iprev=pass policy.iprev=192.0.2.1 header.from=mail.example", Authenticity.UNKNOWN),
    "a method of their own": (f"{OURS}; x-dmarc=pass header.from=mail.example", Authenticity.UNKNOWN),
    "DMARC of two domains": (
        f"{OURS}; dmarc=pass header.from=mail.example header.from=evil.example",
        Authenticity.UNKNOWN,
    ),
    "our name with a point": (f"{OURS}.; dmarc=pass header.from=mail.example", Authenticity.UNKNOWN),
    "our name in quotes": (f'"{OURS}"; dmarc=pass header.from=mail.example', Authenticity.UNKNOWN),
    "an encoded word": (f"=?utf-8?q?{PASS.replace(' ', '_')}?=", Authenticity.UNKNOWN),
    "a name that only begins so": (f"{OURS}.evil.example; dmarc=pass header.from=mail.example", Authenticity.UNKNOWN),
    "our name in a comment": (f"({OURS}) evil.example; dmarc=pass header.from=mail.example", Authenticity.UNKNOWN),
    "our name as a result": (f"evil.example; {PASS}", Authenticity.UNKNOWN),
    "no name at all": ("dmarc=pass header.from=mail.example", Authenticity.UNKNOWN),
    "a version to come": (f"{OURS} 2; dmarc=pass header.from=mail.example", Authenticity.UNKNOWN),
    "letters beyond ASCII": (f"{OURS}; dmarc=pass header.from=m\u0430il.example", Authenticity.UNKNOWN),
    "too long": (PASS + "; x=y" * 2_000, Authenticity.UNKNOWN),
    "nested comments": (f"{OURS}; {'(' * 2_000}{')' * 2_000}dmarc=pass header.from=mail.example", Authenticity.UNKNOWN),
    "comments without end": (f"{OURS}; " + "(" * 4_000, Authenticity.UNKNOWN),
    "quotes without end": (f'{PASS} header.x="' + "a b" * 1_000, Authenticity.UNKNOWN),
    "nothing": (f"{OURS}; none", Authenticity.UNKNOWN),
    "empty": ("", Authenticity.UNKNOWN),
}


@pytest.mark.parametrize("name", SAID)
def test_our_server_s_results_are_read_strictly(name: str) -> None:
    field, expected = SAID[name]

    assert of_results(results([field], OURS, 1), "mail.example") is expected
    assert calls(lambda: results([field], OURS, 1)) < 20_000


def test_only_as_many_headers_as_our_server_adds_are_believed() -> None:
    nothing = f"{OURS}; spf=none"

    assert results([nothing, PASS], OURS, 1) == (MethodResult("spf", "none", ""),)
    assert of_results(results([nothing, PASS], OURS, 2), "mail.example") is Authenticity.PASSED


def test_a_header_under_another_name_ends_those_of_our_server() -> None:
    other = "mx.evil.example; dmarc=pass header.from=mail.example"

    assert results([other, PASS], OURS, 5) == ()
    assert of_results(results([PASS, other], OURS, 5), "mail.example") is Authenticity.PASSED
    assert results(["not a header at all", PASS], OURS, 5) == ()
