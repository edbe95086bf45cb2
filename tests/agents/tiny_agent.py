"""The smallest agent with a model: one shell command a turn, standard library only.

Runs inside an environment, as any command would: `tiny_agent.py TASK_FILE MODEL`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

SENTINEL = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def ask(messages: list[dict[str, str]], model: str) -> str:
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps({"model": model, "messages": messages, "temperature": 1.0}).encode(),
        {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    )
    for _ in range(3):
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                answer: str = json.load(response)["choices"][0]["message"]["content"]
                return answer
        except urllib.error.HTTPError as error:
            print(error, error.read().decode(), file=sys.stderr)
            if error.code in (400, 401, 403):
                break
            time.sleep(0.05)
    sys.exit("the model does not answer")


def main() -> None:
    messages = [{"role": "user", "content": Path(sys.argv[1]).read_text()}]
    while True:
        text = ask(messages, sys.argv[2])
        messages.append({"role": "assistant", "content": text})
        command = re.search(r"```bash\s*\n(.*?)\n```", text, re.DOTALL)
        if command is None:
            return
        done = subprocess.run(["sh", "-c", command[1]], capture_output=True, text=True, check=False)
        print(done.stdout, end="", flush=True)
        if done.stdout.startswith(SENTINEL):
            return
        messages.append({"role": "user", "content": done.stdout + done.stderr})


if __name__ == "__main__":
    main()
