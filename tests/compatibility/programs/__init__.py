"""The programs, a file a group."""
from . import (archives, basics, databases, debuggers, desktop, documents, languages, media, more, pipelines, servers,
               shells)

EVERY_ENTRY = [entry for group in (shells, basics, archives, languages, databases, servers, media, documents, desktop,
                                   debuggers, pipelines, more) for entry in group.ENTRIES]
