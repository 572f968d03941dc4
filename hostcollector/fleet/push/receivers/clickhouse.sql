-- SPDX-License-Identifier: BSD-2-Clause
-- The two tables that `collector push --to clickhouse+http://HOST:8123/` fills, for ClickHouse
-- from 18.16 on:
--
--     clickhouse-client --multiquery < clickhouse.sql
--
-- push may send a window twice, after a failure. Both engines drop rows that have the same key
-- when they merge; a query that must be exact says FINAL.

CREATE TABLE IF NOT EXISTS tprof_stacks (
    stack     UInt64,         -- the same for the same frames, in all guests
    functions Array(String),  -- innermost first; marks such as [idle] in brackets
    files     Array(String),
    lines     Array(UInt32),
    images    Array(String),
    builds    Array(String)   -- build-ids, in hexadecimal digits
) ENGINE = ReplacingMergeTree ORDER BY stack;

CREATE TABLE IF NOT EXISTS tprof_samples (
    time     DateTime,        -- when the sample was taken, with
    ns       UInt32,          -- so many nanoseconds behind that second
    core     UInt32,
    stack    UInt64,          -- of tprof_stacks
    samples  UInt64,          -- 1, or more where their times are not known
    duration UInt64,          -- nanoseconds of the core's time that they stand for
    row      UInt64,          -- of its window
    guest    String,
    host     String,
    build    String,          -- build-id of the kernel
    label    Nested(name String, value String), -- of --label
    window   FixedString(32)  -- the same in all rows of a recording
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMMDD(time)
ORDER BY (guest, time, window, row);

-- Three queries to begin with.
--
-- Where did a guest spend its time?
--
--     SELECT functions[1] AS function, sum(duration) / 1e9 AS seconds, sum(samples) AS samples
--     FROM (SELECT * FROM tprof_samples FINAL WHERE guest = 'web1')
--     ANY INNER JOIN (SELECT stack, functions FROM tprof_stacks) USING stack
--     GROUP BY function ORDER BY seconds DESC LIMIT 20;
--
-- How did a function's share change from build to build?
--
--     SELECT build, sumIf(duration, has(functions, 'handle_request')) / sum(duration) AS share
--     FROM (SELECT * FROM tprof_samples FINAL)
--     ANY INNER JOIN (SELECT stack, functions FROM tprof_stacks) USING stack
--     WHERE functions[1] != '[idle]' GROUP BY build ORDER BY min(time);
--
-- Which cores of which guests were busy, minute by minute?
--
--     SELECT toStartOfMinute(time) AS minute, guest, core,
--         sumIf(duration, functions[1] != '[idle]') / sum(duration) AS busy
--     FROM (SELECT * FROM tprof_samples FINAL)
--     ANY INNER JOIN (SELECT stack, functions FROM tprof_stacks) USING stack
--     GROUP BY minute, guest, core ORDER BY minute, guest, core;
