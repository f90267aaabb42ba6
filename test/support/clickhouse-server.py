"""The engine of ClickHouse behind the part of its HTTP interface that destinations use.

Usage: clickhouse-server.py FOLDER SCHEMA-FILE. Prints its port. The database is `logs`, the user `writer`.
"""
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb.session import Session

folder, schema = sys.argv[1:]
session = Session(folder)
session.query("CREATE DATABASE IF NOT EXISTS logs")
session.query("USE logs")
session.query(open(schema).read())


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        given = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        query = given.pop("query", "")
        if (self.headers.get("x-clickhouse-user"), self.headers.get("x-clickhouse-key")) != ("writer", "pw-secret-1"):
            return self.answer(403, "Authentication failed")
        try:
            for name, value in given.items():
                session.query(f"SET {name} = '{value}'")
            return self.answer(200, str(session.query(f"{query}\n{body}", "JSONEachRow")))
        except Exception as failure:
            return self.answer(400, str(failure))

    def answer(self, status, text):
        encoded = text.encode()
        self.send_response(status)
        self.send_header("content-length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
