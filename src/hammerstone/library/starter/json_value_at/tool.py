def json_value_at(document: object, path: str) -> object:
    """The value at a path in a JSON document, such as "users.0.name".

    document: the JSON document, an object or a list
    path: keys and positions with dots between them; empty for the whole document
    Returns the value there.
    Raises ValueError when the path leads nowhere.
    """
    value = document
    for part in path.split(".") if path else []:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise ValueError(f"there is no {part!r} on the path {path!r}")
    return value
