/* QuartzOracle: the real org.quartz.CronExpression, asked line by line.
 *
 * In:  next TAB expression TAB zone TAB start TAB count       start in seconds since 1970
 *      offset TAB zone TAB instant                            seconds since 1970
 * Out: ok TAB fire fire ...     (or the offset in seconds)
 *      error TAB what Quartz says
 */

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.TimeZone;
import org.quartz.CronExpression;

public class QuartzOracle {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        StringBuilder out = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.append(answer(line.split("\t", -1))).append('\n');
        }
        new PrintStream(System.out, true, StandardCharsets.UTF_8).print(out);
    }

    private static String answer(String[] words) {
        try {
            if (words[0].equals("offset")) {
                return "ok\t" + zone(words[1]).getOffset(Long.parseLong(words[2]) * 1000L) / 1000;
            }
            return "ok\t" + fires(words[1], words[2], Long.parseLong(words[3]), Integer.parseInt(words[4]));
        } catch (Exception problem) {
            return "error\t" + String.valueOf(problem.getMessage()).replace('\n', ' ');
        }
    }

    private static String fires(String text, String zone, long start, int count) throws Exception {
        CronExpression expression = new CronExpression(text);
        expression.setTimeZone(zone(zone));
        StringBuilder found = new StringBuilder();
        Date now = new Date(start * 1000L);
        for (int i = 0; i < count; i++) {
            now = expression.getNextValidTimeAfter(now);
            if (now == null) {
                break;
            }
            found.append(found.length() > 0 ? " " : "").append(now.getTime() / 1000L);
        }
        return found.toString();
    }

    private static TimeZone zone(String name) throws Exception {
        TimeZone found = TimeZone.getTimeZone(name);
        if (!found.getID().equals(name)) {
            throw new IllegalArgumentException("unknown zone " + name); // Java would silently say GMT
        }
        return found;
    }
}
