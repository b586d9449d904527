"""One real headless Chromium for all tests of a process. A page that logs an error or asks others fails its test.

`from browser import browser, browser_page  # noqa: F401` in a conftest.py gives a folder's tests the fixtures.
Selenium and not Playwright: the synchronous Playwright leaves an event loop running in the test's thread, in which no
``asyncio.run`` works any more, and brings a browser of its own; Debian ships the driver that fits its Chromium.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:  # one process of those that collect the tests has a browser
    from selenium.webdriver import Chrome

SECONDS = 60
"""How long anything may take on a machine that does five other things."""
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1280,800",
)


def program(variable: str, *names: str) -> str | None:
    """A program's path: what the environment says, or the first of the names that is installed."""
    return os.environ.get(variable) or next((path for name in names if (path := shutil.which(name))), None)


class Browser:
    """A Chromium. ``new_page`` gives the one tab as if nobody had used it."""

    def __init__(self) -> None:
        from selenium.webdriver import Chrome, ChromeOptions
        from selenium.webdriver.chrome.service import Service

        chromium = program("CHROMIUM", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
        driver = program("CHROMEDRIVER", "chromedriver", "chromium.chromedriver")
        if chromium is None or driver is None:
            pytest.skip("no Chromium with a chromedriver on this machine (Debian: apt-get install chromium-driver)")
        self._profile = tempfile.mkdtemp(prefix="gp-browser-")
        options = ChromeOptions()
        options.binary_location = chromium
        for switch in (*SWITCHES, f"--user-data-dir={self._profile}"):
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = Chrome(options=options, service=Service(executable_path=driver))
        self.driver.set_page_load_timeout(SECONDS)
        self.driver.set_script_timeout(SECONDS)

    def new_page(self) -> Page:
        """An empty tab: nothing stored, nothing logged, the usual size, light."""
        page = Page(self.driver)
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        page.resize(1280, 800)
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        return page

    def close(self) -> None:
        self.driver.quit()
        shutil.rmtree(self._profile, ignore_errors=True)


class Page:
    """The tab of one test."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver
        self.allowed: tuple[str, ...] = ()
        """Hosts with ports that the page may ask, e.g. ``127.0.0.1:4321``; none unless a test says so."""
        self.expected_errors: tuple[str, ...] = ()
        """Parts of messages on the console that a test means to bring about."""
        self._log: list[dict[str, Any]] = []
        self._requests: list[str] = []

    # -- doing -------------------------------------------------------------------------------------------------
    def open(self, target: Path | str) -> Page:
        """Load a file or an address, to the end: a driver may come back while a large page is still being read."""
        address = target.resolve().as_uri() if isinstance(target, Path) else target
        self.driver.get(address)
        blank = address == "about:blank"
        loaded = "return document.readyState === 'complete' && (arguments[0] || location.href !== 'about:blank')"
        self.until(lambda: self.js(loaded, blank), f"{address} to load")
        return self

    def js(self, script: str, *arguments: Any) -> Any:
        """What a script returns (``return ...``; ``arguments[0]`` ...)."""
        return self.driver.execute_script(script, *arguments)

    def click(self, selector: str, index: int = 0) -> None:
        """A real click, where the element is, once it is there; a page may draw it anew at any moment."""
        from selenium.common.exceptions import ElementNotInteractableException, StaleElementReferenceException

        def clicked() -> bool:
            try:
                self.all(selector)[index].click()
            except (IndexError, StaleElementReferenceException, ElementNotInteractableException):
                return False
            return True

        self.until(clicked, f"{selector} to click on")

    def press(self, *keys: str) -> None:
        """Keys, to whatever has the focus."""
        from selenium.webdriver import Keys

        self.driver.switch_to.active_element.send_keys(*(getattr(Keys, key, key) for key in keys))

    def type(self, selector: str, text: str) -> None:
        """Text into a field, in place of what it holds."""
        (field,) = self.all(selector)
        field.clear()
        field.send_keys(text)

    def resize(self, width: int, height: int) -> None:
        """The size of the view in CSS pixels, smaller ones than a window may have, too."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    # -- seeing ------------------------------------------------------------------------------------------------
    def all(self, selector: str) -> list[Any]:
        """Elements, in the order of the document."""
        return self.driver.find_elements("css selector", selector)

    def text(self, selector: str) -> str:
        """The text of the first element as it is seen."""
        return str(self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector))

    def texts(self, selector: str) -> list[str]:
        """The texts of all such elements."""
        return list(self.js("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector))

    def until(self, holds: Callable[[], Any], what: str = "") -> Any:
        """Wait for something to hold; its value."""
        end = time.monotonic() + SECONDS
        while not (value := holds()):
            assert time.monotonic() < end, f"waited {SECONDS} s for {what or 'the page'}; {self.errors()}"
            time.sleep(0.02)
        return value

    def errors(self) -> list[str]:
        """What was logged as a warning or an error: exceptions, refused scripts, failed requests."""
        self._log += self.driver.get_log("browser")
        loud = [entry["message"] for entry in self._log if entry["level"] in ("SEVERE", "WARNING")]
        return [message for message in loud if not any(part in message for part in self.expected_errors)]

    def requests(self) -> list[str]:
        """Addresses that were asked over a network: neither files nor data."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self._requests.append(message["params"]["request"]["url"])
        return [url for url in self._requests if urlsplit(url).scheme not in ("file", "data", "about", "blob")]

    def check(self) -> None:
        """What holds for every page: no errors, and nobody was asked who may not be."""
        assert self.errors() == []
        assert [url for url in self.requests() if urlsplit(url).netloc not in self.allowed] == []


_running: list[Browser] = []


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium of this process; started by the first test that needs it."""
    if not _running:
        _running.append(Browser())
    yield _running[0]
    while _running:
        _running.pop().close()


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[Page]:
    """A fresh page; the test fails when it logs an error or asks a host that it may not."""
    page = browser.new_page()
    yield page
    page.check()
    page.js("try { localStorage.clear(); } catch { /* a page that may not keep anything */ }")
    page.driver.get("about:blank")
