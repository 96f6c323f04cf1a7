import pathlib
import tempfile
import unittest

import tap
import check_layers


def offences_of(files):
    """What the check says about a tree: a list of (path, line, sentence)."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return list(check_layers.offences(root))


class CheckLayers(unittest.TestCase):
    def assert_clean(self, path, text):
        self.assertEqual(offences_of({path: text}), [])

    def assert_offence(self, path, text, line, words):
        found = offences_of({path: text})
        self.assertEqual([(p, n) for p, n, _ in found], [(path, line)])
        self.assertIn(words, found[0][2])

    def test_a_layer_may_include_itself_and_those_below(self):
        self.assert_clean("calendar/cron.c", '#include "calendar/cron.h"\n#include "base/err.h"\n')

    def test_what_is_below_is_reached_over_several_arrows(self):
        self.assert_clean("cli/next.c", '#include "calendar/cron.h"\n#include "engine/engine.h"\n')

    def test_a_layer_may_not_include_one_above(self):
        self.assert_offence(
            "base/str.c", '\n#include "calendar/cron.h"\n', 2, "base may not include calendar (base may include base)"
        )

    def test_a_layer_may_not_include_a_neighbour(self):
        self.assert_offence("engine/wheel.c", '#include "store/store.h"\n', 1, "engine may not include store")
        self.assert_offence("net/router.h", '#include "model/job.h"\n', 1, "net may not include model")

    def test_a_folder_inside_a_layer_belongs_to_it(self):
        self.assert_clean("store/sqlite/batch.c", '#include "model/job.h"\n#include "store/store.h"\n')
        self.assert_offence("store/sqlite/batch.c", '#include "engine/engine.h"\n', 1, "store may not include engine")

    def test_angle_brackets_are_no_way_around(self):
        found = offences_of({"calendar/cron.h": "", "base/str.c": "#include <calendar/cron.h>\n"})
        self.assertEqual([(path, line) for path, line, _ in found], [("base/str.c", 1)])

    def test_a_system_header_may_share_a_layers_name(self):
        self.assert_clean("base/id.c", "#include <net/if.h>\n#include <time.h>\n")

    def test_a_path_begins_with_a_layer(self):
        self.assert_offence("base/str.c", '#include "err.h"\n', 1, "does not begin with a layer")
        self.assert_offence("base/str.c", '#include "util/x.h"\n', 1, "does not begin with a layer")

    def test_a_new_folder_is_not_a_layer_before_the_table_knows_it(self):
        self.assert_offence("util/x.c", '#include "base/err.h"\n', 1, "util is not a layer")

    def test_jansson_stands_behind_one_file(self):
        self.assert_clean("base/json.c", "#include <jansson.h>\n")
        self.assert_offence("wire/job.c", "#include <jansson.h>\n", 1, "only base/json.c may include jansson.h")

    def test_sqlite_stands_behind_one_folder(self):
        self.assert_clean("store/sqlite/commit.c", "#include <sqlite3.h>\n")
        self.assert_clean("store/sqlite/inside.h", "#include <sqlite3.h>\n")
        for path in ["store/store.c", "store/memory/disk.c", "store/sqlite.c", "store/sqlite_2/x.c", "server/pump.c"]:
            self.assert_offence(path, "#include <sqlite3.h>\n", 1, "only store/sqlite/ may include sqlite3.h")

    def test_the_clock_stands_behind_one_file(self):
        self.assert_clean("base/chrono.c", "clock_gettime(CLOCK_REALTIME, &now);\n")
        self.assert_offence("engine/wheel.c", "int f(void)\n{ time(NULL); }\n", 2, "only base/chrono.c may call time")
        self.assert_offence("base/log.c", "gettimeofday (&t, NULL);\n", 1, "only base/chrono.c may call gettimeofday")

    def test_nobody_uses_the_zones_of_libc(self):
        self.assert_offence("calendar/zone.c", "localtime_r(&t, &tm);\n", 1, "nobody may call localtime_r")

    def test_other_names_and_members_are_not_the_clock(self):
        self.assert_clean("base/log.c", "fire_time(x); x->time(1); x.time(1); timeout(3); time_t t; (void)t;\n")

    def test_comments_and_strings_are_not_code(self):
        self.assert_clean("base/log.c", '/* time(NULL)\n#include "cli/cli.h"\n*/ // time(NULL)\nputs("time(NULL)");\n')

    def test_a_comment_does_not_move_the_line_numbers(self):
        self.assert_offence("base/log.c", "/*\n\n*/\ntime(NULL);\n", 4, "time")

    def test_every_arrow_points_to_a_layer(self):
        for layer, others in check_layers.ARROWS.items():
            self.assertLessEqual(set(others), set(check_layers.ARROWS), layer)

    def test_no_arrow_comes_back(self):
        for layer, others in check_layers.ARROWS.items():
            for other in others:
                self.assertNotIn(layer, check_layers.reach(other))


if __name__ == "__main__":
    tap.main()
