"""Drives a headless Chromium through the DevTools protocol, over two pipes. It needs no further package.

    with Browser("chromium") as browser:
        page = browser.open(path, width=1400, dark=True)
        page.click("#rows button")
        page.evaluate("document.title")
"""

import base64
import fcntl
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path

SECONDS = 60  # time for an answer
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, commands = _pipe()
        answers, from_browser = _pipe()

        connect = f'exec "$@" 3<&{to_browser} 4>&{from_browser} {to_browser}<&- {from_browser}>&-'  # the browser uses 3 and 4
        self.process = subprocess.Popen(
            ["bash", "-c", connect, "browser", program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(to_browser, from_browser), start_new_session=True,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.commands, self.answers = commands, answers
        self.number, self.buffer, self.events = 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.commands)
        os.close(self.answers)
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.folder.cleanup()

    def call(self, method, session=None, **parameters):
        """Returns the result of a method of the protocol. Keeps events that come meanwhile."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data) :]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        give_up = time.monotonic() + SECONDS
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, give_up - time.monotonic()))
            piece = os.read(self.answers, 1 << 16) if ready else b""
            if not piece:
                raise RuntimeError("the browser has ended" if ready else f"no answer of the browser within {SECONDS} seconds")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def open(self, path, width=1400, height=900, dark=False, scripts=True):
        """Opens a page with the file. If `scripts` is False, the page's own scripts do not run."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", features=[scheme])
        page.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        page.call("Page.navigate", url=Path(path).resolve().as_uri())
        page.wait_for("document.readyState === 'complete' && location.protocol === 'file:'")
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def evaluate(self, expression):
        """Returns the value of a JavaScript expression, as JSON has it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['exception']['description']}")
        return answer["result"].get("value")

    def wait_for(self, expression):
        give_up = time.monotonic() + SECONDS
        while not self.evaluate(expression):
            if time.monotonic() > give_up:
                raise AssertionError(f"never true: {expression}")
            time.sleep(0.02)

    def events(self, method):
        """Returns the parameters of the page's events of this name so far."""
        self.evaluate("0")
        mine = [event for event in self.browser.events if event.get("sessionId") == self.session]
        return [event["params"] for event in mine if event["method"] == method]

    def errors(self):
        """Returns the errors and warnings of the page, a line each."""
        thrown = [event["exceptionDetails"]["text"] for event in self.events("Runtime.exceptionThrown")]
        bad = ("error", "warning")
        logged = [event["entry"]["text"] for event in self.events("Log.entryAdded") if event["entry"]["level"] in bad]
        said = [str(event["args"]) for event in self.events("Runtime.consoleAPICalled") if event["type"] in bad]
        return thrown + logged + said

    def requests(self):
        return [event["request"]["url"] for event in self.events("Network.requestWillBeSent")]

    def point(self, selector):
        """Scrolls an element into sight and returns its middle."""
        box = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
            "const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()"
        )
        return {"x": box[0], "y": box[1]}

    def hover(self, selector):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **self.point(selector))

    def click(self, selector):
        place = self.point(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    def press(self, key):
        """Presses a key, given by its name or as a letter."""
        code = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    def focus(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus({{focusVisible: true}})")

    def choose(self, selector, value):
        """Chooses a value of a <select>."""
        chosen = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
            "for (const name of ['input', 'change']) e.dispatchEvent(new Event(name, {bubbles: true})); return e.value; })()"
        )
        if chosen != value:
            raise AssertionError(f"{selector} has no '{value}'")

    def write(self, text):
        for letter in text:
            self.press(letter)

    def screenshot(self, path):
        """Writes the whole page as a PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def pdf(self, path):
        """Writes the printed page as a PDF."""
        data = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)["data"]
        Path(path).write_bytes(base64.b64decode(data))


# Returns a pipe with both ends above 3 and 4, which the browser uses.
def _pipe():
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved
