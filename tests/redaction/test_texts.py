"""Texts: assignments, carriers, disguises are masked; what only looks so stays."""

from __future__ import annotations

import base64
import gzip
import json
import urllib.parse

import pytest

from gitsession.redaction import redact_json, redact_text
from tests.redaction.made import Made

MADE = Made(11)
TOKEN, PASSWORD, HEX = MADE.token(), MADE.password(), MADE.hex(40)


@pytest.mark.parametrize(
    "text",
    [
        f"ACME_API_KEY={TOKEN}\n",
        f"export API_TOKEN='{TOKEN}' && make",
        f"accessToken: {TOKEN}",
        f'"client_secret": "{TOKEN}",',
        f"const client = new Client({{ apiKey: '{TOKEN}', timeout: 3 }});",
        f"the API key for staging is {TOKEN}, thanks",
        f"密钥是{TOKEN}，用完就删掉",
        f"| API_KEY | {TOKEN} |",
        f"./deploy --api-key {TOKEN} --verbose",
        f"GET /geo?q=berlin&api_key={TOKEN}&fmt=json",
        f"Authorization: Bearer {TOKEN}",
        f'curl -H "X-API-Key: {TOKEN}" https://api.acme.io',
        f"Cookie: locale=en; sessionid={TOKEN}; theme=dark",
        f'[{{"name": "API_TOKEN", "value": "{TOKEN}"}}]',
        f"    12→API_KEY={TOKEN}",
        f"+API_KEY = '{TOKEN}'",
    ],
)
def test_token_in_its_assignment(text: str) -> None:
    masked = redact_text(text)
    assert TOKEN not in masked
    assert masked.replace(masked[masked.index("__RED") :].split("__ ")[0], "") != text


@pytest.mark.parametrize("letters", ["é中", "中é", "éé中🔑", "🔑é"])
@pytest.mark.parametrize("shift", range(1, 6))
def test_no_character_is_cut_where_a_rule_stops_counting(shift: int, letters: str) -> None:
    value = "h" * shift + letters * 120
    text = redact_text(f"curl -u ann:{value}")
    assert "__REDACTED_curl-user_" in text and text.isprintable()
    assert redact_json({"env": f"curl -u ann:{value}"}) == {"env": text}


@pytest.mark.parametrize(
    "text",
    [
        f"DB_PASSWORD={PASSWORD}\n",
        f'password = "{PASSWORD}"',
        f"spring.datasource.password={PASSWORD}",
        f"<password>{PASSWORD}</password>",
        f"log in as admin, the password is {PASSWORD} and then restart",
        f"数据库账号root，密码是{PASSWORD}，看看慢查询",
        f"登录口令为「{PASSWORD}」，请先备份",
        f"use bob / {PASSWORD} to sign in to grafana",
        f"mysql -h 10.1.2.3 -uroot -p{PASSWORD} shop",
        f"sshpass -p '{PASSWORD}' ssh root@10.0.3.4",
        f"echo '{PASSWORD}' | sudo -S systemctl restart nginx",
        f"curl -u deploy:{PASSWORD} https://tomcat.acme.io",
        f"docker login -u bob -p {PASSWORD} images.acme.io",
        f"redis-cli -h cache -a {PASSWORD} ping",
        f"CREATE USER app IDENTIFIED BY '{PASSWORD}';",
        f"machine git.acme.io login ci password {PASSWORD}",
        f"db.acme.io:5432:prod:app:{PASSWORD}\n",
        f"conn = connect(host='db', password='{PASSWORD}', db='x')",
        f"SMTP_PASS={PASSWORD}",
    ],
)
def test_password_in_its_carrier(text: str) -> None:
    assert PASSWORD not in redact_text(text)


def test_password_with_an_ampersand_on_an_env_line() -> None:
    value = "Zx9&" + MADE.text(8)
    assert value[4:] not in redact_text(f"SMTP_PASSWORD={value}\nA=1")


def test_url_password_keeps_the_url() -> None:
    url, password = MADE.url()
    masked = redact_text(f"DATABASE_URL={url}")
    assert password not in masked
    parts = urllib.parse.urlsplit(masked.partition("=")[2])
    assert (parts.username, parts.hostname, parts.port) == ("app", "db.internal", 5432)


def test_private_key_has_one_name_in_every_wrapping() -> None:
    key, pem = b"k" * 32, MADE.pem()
    numbered = "\n".join(f"{at + 1:>6}→{one}" for at, one in enumerate(pem.split("\n")))
    added = "\n".join("+" + one for one in pem.split("\n"))
    wrappings = [pem, numbered, added, json.dumps({"out": pem}), pem.replace("\n", " ")]
    names = set()
    for text in wrappings:
        masked = redact_text(text, key)
        assert pem.split("\n")[3] not in masked
        names.add(masked[masked.index("__REDACTED_") :].split("__")[1])
    assert len(names) == 1


def test_private_key_without_its_marks() -> None:
    lines = MADE.pem().split("\n")
    for text in ("\n".join(lines[1:-1]), "\n".join(lines[:6]), "\n".join(lines[-6:])):
        masked = redact_text(text)
        assert not any(one in masked for one in lines[2:-2] if one in text)


