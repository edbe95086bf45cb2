"""The console script `jagged`: one verb per module of room `commands`."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence

from pytest_jagged import __version__, commands
from pytest_jagged.errors import ConfigError, JaggedError

__all__ = ["main"]

_DESCRIPTION = (
    "Tools beside `pytest --jagged-config=STUDY`, which measures how robust a code agent is to"
    " rewrites of the repository it works in that change nothing a program can observe."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb. 0 fine, 1 a finding, 2 usage."""
    parser = argparse.ArgumentParser(prog="jagged", description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"pytest-jagged {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name in sorted(module.name for module in pkgutil.iter_modules(commands.__path__)):
        module = importlib.import_module(f"{commands.__name__}.{name}")
        verb = verbs.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(verb)
        verb.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    try:
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except ConfigError as error:
        print(f"jagged {options.verb}: {error}", file=sys.stderr)
        return 2
    except JaggedError as error:
        print(f"jagged {options.verb}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # who read the output (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print(f"jagged {options.verb}: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
