import { openReceiver, openScriptedProvider } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { readPath } from '../config.ts';
import { judgeCertificates } from '../judge-certificates.ts';
import { meteredEnvironment } from '../metered-environment.ts';
import { openRunningSystem } from '../open-running-system.ts';
import { untilReceived } from '../until-received.ts';
import { openConversationApi } from './conversation-api.ts';
import { NAMES, playCouncil, toPersona } from './council.ts';
import { toRounds } from './debate-rounds.ts';
import type { DebateRound } from './debate-rounds.ts';
import { undisturbed } from './disturbances.ts';
import { findDebateViolations } from './find-debate-violations.ts';
import { runDebate } from './run-debate.ts';
import type { DebateContext, DebateRun } from './run-debate.ts';

export type DebateOutcome = {
  name: string;
  calls: number;
  /** Number of model calls beyond those of a debate without faults. */
  more: number;
  /**
   * Number of calls whose outcome was not stored when the fault was injected, so that they may be
   * repeated.
   */
  underWay: number;
  endedAfterMs: number;
  violations: string[];
};

export type DebateFaults = {
  leaseMs: number;
  /** Number of model calls of a debate without faults. */
  minimum: number;
  rounds: DebateOutcome[];
  /** Totals over all debates, counted once no call is in flight. */
  certificates: { calls: number; certificates: number; charged: number; webhooks: number };
  violations: string[];
};

/**
 * Duration of a lease; long enough to be renewed on a busy machine, because each lost lease uses
 * one of four attempts.
 */
const LEASE_MS = 3_000;
const COMPLETION_TIMEOUT_MS = 20_000;
/** Number of violations printed for each fault. */
const SHOWN = 5;
const HOOK = '/synthesized';

/**
 * Runs a debate without faults, then one for each fault whose name contains `only`, and compares
 * them.
 */
export const runDebateFaults = async ({
  home,
  only,
}: {
  home: string;
  only: string;
}): Promise<DebateFaults> => {
  await using owned = new AsyncDisposableStack();
  const council = playCouncil();
  const provider = owned.use(
    await openScriptedProvider({ models: ['gpt-5'], fallback: council.script }),
  );
  const receiver = owned.use(await openReceiver());
  const system = await openRunningSystem(home, {
    PATH: readPath(),
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'sk-faults',
    WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    WITAN_DEBATE_LEASE_MS: String(LEASE_MS),
    ...meteredEnvironment(COMPLETION_TIMEOUT_MS),
  });
  owned.defer(async () => void (await system.stop()));
  const { databaseUrl, natsUrl, ...file } = await system.readFile();
  if (!natsUrl) throw new Error('This part needs a nats-server on the PATH.');
  const api = openConversationApi(file);
  await api.createWebhook(receiver.urlOf(HOOK));
  const ids = await api.convene(NAMES.map(toPersona));
  return await runAllRounds({ system, api, council, databaseUrl, ids, home, receiver }, only);
};

type RunContext = DebateContext & { home: string; receiver: Receiver };

const runAllRounds = async (context: RunContext, only: string): Promise<DebateFaults> => {
  let number = 1;
  const peaceful = await runDebate(number, undisturbed, context);
  const { outcome = '', calls } = peaceful.evidence;
  const runs = [peaceful];
  const found: DebateFaults = {
    leaseMs: LEASE_MS,
    minimum: calls.length,
    rounds: [],
    certificates: { calls: 0, certificates: 0, charged: 0, webhooks: 0 },
    violations: [],
  };
  const judge = (run: DebateRun, { name, ...round }: Omit<DebateRound, 'disturbance'>): void => {
    const all = { ...run.evidence, ...round, expected: { outcome, calls } };
    const judged = findDebateViolations(all);
    const outcomeOfRound = toDebateOutcome(name, run, calls.length);
    outcomeOfRound.violations.push(
      ...[...run.violations, ...judged].map((one) => `${name}: ${one}`),
    );
    found.rounds.push(outcomeOfRound);
    printOutcome(found, outcomeOfRound);
  };
  const peace = { name: 'undisturbed', mayMissAnswer: false };
  judge(peaceful, peace);
  for (const { disturbance, ...round } of toRounds(peaceful.steps)) {
    if (!round.name.includes(only)) continue;
    number += 1;
    try {
      const run = await runDebate(number, disturbance, context);
      runs.push(run);
      judge(run, round);
    } catch (error) {
      // An error under one fault counts as a violation and does not prevent the others.
      const violations = [`${round.name}: ${String(error)}`];
      const outcomeOfRound = { name: round.name, ...NOTHING, violations };
      found.rounds.push(outcomeOfRound);
      printOutcome(found, outcomeOfRound);
    }
  }
  const { violations, ...certificates } = await judgeAllCertificates(runs, context);
  Object.assign(found, { certificates });
  found.violations.push(...violations);
  return found;
};

const NOTHING = { calls: 0, more: 0, underWay: 0, endedAfterMs: 0 };

const toDebateOutcome = (
  name: string,
  { evidence, endedAfterMs }: DebateRun,
  minimum: number,
): DebateOutcome => ({
  name,
  calls: evidence.calls.length,
  more: evidence.calls.length - minimum,
  underWay: evidence.strikes.reduce((sum, { unstored }) => sum + unstored.length, 0),
  endedAfterMs,
  violations: [],
});

const printOutcome = (
  found: DebateFaults,
  { name, violations, ...figures }: DebateOutcome,
): void => {
  found.violations.push(...violations);
  const verdict = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
  process.stdout.write(`${name}: ${verdict} ${JSON.stringify(figures)}\n`);
  for (const one of violations.slice(0, SHOWN)) process.stdout.write(`  ${one}\n`);
};

/**
 * Checks the certificates, ledger entries and webhooks of all debates; returns totals and
 * violations.
 */
const judgeAllCertificates = async (
  runs: readonly DebateRun[],
  { system, home, receiver, council }: RunContext,
): Promise<DebateFaults['certificates'] & { violations: string[] }> => {
  const webhookViolations = await judgeWebhooks(runs, receiver);
  const { calls } = council;
  const named = runs.flatMap((run) => run.named);
  const limits = { home, completionTimeoutMs: COMPLETION_TIMEOUT_MS };
  const judged = await judgeCertificates(limits, system.readFile, { calls, named });
  const webhooks = receiver.requestsOf(HOOK).length;
  return { ...judged, webhooks, violations: [...webhookViolations, ...judged.violations] };
};

/**
 * Returns a violation for each debate whose webhooks differ from its events in the outbox, in
 * number or in the text of the synthesis.
 */
const judgeWebhooks = async (runs: readonly DebateRun[], receiver: Receiver): Promise<string[]> => {
  type Body = { data: { conversationId: string; synthesis: string } };
  const wanted = runs.filter(({ evidence }) => evidence.stored.events > 0).length;
  const webhooks = (await untilReceived(receiver, HOOK, wanted)).map(
    ({ body }) => (JSON.parse(body.toString()) as Body).data,
  );
  const got = Map.groupBy(webhooks, ({ conversationId }) => conversationId);
  return runs.flatMap(({ conversationId, evidence }) => {
    const posts = got.get(conversationId) ?? [];
    const isDelivered = posts.every(({ synthesis }) =>
      evidence.outcome?.includes(JSON.stringify(synthesis).slice(1, -1)),
    );
    return [
      ...(posts.length === evidence.stored.events
        ? []
        : [`${conversationId}: ${posts.length} webhooks, not ${evidence.stored.events}`]),
      ...(isDelivered ? [] : [`${conversationId}: its webhook has another synthesis`]),
    ];
  });
};
