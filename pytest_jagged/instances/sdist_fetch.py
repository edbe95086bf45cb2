"""Download one sdist with pip's own index machinery, without running the package's build code.

`pip download` runs the build backend of every sdist it fetches, which is slow and executes code of
a package that nobody has looked at. This file is run by the interpreter that has pip, as
`python sdist_fetch.py NAME VERSION SHA256 DESTINATION`, and uses nothing but pip and the standard
library. Indexes, links, certificates, proxies and credentials are the user's: pip reads them.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

__all__ = ["NO_SUCH_FILE", "OTHER_BYTES", "PIP_DIFFERS", "fetch"]

NO_SUCH_FILE, OTHER_BYTES, PIP_DIFFERS = 3, 4, 5


def _canonical(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _stem(filename: str) -> str:
    for suffix in (".tar.gz", ".tgz", ".tar.bz2", ".zip"):
        if filename.endswith(suffix):
            return _canonical(filename[: -len(suffix)])
    return ""


def fetch(name: str, version: str, sha256: str, destination: str) -> int:
    """0 and a file at *destination* whose bytes have the digest, or the reason."""
    try:
        from pip._internal.commands import create_command

        command: Any = create_command("index")
        options = command.parse_args(["versions", "--no-binary", name, name])[0]
        with command.main_context():
            session = command._build_session(options)
            finder = command._build_package_finder(
                options=options, session=session, ignore_requires_python=True
            )
            links: list[Any] = [c.link for c in finder.find_all_candidates(name)]
    except (ImportError, AttributeError, TypeError) as error:
        sys.stderr.write(f"pip's insides differ: {error}\n")
        return PIP_DIFFERS
    wanted = _canonical(name + "-" + version)
    links = [link for link in links if _stem(link.filename) == wanted]
    # The index's own digest tells the right file beforehand; a folder of files has none.
    links.sort(key=lambda link: link.hash != sha256)
    found = NO_SUCH_FILE
    for link in links:
        answer = session.get(link.url.split("#")[0], headers={"Accept-Encoding": "identity"})
        answer.raise_for_status()
        if hashlib.sha256(answer.content).hexdigest() == sha256:
            Path(destination).write_bytes(answer.content)
            return 0
        sys.stderr.write(f"{link.filename} has other bytes\n")
        found = OTHER_BYTES
    return found


if __name__ == "__main__":
    # Python puts this file's folder first, and the modules beside it are not what pip means.
    own_folder = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if not path or Path(path).resolve() != own_folder]
    sys.exit(fetch(*sys.argv[1:5]))
