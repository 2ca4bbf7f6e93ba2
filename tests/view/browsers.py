"""A real browser without a window, where one is installed, and what it has to say about a page."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1200,900", "--force-device-scale-factor=1",
)  # fmt: skip

PIXELS = """
const canvas = document.getElementById('picture'), gl = canvas.getContext('webgl2');
cotree.setTime(cotree.getTime());
const bytes = new Uint8Array(4 * canvas.width * canvas.height);
gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
const words = new Uint32Array(bytes.buffer);
let hash = 0;
for (const word of words) hash = (31 * hash + word) | 0;
return [new Set(words).size, hash];
"""


@contextmanager
def browser(profile: Path) -> Iterator[Any]:
    """Chromium behind its driver; the test skips where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the package selenium is not installed")
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.service import Service

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no Chromium with chromedriver here: pages are not tried in a browser")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    try:
        made = webdriver.Chrome(options=options, service=Service(driver))
    except WebDriverException as error:
        pytest.skip(f"Chromium does not start here: {str(error).splitlines()[0]}")
    try:
        yield made
    finally:
        made.quit()


def until(true: Callable[[], Any], what: str, most: float = 300.0) -> Any:
    """What a condition gives once it holds; it is asked again where the page has replaced an element meanwhile."""
    end = time.monotonic() + most
    while True:
        try:
            if value := true():
                return value
        except Exception as error:  # selenium may not be installed where there is no page
            if type(error).__name__ != "StaleElementReferenceException":
                raise
        assert time.monotonic() < end, what
        time.sleep(0.02)


def complaints(driver: Any) -> list[str]:
    """Errors in the console since they were last asked for; hints about speed, and about pointers, do not count."""
    found = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    return [words for words in found if "preventDefault inside passive event listener" not in words]


def pixels(driver: Any) -> tuple[int, int]:
    """(number of colours in the picture, a number that changes with it)."""
    colours, hash_ = driver.execute_script(PIXELS)
    return colours, hash_
