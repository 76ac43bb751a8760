import { readPath } from '../config.ts';
import { openRunningSystem } from '../open-running-system.ts';
import type { Random } from '../random.ts';
import { EVENT_FAULTS } from './event-faults.ts';
import { openEmitter } from './open-emitter.ts';
import { openReceivers } from './open-receivers.ts';
import { runEventFault } from './run-event-fault.ts';
import type { EventContext, EventOutcome } from './run-event-fault.ts';
import { HANGING_NAME, runHanging } from './run-hanging.ts';
import type { HangingOutcome } from './run-hanging.ts';
import { runSchedule, SCHEDULE_NAME } from './run-schedule.ts';
import type { ScheduleOutcome } from './run-schedule.ts';
import { openWebhookApi } from './webhook-api.ts';

export type EventReport = {
  rounds: EventOutcome[];
  schedule: ScheduleOutcome | undefined;
  hanging: HangingOutcome | undefined;
  violations: string[];
};

/** Maximum number of violations that are printed for each fault. */
const VIOLATIONS_SHOWN = 5;

/** Injects the faults whose name contains `only` into one system with NATS, one after another. */
export const runEventFaults = async ({
  home,
  random,
  only,
}: {
  home: string;
  random: Random;
  only: string;
}): Promise<EventReport> => {
  await using owned = new AsyncDisposableStack();
  const system = await openRunningSystem(home, {
    PATH: readPath(),
    WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
  owned.defer(async () => void (await system.stop()));
  const file = await system.readFile();
  if (!file.natsUrl) throw new Error('This part needs a nats-server on the PATH.');
  const receivers = await openReceivers();
  owned.defer(receivers.close);
  const emitter = await openEmitter(file);
  owned.defer(emitter.stop);
  const webhooks = openWebhookApi(file);
  const context: EventContext = { home, system, emitter, receivers, webhooks, random };
  const found: EventReport = {
    rounds: [],
    schedule: undefined,
    hanging: undefined,
    violations: [],
  };
  const printOutcome = (name: string, figures: object, violations: readonly string[]): void => {
    found.violations.push(...violations);
    const verdict = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
    process.stdout.write(`${name}: ${verdict} ${JSON.stringify(figures)}\n`);
    for (const one of violations.slice(0, VIOLATIONS_SHOWN)) process.stdout.write(`  ${one}\n`);
  };
  // The retry schedule is checked first, before a fault could slow down the system.
  if (SCHEDULE_NAME.includes(only)) {
    const { violations, ...figures } = (found.schedule = await runSchedule(context));
    printOutcome(SCHEDULE_NAME, figures, violations);
  }
  for (const fault of EVENT_FAULTS.filter(({ name }) => name.includes(only))) {
    const outcome = await runEventFault(fault, context);
    found.rounds.push(outcome);
    const { counts, latency, drainedMs } = outcome;
    printOutcome(fault.name, { ...counts, latency, drainedMs }, outcome.violations);
  }
  if (HANGING_NAME.includes(only)) {
    const { violations, ...figures } = (found.hanging = await runHanging(context));
    printOutcome(HANGING_NAME, figures, violations);
  }
  return found;
};
