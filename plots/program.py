"""How the programs of this folder end, and how they write a file."""

import os
import signal
import sys
import tempfile


class Refused(Exception):
    """Ends a program with one line that tells the user what was wrong and what would be right."""

    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


def run(name, main):
    """Returns the exit code of main(). Prints the line of a Refused to stderr."""
    try:
        return main()
    except Refused as refused:
        print(f"{name}: {refused}", file=sys.stderr)
        return refused.code
    except KeyboardInterrupt:
        return 130


def show(text):
    """Writes a text to stdout. Ends the program quietly if its reader has gone, as `head` does."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest at its end
        if isinstance(error, BrokenPipeError):
            sys.exit(128 + signal.SIGPIPE)
        raise Refused(f"cannot write the output: {error.strerror}", 70) from None


def check_writable(path):
    """Refuses a path to which no file can be written, before minutes are spent on the contents."""
    if path.is_dir():
        raise Refused(f"cannot write to '{path}': it is a folder")
    if not path.parent.is_dir():
        raise Refused(f"cannot write to '{path}': there is no folder '{path.parent}'")
    if not os.access(path.parent, os.W_OK):
        raise Refused(f"cannot write to '{path}': the folder '{path.parent}' takes no new files")


def replace_file(path, content):
    """Puts a text, or bytes, into the file at once, so that nobody reads half of it."""
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(temporary, path.stat().st_mode if path.exists() else 0o644)
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise Refused(f"cannot write to '{path}': {error.strerror}", 70) from None
    finally:
        if temporary is not None:
            os.unlink(temporary)
