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
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_from_witan(body, self.headers.get("x-service-signature", ""), SECRET):
            return self.answer(401)
        # Answer at once, work afterwards: an answer that takes 10 s counts as none.
        self.answer(204)
        message = json.loads(body)
        print(message["event"], json.dumps(message["data"]), flush=True)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print("listening", flush=True)
server.serve_forever()
