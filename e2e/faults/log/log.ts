import { setTimeout as pause } from 'node:timers/promises';
import type { WitnessFailure } from '@witan/testing';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { openClient } from '../client.ts';
import { driveWorkers } from '../drive-workers.ts';
import type { Load } from '../drive-workers.ts';
import { openReplica } from '../open-service.ts';
import type { FaultTarget } from '../open-running-system.ts';
import type { Part, Round, RoundOutcome } from '../run-part.ts';
import { strikeAndRestart, untilReady } from '../strike.ts';
import { until } from '../until.ts';
import { openLogBench } from './open-log-bench.ts';
import type { LogBench } from './open-log-bench.ts';

/** Tables at whose write the ledger is killed, in the order in which it writes them. */
const PLACES = ['log_state', 'epoch', 'tree', 'tree_head', 'checkpoint', 'published'] as const;
const KILLS_PER_PLACE = 3;
const WORKERS = 8;
/** Time of the load before and after a strike. */
const LOAD_MS = 1_500;
/** Time in which a log without a quorum would publish something. */
const SILENCE_MS = 3_000;
/** Time in which a log with a quorum publishes two epochs on a busy machine. */
const GROWTH_LIMIT_MS = 20_000;
const BLOCKED_LIMIT_MS = 30_000;
/** Ledgers that write the same log at once. */
const WRITERS = [2, 6] as const;
const TARGETS: readonly FaultTarget[][] = [
  ['ledger'],
  ['notifier'],
  ['postgres'],
  ['ledger', 'notifier'],
  ['ledger', 'postgres'],
];
const FAILURES: readonly WitnessFailure[] = [
  ...(['frozen', 'failing', 'claims-more', 'claims-other'] as const),
  ...(['adds-line', 'signs-more', 'signs-late'] as const),
];

export const LOG: Part = {
  summary: 'the transparency log: kills at its writes, many writers, failing witnesses, under load',
  open: async (lab) => {
    const bench = await openLogBench(lab);
    const pauseMs = (): number => LOAD_MS * lab.random.next();
    return {
      rounds: [
        ...PLACES.map((place) => killAt(bench, place)),
        ...TARGETS.map((targets) => killAnyTime(bench, targets, pauseMs)),
        ...WRITERS.map((count) => manyWriters(bench, lab.home, count)),
        ...FAILURES.map((failure) => oneWitness(bench, failure)),
        noQuorum(bench),
      ],
      finish: () => bench.check(),
    };
  },
};

type Ended = { status: number };

const BODY = {
  model: 'service-auto',
  messages: [{ role: 'user', content: 'Which way is north?' }],
};

const drive = ({ system }: LogBench): Load<Ended> =>
  driveWorkers(
    Array.from({ length: WORKERS }, () => async (): Promise<Ended> => {
      const { status } = await openClient(await system.readFile()).send(
        'POST',
        '/chat/completions',
        BODY,
      );
      return { status };
    }),
    ({ status }) => status !== 200,
  );

/** Runs a disturbance under load, waits until everything is published, and checks all of it. */
const underLoad = async (
  bench: LogBench,
  disturb: () => Promise<string[]>,
): Promise<RoundOutcome> => {
  const load = drive(bench);
  try {
    await pause(LOAD_MS);
    const violations = await disturb();
    await untilReady(bench.system);
    await pause(LOAD_MS);
    await load.stop();
    const checked = await bench.check();
    const certified = load.endedCalls.filter(({ status }) => status === 200).length;
    return {
      figures: { certified, ...checked.figures },
      violations: [...violations, ...checked.violations],
    };
  } finally {
    await load.stop();
  }
};

const killAt = (bench: LogBench, place: (typeof PLACES)[number]): Round => ({
  name: `kill ledger before it writes ${place}`,
  run: () =>
    underLoad(bench, async () => {
      for (let i = 0; i < KILLS_PER_PLACE; i += 1) await killBlocked(bench, place);
      return [];
    }),
});

/** Blocks the writes of a table, and kills the ledger when it waits for one. */
const killBlocked = async ({ system }: LogBench, place: (typeof PLACES)[number]): Promise<void> => {
  const { databaseUrl } = await system.readFile();
  await withClient(databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ledger.${place} IN SHARE MODE`);
    await strikeAndRestart(system, { targets: ['ledger'], signal: 'SIGKILL' }, async () => {
      const isBlocked = await until(BLOCKED_LIMIT_MS, async () => {
        const { rowCount } = await client.query(
          `SELECT FROM pg_locks WHERE relation = 'ledger.${place}'::regclass AND NOT granted`,
        );
        return (rowCount ?? 0) > 0;
      });
      if (!isBlocked) throw new Error(`The ledger did not write ${place}.`);
      // Released in time for the new process, after the signal.
      setImmediate(() => void client.query('ROLLBACK'));
    });
  });
};

const killAnyTime = (
  bench: LogBench,
  targets: readonly FaultTarget[],
  pauseMs: () => number,
): Round => ({
  name: `kill ${targets.join(' and ')}`,
  run: () =>
    underLoad(bench, async () => {
      for (let i = 0; i < 2; i += 1) {
        await pause(pauseMs());
        await strikeAndRestart(bench.system, { targets, signal: 'SIGKILL' });
        await untilReady(bench.system);
      }
      return [];
    }),
});

/** Each ledger writes at every interval; one of them is killed meanwhile. */
const manyWriters = (bench: LogBench, home: string, count: number): Round => ({
  name: `${count} writers`,
  run: () =>
    underLoad(bench, async () => {
      await using replicas = new AsyncDisposableStack();
      const file = await bench.system.readFile();
      for (let writers = 1; writers < count; writers += 1) {
        const replica = await openReplica('ledger', file, home);
        replicas.defer(async () => void (await replica.stop()));
      }
      await pause(LOAD_MS);
      await strikeAndRestart(bench.system, { targets: ['ledger'], signal: 'SIGKILL' });
      await untilReady(bench.system);
      await pause(LOAD_MS);
      return [];
    }),
});

/** Two of three witnesses are enough, so the log must go on. */
const oneWitness = (bench: LogBench, failure: WitnessFailure): Round => ({
  name: `one witness ${failure}`,
  run: () =>
    underLoad(bench, async () => {
      const [witness] = bench.witnesses;
      witness!.setFailure(failure);
      await pause(LOAD_MS);
      const before = await bench.publishedSize();
      const hasGrown = await until(GROWTH_LIMIT_MS, async () => {
        return (await bench.publishedSize()) > before + 1;
      });
      witness!.setFailure(undefined);
      return hasGrown ? [] : ['nothing was published'];
    }),
});

/** One witness of three is not enough, so the log must stop, and catch up afterwards. */
const noQuorum = (bench: LogBench): Round => ({
  name: 'two witnesses frozen',
  run: () =>
    underLoad(bench, async () => {
      const away = bench.witnesses.slice(1);
      for (const witness of away) witness.setFailure('frozen');
      await pause(LOAD_MS);
      const before = await bench.publishedSize();
      await pause(SILENCE_MS);
      const after = await bench.publishedSize();
      for (const witness of away) witness.setFailure(undefined);
      return before === after ? [] : [`published ${before} to ${after} without a quorum`];
    }),
});
