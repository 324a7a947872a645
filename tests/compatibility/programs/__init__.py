"""The programs, a file a group."""
from . import (archives, basics, databases, debuggers, desktop, documents, languages, media, more, pipelines, servers,
               shells, system)

EVERY_ENTRY = [entry for group in (shells, basics, archives, languages, databases, servers, media, documents, desktop,
                                   debuggers, pipelines, more, system) for entry in group.ENTRIES]
