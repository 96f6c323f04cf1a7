/* unix_disagreements: the best known cases in which Belfry, croner and cron-parser do not say the same, one line each.
 *
 * Belfry's answers are the contract's, worked out by hand. In 2026 New York changes on 8 March at 07:00Z and on
 * 1 November at 06:00Z, Lord Howe on 4 April at 15:00Z.
 */

const NEW_YORK = "America/New_York";
const SPRING = "2026-03-08T00:00:00Z";
const AUTUMN = "2026-11-01T04:45:00Z";

/* [what it shows, expression, zone, start, {who: fires}]; who is not named gives Belfry's fires. */
export const DISAGREEMENTS = [
    [
        "a fixed time in the gap: Belfry and croner wait for its end, cron-parser moves it by an hour",
        "30 2 * * *",
        NEW_YORK,
        SPRING,
        {
            belfry: ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"],
            "cron-parser": ["2026-03-08T07:30:00Z", "2026-03-09T06:30:00Z"],
        },
    ],
    [
        "several fixed times in the gap: Belfry runs once, croner never, cron-parser each",
        "0-59/30 2 * * *",
        NEW_YORK,
        SPRING,
        {
            belfry: ["2026-03-08T07:00:00Z", "2026-03-09T06:00:00Z"],
            croner: ["2026-03-09T06:00:00Z", "2026-03-09T06:30:00Z"],
            "cron-parser": ["2026-03-08T07:00:00Z", "2026-03-08T07:30:00Z"],
        },
    ],
    [
        "a star in the minute: Belfry and croner skip the gap, cron-parser moves the times out of it",
        "*/30 2 * * *",
        NEW_YORK,
        SPRING,
        {
            belfry: ["2026-03-09T06:00:00Z", "2026-03-09T06:30:00Z"],
            "cron-parser": ["2026-03-08T07:00:00Z", "2026-03-08T07:30:00Z"],
        },
    ],
    [
        "a fixed time in the fold: all run it once, in the first pass",
        "30 1 * * *",
        NEW_YORK,
        AUTUMN,
        { belfry: ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"] },
    ],
    [
        "a star in the minute: Belfry and croner run in both passes of the fold, cron-parser in one",
        "*/30 1 * * *",
        NEW_YORK,
        AUTUMN,
        {
            belfry: ["2026-11-01T05:00:00Z", "2026-11-01T05:30:00Z", "2026-11-01T06:00:00Z", "2026-11-01T06:30:00Z"],
            "cron-parser": [
                "2026-11-01T05:00:00Z",
                "2026-11-01T05:30:00Z",
                "2026-11-02T06:00:00Z",
                "2026-11-02T06:30:00Z",
            ],
        },
    ],
    [
        "every half hour through the fold: all run evenly",
        "*/30 * * * *",
        NEW_YORK,
        AUTUMN,
        { belfry: ["2026-11-01T05:00:00Z", "2026-11-01T05:30:00Z", "2026-11-01T06:00:00Z", "2026-11-01T06:30:00Z"] },
    ],
    [
        "every 15 minutes through a fold of half an hour: cron-parser loses two",
        "*/15 * * * *",
        "Australia/Lord_Howe",
        "2026-04-04T14:30:00Z",
        {
            belfry: ["2026-04-04T14:45:00Z", "2026-04-04T15:00:00Z", "2026-04-04T15:15:00Z", "2026-04-04T15:30:00Z"],
            "cron-parser": [
                "2026-04-04T14:45:00Z",
                "2026-04-04T15:30:00Z",
                "2026-04-04T15:45:00Z",
                "2026-04-04T16:00:00Z",
            ],
        },
    ],
    [
        "a star with a step in day of month, beside Monday: Belfry, as Debian's cron, wants both, the peers either",
        "0 0 */2 * MON",
        "UTC",
        "2026-01-03T12:00:00Z",
        {
            belfry: ["2026-01-05T00:00:00Z", "2026-01-19T00:00:00Z", "2026-02-09T00:00:00Z"],
            croner: ["2026-01-05T00:00:00Z", "2026-01-07T00:00:00Z", "2026-01-09T00:00:00Z"],
            "cron-parser": ["2026-01-05T00:00:00Z", "2026-01-07T00:00:00Z", "2026-01-09T00:00:00Z"],
        },
    ],
    [
        "a range that ends on SUN: to croner it is the whole week",
        "0 0 * * SUN-SUN",
        "UTC",
        "2026-01-01T00:00:00Z",
        {
            belfry: ["2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z"],
            croner: ["2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"],
        },
    ],
    [
        "the 1st or 31st, asked in February: croner loses 1 March",
        "0 0 */30 * *",
        "UTC",
        "2026-02-18T00:00:00Z",
        {
            belfry: ["2026-03-01T00:00:00Z", "2026-03-31T00:00:00Z"],
            croner: ["2026-03-31T00:00:00Z", "2026-04-01T00:00:00Z"],
        },
    ],
];
