# SPDX-License-Identifier: Apache-2.0
"""5 Pictures and table in Markdown, and in the part of a page that is between two marks."""
import os
import shutil

from stored import Refused, write_page

BEGIN, END = "<!-- tools/bench: begin -->", "<!-- tools/bench: end -->"


def parts_of(path):
    """What stands before and after the table."""
    try:
        with open(path, encoding="utf-8") as file:
            page = file.read()
    except OSError as error:
        raise Refused(f"--docs: a page that is there, not '{path}' ({error.strerror})") from None
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise Refused(f"--docs: a page with {BEGIN} and {END}, not '{path}'")
    return before, after


def shown(drawn, folder):
    """Each picture with the sentence that says what it is."""
    return "".join(f"![{picture.title}]({folder}{picture.file})\n\n{picture.sentence}\n\n" for picture in drawn)


def put(path, text, drawn, folder, of_earlier):
    """Between the marks of the page stands what this wrote last time. of_earlier: all names that pictures can have."""
    before, after = parts_of(path)
    images = os.path.join(os.path.dirname(path), "images")
    os.makedirs(images, exist_ok=True)
    for picture in drawn:
        shutil.copy(os.path.join(folder, picture.file), os.path.join(images, picture.file))
    for name in set(of_earlier) - {picture.file for picture in drawn}:
        if os.path.exists(os.path.join(images, name)):
            os.remove(os.path.join(images, name))
    write_page(path, f"{before}{BEGIN}\n\n{shown(drawn, 'images/')}{text}\n{END}{after}")
