"""Announcements of the operator: some more players are told each minute, in a transaction that notes who was."""

from sqlalchemy import exists
from sqlmodel import col

from pbem.features.moderation import broadcasts
from pbem.storage.due import NOW, Due, each_row
from pbem.storage.models import Announcement

announce = each_row(Announcement, broadcasts.due, broadcasts.tell_some, doing="announcements")
"""Queues the announcements that are due, and returns how many had somebody to tell."""
ARE_DUE = exists().where(col(Announcement.due) <= NOW)
DUE = (Due(name="announcing.announce", when=ARE_DUE, act=announce),)
