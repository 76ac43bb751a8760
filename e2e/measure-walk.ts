import { Session } from 'node:inspector/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** What one call runs of our own code: the services and their libraries, not the test's helpers. */
export type Walk = {
  /** Files from the repository's root with at least one function that the call runs, sorted. */
  files: string[];
  /** Number of calls of our own functions. */
  calls: number;
  /** Number of times that our code parses the request's whole body as JSON. */
  parses: number;
};

/** Only functions that every one of these calls runs are counted, as often as the least of them. */
const MEASURED_CALLS = 5;
/** Calls before the measured ones, which fill caches and load modules. */
const WARM_UP_CALLS = 3;
/** Windows without a call, each as long as one; an odd number. */
const IDLE_WINDOWS = 5;
const OWN_SOURCE = /\/((?:apps|libs)\/(?!testing\/)[^/]+\/src\/[^?:]+)/;
const OWN_FRAME = /\/(?:(?:apps|libs)\/[^/]+\/src|e2e)\//;
const TEST_FRAME = /\/(?:libs\/testing|e2e)\//;
const MESSAGES_MEMBER = '"messages"';

/** Number of runs by function: the file, its offset in the file and its name. */
type Runs = ReadonlyMap<string, number>;

/**
 * Measures a completion whose question contains `mark`. Functions that run in most windows without
 * a call are left out: they belong to timers, which a slow machine enters in every call.
 */
export const measureWalk = async (
  complete: () => Promise<unknown>,
  mark: string,
): Promise<Walk> => {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const startedAt = performance.now();
    for (let call = 0; call < WARM_UP_CALLS; call += 1) await complete();
    const callMs = (performance.now() - startedAt) / WARM_UP_CALLS;
    // What the calls before leave behind ends here, before the windows without calls.
    await pause(callMs * WARM_UP_CALLS);
    await takeRuns(session);
    const idleRuns: Runs[] = [];
    while (idleRuns.length < IDLE_WINDOWS) {
      await pause(callMs);
      idleRuns.push(await takeRuns(session));
    }
    // The end of a call, after its last byte, is counted for the next one.
    await complete();
    await takeRuns(session);
    const runsOfCalls: Runs[] = [];
    const parses = await countParses(mark, async () => {
      while (runsOfCalls.length < MEASURED_CALLS) {
        await complete();
        runsOfCalls.push(await takeRuns(session));
      }
    });
    return { ...joinRuns(runsOfCalls, idleRuns), parses: parses / MEASURED_CALLS };
  } finally {
    session.disconnect();
  }
};

/** Returns the runs of our own functions since the last time. */
const takeRuns = async (session: Session): Promise<Runs> => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const runs = new Map<string, number>();
  for (const { url, functions } of result) {
    const file = OWN_SOURCE.exec(url)?.[1];
    if (file === undefined) continue;
    for (const { functionName, ranges } of functions) {
      const { startOffset, count } = ranges[0]!;
      if (count > 0) runs.set(`${file}:${startOffset}:${functionName}`, count);
    }
  }
  return runs;
};

const joinRuns = (
  [first, ...others]: readonly Runs[],
  idleRuns: readonly Runs[],
): Omit<Walk, 'parses'> => {
  const files = new Set<string>();
  let calls = 0;
  for (const [name, count] of first!) {
    if (!others.every((runs) => runs.has(name))) continue;
    if (idleRuns.filter((runs) => runs.has(name)).length > IDLE_WINDOWS / 2) continue;
    files.add(name.slice(0, name.indexOf(':')));
    calls += Math.min(count, ...others.map((runs) => runs.get(name)!));
  }
  return { files: [...files].toSorted(), calls };
};

/** Counts the whole bodies with `mark` that our own code passes to JSON.parse while `run` runs. */
const countParses = async (mark: string, run: () => Promise<void>): Promise<number> => {
  const { parse } = JSON;
  let parses = 0;
  JSON.parse = (text: string, ...rest: []) => {
    if (typeof text === 'string' && text.includes(MESSAGES_MEMBER) && text.includes(mark)) {
      // The first line is the message, the second this function.
      const callers = new Error('parse').stack!.split('\n').slice(2);
      const frame = callers.find((line) => OWN_FRAME.test(line));
      if (frame !== undefined && !TEST_FRAME.test(frame)) parses += 1;
    }
    return parse(text, ...rest) as unknown;
  };
  try {
    await run();
  } finally {
    JSON.parse = parse;
  }
  return parses;
};
