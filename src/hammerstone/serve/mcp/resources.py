"""Files that tools made, as MCP resources."""

import base64
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from hammerstone.app.hammerstone import Hammerstone
from hammerstone.core.answers import Answer
from hammerstone.core.errors import HammerstoneError
from hammerstone.core.people import Caller, Right

_SCHEME = "hammerstone://files/"
_TEXT = ("text/", "application/json")


class Resources:
    """The files of whoever is connected; nobody sees another person's."""

    def __init__(self, hs: Hammerstone) -> None:
        self._hs = hs

    async def list(
        self, ctx: ServerRequestContext[Any, Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        rows = await self._hs.files.list(user=user_of(ctx))
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=f"{_SCHEME}{row.id}/{quote(row.name)}",
                    name=row.name,
                    mime_type=row.media_type,
                    size=row.size_bytes,
                )
                for row in rows
            ]
        )

    async def read(
        self, ctx: ServerRequestContext[Any, Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        file_id = unquote(uri.removeprefix(_SCHEME).partition("/")[0])
        try:
            if not uri.startswith(_SCHEME):
                raise HammerstoneError("that is not one of our resources")
            row, content = await self._hs.files.get(file_id, user=user_of(ctx))
        except HammerstoneError as error:
            raise MCPError(types.INVALID_PARAMS, error.message) from None
        contents: types.TextResourceContents | types.BlobResourceContents
        if row.media_type.startswith(_TEXT):
            text = content.decode("utf-8", "replace")
            contents = types.TextResourceContents(uri=uri, mime_type=row.media_type, text=text)
        else:
            blob = base64.b64encode(content).decode()
            contents = types.BlobResourceContents(uri=uri, mime_type=row.media_type, blob=blob)
        return types.ReadResourceResult(contents=[contents])

    def links(self, answer: Answer) -> "list[types.ContentBlock]":
        """The files of an answer, for the client to read when it wants them."""
        return [
            types.ResourceLink(
                uri=f"{_SCHEME}{file.id}/{quote(file.name)}",
                name=file.name,
                mime_type=file.media_type,
                size=file.size_bytes,
            )
            for file in answer.files
        ]


def may_build(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether what is asked may become a tool; over stdio it is the owner who asks."""
    scope = getattr(ctx.request, "scope", None)
    caller: Caller | None = scope.get("hammerstone.caller") if scope else None
    return caller is None or caller.may(Right.BUILD)


def user_of(ctx: ServerRequestContext[Any, Any]) -> str | None:
    """Whose token came with the HTTP request; over stdio it is the owner."""
    scope = getattr(ctx.request, "scope", None)
    return scope.get("hammerstone.user") if scope else None
