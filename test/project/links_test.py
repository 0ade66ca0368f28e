"""README has at most 120 lines, and every link of a document leads to a file, and to one of its headings."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 120
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def documents():
    """Returns README.md, CONTRIBUTING.md, CHANGELOG.md, and the documents of docs/ and of the exercises."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("exercises/*/*.md")])


def anchors(document):
    """Returns the headings of a document, as GitHub names them; for the playground, its presets."""
    if document.suffix == ".html":
        return set(re.findall(r'<option value="([^"]+)"', document.read_text(encoding="utf-8")))
    titles = re.findall(r"^#+ (.+)$", CODE.sub("", document.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def complaint(document, link):
    """Returns the fault of a link; empty if it is right, or leads to another site."""
    if re.match(r"\w+:", link):
        return ""
    name, _, anchor = link.partition("#")
    target = (document.parent / name).resolve() if name else document
    if not target.is_relative_to(ROOT) or not target.exists():
        return f"{document.relative_to(ROOT)} links to '{link}', which is not there"
    if anchor and anchor not in anchors(target):
        return f"{document.relative_to(ROOT)} links to '{link}', and {target.relative_to(ROOT)} has no such heading"
    return ""


class Documents(unittest.TestCase):
    def test_readme_is_a_front_page(self):
        lines = (ROOT / "README.md").read_text(encoding="utf-8").count("\n")
        self.assertLessEqual(lines, MOST_LINES, "README.md is too long: put it into docs/, and a line with a link here")

    def test_readme_names_every_document(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        missing = [path.name for path in ROOT.glob("docs/*.md") if f"(docs/{path.name})" not in readme]
        self.assertEqual(missing, [], "documents that README.md does not link to")

    def test_links_lead_somewhere(self):
        found = 0
        for document in documents():
            for link in LINK.findall(CODE.sub("", document.read_text(encoding="utf-8"))):
                with self.subTest(document=document.name, link=link):
                    self.assertEqual(complaint(document, link), "")
                found += 1
        self.assertGreater(found, 50)

    def test_a_wrong_link_is_seen(self):
        readme = ROOT / "README.md"
        for link in ("docs/none.md", "docs/memory.md#no-such-heading", "docs/playground.html#banks/999", "../outside.md"):
            self.assertNotEqual(complaint(readme, link), "", link)
        for link in ("docs/memory.md#the-labs", "docs/playground.html#banks/32", "#quick-start", "https://example.org/"):
            self.assertEqual(complaint(readme, link), "", link)


if __name__ == "__main__":
    unittest.main()
