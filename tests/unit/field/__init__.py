"""The blind exam: its generators are deterministic and small, and its score is right."""
