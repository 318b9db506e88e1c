"""Receives webhooks and rejects unsigned deliveries: PIROGUE_WEBHOOK_SECRET=whsec_… python3 receiver.py (3.8 or later)"""
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BODY = 1024 * 1024
# With an empty secret anybody could sign.
SECRET = os.environ.get("PIROGUE_WEBHOOK_SECRET") or exit("PIROGUE_WEBHOOK_SECRET is not set")


def verify(body: bytes, signature: str, timestamp: str) -> bool:
    """Whether the delivery is recent and signed with the secret."""
    if not signature.startswith("v1="):
        return False
    digest = hmac.new(SECRET.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    # As bytes: of texts compare_digest takes ASCII only. Unequal lengths are unequal.
    if not hmac.compare_digest(digest.encode(), signature[len("v1="):].encode()):
        return False
    return timestamp.isascii() and timestamp.isdigit() and abs(time.time() - int(timestamp)) <= TOLERANCE_SECONDS


class Receiver(BaseHTTPRequestHandler):
    # Whoever sends less than was announced is not waited for.
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        # The bytes as they came: what a parser made of them has another signature.
        body = self.rfile.read(int(length)) if length.isdecimal() and int(length) <= MAX_BODY else b""
        signature = self.headers.get("X-Service-Signature", "")
        verified = verify(body, signature, self.headers.get("X-Service-Timestamp", ""))
        if verified:
            event = json.loads(body)
            # A real receiver stores the event here, under a unique index on its id, because it can come twice, and works on it after the answer.
            print(event["id"], event["event"], flush=True)
        self.send_response(200 if verified else 400)
        self.send_header("Content-Length", "0")
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
