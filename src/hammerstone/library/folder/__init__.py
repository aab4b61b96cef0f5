"""Tools as folders of plain files that people read, edit and commit."""
