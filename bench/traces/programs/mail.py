"""Reads a maildir as a mail program that builds its index does: each message, in the order of the folder."""
import mailbox
import sys

total = 0
for message in mailbox.Maildir(sys.argv[1], create=False):
    total += len(message["Subject"] or "")
print(total)
