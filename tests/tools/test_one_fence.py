"""Nothing writes to PostgreSQL but in a transaction that the fence has begun: src/store/postgres has one place for it."""

import pathlib
import re
import unittest

import tap

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "src" / "store" / "postgres"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def files_with(pattern):
    """Names of the files in which the code, not a comment, matches."""
    return {path.name for path in FOLDER.glob("*.[ch]") if re.search(pattern, COMMENT.sub("", path.read_text()))}


class OneFence(unittest.TestCase):
    def test_only_the_fence_begins_and_ends_writing_transactions(self):
        for statement in ("SQL_BEGIN_WRITE", "SQL_COMMIT", "SQL_FENCE_SHARED", "SQL_FENCE_ALONE", "SQL_HOLD", "SQL_ADVANCE"):
            self.assertEqual(files_with(rf"\b{statement}\b"), {"pg_statements_write.h", "postgres_fence.c"}, statement)

    def test_no_other_transaction_begins_but_snapshots_and_migrations(self):
        self.assertEqual(files_with(r'"BEGIN'), {"pg_statements.h", "pg_statements_write.h", "postgres_schema.c"})

    def test_a_snapshot_cannot_write(self):
        text = (FOLDER / "pg_statements.h").read_text()
        self.assertEqual(re.findall(r'"(BEGIN[^"]*)"', text), ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"])


if __name__ == "__main__":
    tap.main()
