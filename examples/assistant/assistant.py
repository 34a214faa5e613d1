#!/usr/bin/env python3
"""An assistant for Reflexio's optimiser: any OpenAI-compatible model, with the standard library only.

As a script it reads the payload on standard input and prints the answer; with `--serve PORT` it is a webhook.
"""

import json
import os
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SYSTEM = os.environ.get("ASSISTANT_PROMPT", "You are a helpful support agent. Answer in a few sentences.")
BASE_URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
MODEL = os.environ.get("ASSISTANT_MODEL", "gpt-5-mini")


def system_prompt(playbooks):
    """Injects the playbooks the way the agent does in production; nothing else may change between two runs."""
    rules = [f"- {rule['content']}" + (f" (when: {rule['trigger']})" if rule.get("trigger") else "") for rule in playbooks]
    return "\n".join([SYSTEM, "", "Follow these playbooks:", *rules]) if rules else SYSTEM


def respond(payload):
    messages = [{"role": "system", "content": system_prompt(payload.get("playbooks", []))}, *payload["messages"]]
    request = urllib.request.Request(
        f"{BASE_URL}/chat/completions",
        data=json.dumps({"model": MODEL, "messages": messages}).encode(),
        headers={
            "Content-Type": "application/json",
            "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}",
        },
    )
    with urllib.request.urlopen(request, timeout=50) as response:
        answer = json.load(response)
    return {"content": answer["choices"][0]["message"]["content"]}


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            payload = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            self.answer(200, respond(payload))
        except Exception as error:  # the optimiser retries a 502, and shows what stands in it
            self.answer(502, {"error": f"{type(error).__name__}: {error}"})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--serve":
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Webhook).serve_forever()
    else:
        json.dump(respond(json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    main()
