"""The published cases, solved from their authors' own evidence; and variants made by the tests."""
