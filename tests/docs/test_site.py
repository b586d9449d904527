"""The documentation as a site: it is built without a warning, and no link in it leads nowhere."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r'(?:href|src)="([^"]*)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
    place = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(place)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(build, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    return place


def test_every_page_is_in_the_site_and_every_link_leads_somewhere(site: Path) -> None:
    pages = {page: page.read_text("utf-8") for page in site.rglob("*.html") if page.name != "404.html"}
    assert len(pages) == len(list((ROOT / "docs").glob("*.md")))
    names = {page: {*re.findall(r'\bid="([^"]*)"', text)} for page, text in pages.items()}
    broken = []
    for page, text in pages.items():
        for link in map(urlsplit, LINK.findall(text)):
            if link.scheme or link.netloc or link.path.startswith("/"):
                continue
            place = (page.parent / unquote(link.path)).resolve() if link.path else page
            place = place / "index.html" if place.is_dir() else place
            if not place.exists() or (link.fragment and place in names and unquote(link.fragment) not in names[place]):
                broken.append(f"{page.relative_to(site)}: {link.geturl()}")
    assert broken == []


def test_what_a_reader_sees_of_code_blocks_is_no_mark_of_the_tests(site: Path) -> None:
    text = (site / "tutorial" / "index.html").read_text("utf-8")
    assert "exit=" not in text and "```" not in text and "goedels-poetry prove" in re.sub(r"<[^>]+>", "", text)


def test_the_api_is_that_of_the_docstrings(site: Path) -> None:
    text = (site / "api" / "index.html").read_text("utf-8")
    for name in ("GoedelsPoetryFramework.run", "RunResult.verdict", "contracts.ensures", "ProofOfThought.query"):
        assert name in text


def test_the_recording_is_what_the_program_prints_and_asks_no_server(tmp_path: Path) -> None:
    record = [sys.executable, str(ROOT / "scripts" / "record_terminal.py"), str(tmp_path / "made.svg")]
    theorem = "theorems/smt/swap_twice.smt2"
    done = subprocess.run([*record, "goedels-poetry", "prove", theorem], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for file, name in ((tmp_path / "made.svg", theorem), (ROOT / "docs/pictures/prove.svg", "reverse_twice.smt2")):
        svg = file.read_text("utf-8")
        text = re.sub(r"<[^>]+>", "", svg).replace("&#160;", " ")
        assert name in text and "trust level L3" in text and "certificate: ~/.goedels_poetry/runs/" in text
        assert "@font-face" not in svg and "url(http" not in svg
