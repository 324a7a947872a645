"""Reads all members of a zip file in the order of its directory."""
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as archive:
    for info in archive.infolist():
        archive.read(info)