ENV = f"NODE_ENV=production\nGITHUB_TOKEN={MADE.github()}\nDB_PASSWORD={PASSWORD}\n"


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(ENV.encode()).decode(),
        base64.b64encode(base64.b64encode(ENV.encode())).decode(),
        base64.b64encode(gzip.compress(ENV.encode())).decode(),
        base64.encodebytes(ENV.encode()).decode(),
        ENV.encode().hex(),
    ],
    ids=["base64", "base64 twice", "gzip", "wrapped", "hex"],
)
def test_encoded_secrets_go_with_their_run(text: str) -> None:
    masked = redact_text(text)
    assert "__REDACTED_encoded_" in masked
    assert len(masked) < 120


def test_two_tokens_on_two_lines_keep_their_names() -> None:
    first, second = Made(1).github(), Made(2).github()
    lines = redact_text(f"{'x ' * 20}{first}\n{second}\n").split("\n")
    assert lines[1] == redact_text(second)


def test_utf_16_and_environ() -> None:
    token = MADE.github()
    assert token not in redact_text("\x00".join(f"A=1 {token} ")).replace("\x00", "")
    assert token not in redact_text(f"A=1\x00GH={token}\x00B=2")


def test_percent_escapes_go_with_their_secret_only() -> None:
    url = "https://x.io/log?e=" + urllib.parse.quote(ENV, safe="") + "&n=1"
    plain = urllib.parse.unquote(redact_text(url))
    assert PASSWORD not in plain and "GITHUB_TOKEN=__REDACTED_github-token_" in plain
    assert plain.startswith("https://x.io/log?e=NODE_ENV=production")
    assert plain.endswith("&n=1")


@pytest.mark.parametrize(
    "mark", ["\x1b[31m", "\u200b", "\u2060", "\ufeff", "\u200d", "\x1b[K", "\u00ad"]
)
def test_marks_inside_of_a_token(mark: str) -> None:
    token = MADE.github()
    split = token[:12] + mark + token[12:]
    assert token[14:] not in redact_text(f"it is {split} .")


def test_escapes_entities_and_concatenation() -> None:
    token = MADE.github()
    escaped = "".join(f"\\u{ord(char):04x}" for char in token)
    entities = token.replace("_", "&#95;")
    joined = f'"{token[:10]}" +\n  "{token[10:]}"'
    for text, rest in ((escaped, escaped[20:60]), (entities, token[10:]), (joined, token[12:])):
        assert rest not in redact_text(f"x = {text};")


def test_nested_json_stays_json() -> None:
    inner = json.dumps({"env": f'API_KEY="{TOKEN}"\n', "n": 1})
    text = json.dumps({"result": json.dumps({"body": inner})})
    masked = json.loads(json.loads(json.loads(redact_text(text))["result"])["body"])
    assert TOKEN not in masked["env"] and masked["n"] == 1


HARMLESS = [
    f"commit {HEX}\nindex {HEX}..{HEX} 100644",
    f"Digest: sha256:{MADE.hex(64)}",
    '"integrity": "sha512-' + base64.b64encode(bytes(range(64))).decode() + '"',
    "password = getpass.getpass('Password: ')",
    "token = request.headers.get('Authorization', '')",
    "interface Creds { apiKey: string; password?: string }",
    'if (apiKey == "") throw new Error("missing token")',
    "OPENAI_API_KEY=YOUR_API_KEY",
    "ANTHROPIC_API_KEY=sk-ant-...",
    "GITHUB_TOKEN=gh" + "p_" + "x" * 36,
    "PASSWORD=$DB_PASSWORD",
    "api_key: ${{ secrets.API_KEY }}",
    "password: {{ vault_db_password }}",
    "postgres://user:password@localhost:5432/db",
    "The password is required and must contain 8 characters.",
    "密码：******。登录密码是必填项",
    "valueFrom: arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbC123",
    "NEXT_PUBLIC_STRIPE_KEY=pk" + "_live_" + MADE.text(24),
    '{"max_tokens": 8192, "token_type": "Bearer", "next_page_token": "x"}',
    "primary_key=user_id foreign_key=order_id sort_key=created_at",
    "__REDACTED_github-token_0a1b2c3d__ and API_KEY=__REDACTED_secret_0a1b2c3d__",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + MADE.text(43) + " bob@laptop",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_A8_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact_text(text) == text


def test_masked_text_is_masked_no_further() -> None:
    text = f"{ENV} {MADE.pem()} {MADE.url()[0]} Cookie: a={TOKEN}"
    once = redact_text(text)
    assert redact_text(once) == once


def test_json_values_keep_their_shape() -> None:
    value = {"a": [f"API_KEY={TOKEN}", 1, None, True, 1.5], TOKEN[:4]: {"password": PASSWORD}}
    masked = redact_json(value)
    assert masked["a"][1:] == [1, None, True, 1.5]
    assert list(masked) == list(value)
    assert TOKEN not in str(masked) and PASSWORD not in str(masked)


def test_json_name_beside_value() -> None:
    masked = redact_json([{"name": "DB_PASSWORD", "value": PASSWORD}])
    assert PASSWORD not in str(masked) and masked[0]["name"] == "DB_PASSWORD"
