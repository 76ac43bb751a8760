# SECRET=whsec_... PORT=9000 python3 receiver.py
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from is_from_witan import is_from_witan

SECRET = os.environ["SECRET"]
BODY_BYTES_MAX = 1024 * 1024


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", "0"))
        if length > BODY_BYTES_MAX:
            return self.respond(413)
        body = self.rfile.read(length)
        if not is_from_witan(body, self.headers.get("x-service-signature", ""), SECRET):
            return self.respond(401)
        # Respond first: a response that takes more than 10 s counts as a failure.
        self.respond(204)
        message = json.loads(body)
        print(message["event"], json.dumps(message["data"]), flush=True)

    def respond(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print("listening", flush=True)
server.serve_forever()
