def flatten_json(document: dict, separator: str = ".") -> dict:
    """A nested JSON object as one level, with paths as keys: {"a": {"b": 1}} becomes {"a.b": 1}.

    document: the object
    separator: what stands between the parts of a path
    Returns one level of keys and values; positions in lists are parts of a path too, and empty
    objects and lists stay as values.
    """
    flat = {}

    def walk(path, value):
        if isinstance(value, dict) and value:
            for key, item in value.items():
                walk([*path, str(key)], item)
        elif isinstance(value, list) and value:
            for position, item in enumerate(value):
                walk([*path, str(position)], item)
        else:
            flat[separator.join(path)] = value

    for key, item in document.items():
        walk([str(key)], item)
    return flat
