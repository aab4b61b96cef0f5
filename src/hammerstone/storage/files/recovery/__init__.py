"""Getting rows back out of a damaged SQLite file, page by page, without changing it."""
