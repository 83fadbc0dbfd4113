"""An identity provider on PySAML2, for tests. It serves on loopback and signs in two people with a login form."""

import argparse
import html
import http.server
import signal
import sys
import urllib.parse

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.authn_context import PASSWORD
from saml2.config import IdPConfig
from saml2.saml import NAMEID_FORMAT_PERSISTENT
from saml2.server import Server
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

PEOPLE = {
    "ada": {
        "password": "ada-password",
        "displayName": "Ada Lovelace",
        "mail": "ada@id.example",
        "groups": ["admins"],
    },
    "grace": {
        "password": "grace-password",
        "displayName": "Grace Hopper",
        "mail": "grace@id.example",
        "groups": ["staff", "writers"],
    },
}

FORM = """<!doctype html><title>Log in</title><h1>Log in</h1><p>{refusal}</p>
<form method="post" action="/sso">
<input type="hidden" name="SAMLRequest" value="{request}"><input type="hidden" name="RelayState" value="{state}">
<input name="username"><input type="password" name="password"><button>Log in</button></form>"""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--key", required=True, help="file of the private key, in PEM")
    parser.add_argument("--certificate", required=True, help="file of the certificate, in PEM")
    parser.add_argument("--service", required=True, help="address of the metadata of the service")
    parser.add_argument("--subjects", required=True, help="file in which the persistent NameIDs are kept")
    parser.add_argument("--sign", choices=["response", "assertion"], default="assertion")
    return parser.parse_args()


def new_server(arguments, base):
    """Returns the provider at the address base, which has read the metadata of the service."""
    configuration = {
        "entityid": base + "/metadata",
        "service": {
            "idp": {
                "endpoints": {"single_sign_on_service": [(base + "/sso", BINDING_HTTP_REDIRECT)]},
                "name_id_format": [NAMEID_FORMAT_PERSISTENT],
                "policy": {"default": {"lifetime": {"minutes": 1}}},
                "subject_data": arguments.subjects,
            }
        },
        "key_file": arguments.key,
        "cert_file": arguments.certificate,
        "metadata": {"remote": [{"url": arguments.service}]},
    }
    return Server(config=IdPConfig().load(configuration))


def new_handler(server, arguments, base):
    """Returns the handler of the requests of browsers."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            address = urllib.parse.urlsplit(self.path)
            if address.path != "/sso":
                self.send_error(404)
                return
            self.show_form(dict(urllib.parse.parse_qsl(address.query)), "")

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            fields = dict(urllib.parse.parse_qsl(body))
            name = fields.get("username")
            if name not in PEOPLE or PEOPLE[name]["password"] != fields.get("password"):
                self.show_form(fields, "The name or the password is wrong.")
                return
            self.send_page(self.answer(name, fields))

        def answer(self, name, fields):
            """Returns the page that brings the response to the service."""
            request = server.parse_authn_request(fields["SAMLRequest"], BINDING_HTTP_REDIRECT).message
            to = server.response_args(request)
            attributes = {key: value for key, value in PEOPLE[name].items() if key != "password"}
            response = server.create_authn_response(
                attributes,
                to["in_response_to"],
                to["destination"],
                to["sp_entity_id"],
                name_id_policy=request.name_id_policy,
                userid=name,
                authn={"class_ref": PASSWORD, "authn_auth": base},
                sign_response=arguments.sign == "response",
                sign_assertion=arguments.sign == "assertion",
                sign_alg=SIG_RSA_SHA256,
                digest_alg=DIGEST_SHA256,
            )
            state = fields.get("RelayState", "")
            return server.apply_binding(to["binding"], str(response), to["destination"], state, response=True)["data"]

        def show_form(self, fields, refusal):
            self.send_page(
                FORM.format(
                    refusal=refusal,
                    request=html.escape(fields.get("SAMLRequest", "")),
                    state=html.escape(fields.get("RelayState", "")),
                )
            )

        def send_page(self, text):
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def main():
    arguments = parse_arguments()
    base = f"http://127.0.0.1:{arguments.port}"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = new_server(arguments, base)
    try:
        listener = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), new_handler(server, arguments, base))
        listener.serve_forever()
    finally:
        server.close()  # writes the NameIDs


if __name__ == "__main__":
    main()
