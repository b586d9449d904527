"""``python -m goedels_poetry`` is the command line."""

from goedels_poetry.cli import run

if __name__ == "__main__":
    run()
