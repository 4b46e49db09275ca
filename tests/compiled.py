"""Templates, payloads and tables as the first message compiles them, once for all processes that are forked afterwards.

Only the process from which commands are forked imports it (see forks).
"""

from sqlalchemy.orm import configure_mappers

from pbem.messages.contents.message_payloads import Deleted
from pbem.messages.templating import HTML, TEXT, templates
from pbem.storage.message_payload_base import dump
from tests import compiled_templates

compiled_templates.share()
configure_mappers()
for _face in (TEXT, HTML):
    for _name in templates(_face).list_templates(extensions=["j2"]):
        if ".html." not in _name or _face == HTML:
            templates(_face).get_template(_name)
dump(Deleted())
