"""The table [checks] of the configuration, apart from all others: processes that parse messages load only this one."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pbem.secret_setting import ConfigTable


class ChecksSettings(ConfigTable):
    """[checks]: what a message must prove besides its reply token; nothing by default."""

    authserv_id: str = ""
    headers: Annotated[int, Field(ge=1, le=5)] = 1
    proof: Literal["token", "token or domain", "token and domain"] = "token"

    @model_validator(mode="after")
    def checks_what_it_needs(self) -> Self:
        if self.proof != "token" and not self.authserv_id:
            raise ValueError(f'proof = "{self.proof}" needs authserv_id')
        return self
